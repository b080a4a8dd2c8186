/// The character classes of RFC 9110 §5.6 and RFC 3986 §2.
enum Grammar {
  static let tab: UInt8 = 0x09
  static let lineFeed: UInt8 = 0x0A
  static let carriageReturn: UInt8 = 0x0D
  static let space: UInt8 = 0x20
  static let quotationMark: UInt8 = 0x22
  static let percent: UInt8 = 0x25
  static let comma: UInt8 = 0x2C
  static let colon: UInt8 = 0x3A
  static let semicolon: UInt8 = 0x3B
  static let equals: UInt8 = 0x3D
  static let backslash: UInt8 = 0x5C

  /// Returns true for a byte that is allowed in a token (`tchar`, RFC 9110 §5.6.2).
  static func isToken(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true  // digits and letters
    case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E...0x60, 0x7C, 0x7E: true  // !#$%&'*+-.^_`|~
    default: false
    }
  }

  /// Returns true for a byte that is allowed in a field value: visible, blank, tab or obs-text (RFC 9110 §5.5).
  static func isFieldContent(_ byte: UInt8) -> Bool {
    byte == tab || (byte >= 0x20 && byte != 0x7F)
  }

  /// Returns true for a byte that is allowed in a request target: visible ASCII without the `#` of a fragment (RFC
  /// 9112 §3.2).
  static func isTarget(_ byte: UInt8) -> Bool {
    byte > 0x20 && byte < 0x7F && byte != 0x23
  }

  static func isDigit(_ byte: UInt8) -> Bool {
    byte >= 0x30 && byte <= 0x39
  }

  static func isLetter(_ byte: UInt8) -> Bool {
    let lower = byte | 0x20
    return lower >= 0x61 && lower <= 0x7A
  }

  static func isBlank(_ byte: UInt8) -> Bool {
    byte == space || byte == tab
  }

  /// Returns the value of a hexadecimal digit in either case; nil for any other byte.
  static func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }

  /// Returns an ASCII letter in lower case, and any other byte unchanged.
  static func lowercased(_ byte: UInt8) -> UInt8 {
    byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
  }

  /// Parses a number of decimal digits only (`1*DIGIT`); nil for any other text. A number that is too large for an `Int` becomes
  /// `Int.max`, which is above every limit.
  static func decimal(_ digits: some Sequence<UInt8>) -> Int? {
    var number: Int?
    for byte in digits {
      guard isDigit(byte) else { return nil }
      let (scaled, tooLarge) = (number ?? 0).multipliedReportingOverflow(by: 10)
      let (sum, tooLargeByOne) = scaled.addingReportingOverflow(Int(byte - 0x30))
      number = tooLarge || tooLargeByOne ? .max : sum
    }
    return number
  }
}

extension StringProtocol {
  /// Returns true if two texts are equal except for the case of ASCII letters; other characters are compared by
  /// bytes.
  func equalsIgnoringCase(_ other: some StringProtocol) -> Bool {
    utf8.count == other.utf8.count
      && utf8.elementsEqual(other.utf8) { Grammar.lowercased($0) == Grammar.lowercased($1) }
  }

  /// Returns the text without surrounding blanks and tabs (`OWS`, RFC 9110 §5.6.3).
  func trimmingBlanks() -> String {
    var bytes = Substring(self).utf8
    while let first = bytes.first, Grammar.isBlank(first) { bytes.removeFirst() }
    while let last = bytes.last, Grammar.isBlank(last) { bytes.removeLast() }
    return String(Substring(bytes))
  }
}

extension String {
  /// Returns true if two texts are equal except for the case of ASCII letters. Faster than the generic function.
  func equalsIgnoringCase(_ other: String) -> Bool {
    let count = utf8.count
    // Most texts that are compared here differ in length. So the lengths are compared first: getting a length costs much less
    // than getting a span.
    guard count == other.utf8.count else { return false }
    let (bytes, others) = (utf8.span, other.utf8.span)
    for index in 0..<count where Grammar.lowercased(bytes[index]) != Grammar.lowercased(others[index]) {
      return false
    }
    return true
  }

  /// The text as Latin-1 bytes; nil if it has a character that Latin-1 lacks.
  var latin1Bytes: [UInt8]? {
    var bytes: [UInt8] = []
    for scalar in unicodeScalars {
      guard let byte = UInt8(exactly: scalar.value) else { return nil }
      bytes.append(byte)
    }
    return bytes
  }

  /// Decodes bytes as Latin-1: byte 0xE9 becomes U+00E9, so that no byte is lost or invalid.
  init(latin1 bytes: some Collection<UInt8>) {
    if bytes.allSatisfy({ $0 < 0x80 }) {
      self.init(decoding: bytes, as: UTF8.self)
    } else {
      self.init(String.UnicodeScalarView(bytes.lazy.map { Unicode.Scalar($0) }))
    }
  }
}

extension Span where Element == UInt8 {
  /// Returns true if all bytes satisfy `predicate`. For a `String`, this takes a fraction of the time of `utf8.allSatisfy`.
  @inline(__always)
  func allSatisfy(_ predicate: (UInt8) -> Bool) -> Bool {
    for index in indices where !predicate(self[index]) { return false }
    return true
  }
}

extension [UInt8] {
  /// Appends the bytes of a span.
  mutating func append(copying bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }

  /// Appends text as Latin-1. CR, LF, NUL and other control characters are written as blanks (RFC 9110 §5.5), so that a value
  /// can never become two fields. A character that Latin-1 lacks is written as `?`.
  mutating func appendFieldText(_ text: String) {
    // Nearly all texts are ASCII without control characters, and are copied as they are.
    let bytes = text.utf8.span
    guard !bytes.allSatisfy({ $0 >= Grammar.space && $0 < 0x7F }) else {
      append(copying: bytes)
      return
    }
    for scalar in text.unicodeScalars {
      guard let byte = UInt8(exactly: scalar.value) else {
        append(0x3F)
        continue
      }
      append(Grammar.isFieldContent(byte) ? byte : Grammar.space)
    }
  }
}
