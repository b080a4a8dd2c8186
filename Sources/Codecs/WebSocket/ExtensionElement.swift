/// One element of `Sec-WebSocket-Extensions`: a name and its parameters (RFC 6455 §9.1).
struct ExtensionElement: Equatable {
  struct Parameter: Equatable {
    let name: String
    let value: String?
  }

  let name: String
  let parameters: [Parameter]
}

/// Returns the elements of one `Sec-WebSocket-Extensions` field, in order; nil for an element that breaks the
/// grammar.
func extensionElements(in field: String) -> [ExtensionElement?] {
  var scanner = ExtensionScanner(field)
  var elements: [ExtensionElement?] = []
  while !scanner.isAtEnd {
    if scanner.skip(UInt8(ascii: ",")) { continue }  // RFC 9110 §5.6.1: empty elements are ignored
    var ahead = scanner
    elements.append(ahead.element())
    scanner.skipToComma()
  }
  return elements
}

/// A scanner over the bytes of a field. A function that returns nil leaves the position undefined.
private struct ExtensionScanner {
  private let bytes: [UInt8]
  private var index = 0

  init(_ field: String) {
    bytes = Array(field.utf8)
    skipSpace()
  }

  var isAtEnd: Bool { index == bytes.count }

  /// Reads an element up to its comma or the end: `name *( ";" parameter )`.
  mutating func element() -> ExtensionElement? {
    guard let name = token() else { return nil }
    var parameters: [ExtensionElement.Parameter] = []
    while skip(UInt8(ascii: ";")) {
      guard let name = token() else { return nil }
      var value: String?
      if skip(UInt8(ascii: "=")) {
        value = token() ?? quotedToken()
        if value == nil { return nil }
      }
      parameters.append(ExtensionElement.Parameter(name: name, value: value))
    }
    guard isAtEnd || bytes[index] == UInt8(ascii: ",") else { return nil }
    return ExtensionElement(name: name, parameters: parameters)
  }

  /// If the next byte is `byte`, skips it and the white space after it, and returns true.
  mutating func skip(_ byte: UInt8) -> Bool {
    guard !isAtEnd, bytes[index] == byte else { return false }
    index += 1
    skipSpace()
    return true
  }

  /// Skips the rest of an element; a comma between quotes does not end it.
  mutating func skipToComma() {
    var isQuoted = false
    while !isAtEnd, isQuoted || bytes[index] != UInt8(ascii: ",") {
      if bytes[index] == UInt8(ascii: "\"") { isQuoted.toggle() }
      if isQuoted, bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count { index += 1 }
      index += 1
    }
  }

  private mutating func token() -> String? {
    let start = index
    while !isAtEnd, isTokenByte(bytes[index]) { index += 1 }
    guard index > start else { return nil }
    let text = String(decoding: bytes[start..<index], as: UTF8.self)
    skipSpace()
    return text
  }

  /// Reads a quoted string, whose content must be a token after unescaping (RFC 6455 §9.1).
  private mutating func quotedToken() -> String? {
    guard !isAtEnd, bytes[index] == UInt8(ascii: "\"") else { return nil }
    index += 1
    var text: [UInt8] = []
    while !isAtEnd, bytes[index] != UInt8(ascii: "\"") {
      if bytes[index] == UInt8(ascii: "\\") { index += 1 }
      guard !isAtEnd, isTokenByte(bytes[index]) else { return nil }
      text.append(bytes[index])
      index += 1
    }
    guard skip(UInt8(ascii: "\"")), !text.isEmpty else { return nil }
    return String(decoding: text, as: UTF8.self)
  }

  private mutating func skipSpace() {
    while !isAtEnd, bytes[index] == UInt8(ascii: " ") || bytes[index] == UInt8(ascii: "\t") { index += 1 }
  }
}

/// Returns true for a byte that may be in a token (RFC 9110 §5.6.2).
func isTokenByte(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
    UInt8(ascii: "0")...UInt8(ascii: "9"):
    true
  case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E...0x60, 0x7C, 0x7E: true  // !#$%&'*+-.^_`|~
  default: false
  }
}
