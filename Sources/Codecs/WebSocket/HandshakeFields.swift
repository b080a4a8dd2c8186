/// A field of a handshake as it arrived: the name in any case. Repeated fields stay separate.
package typealias HandshakeField = (name: String, value: String)

/// Returns the values of every field of this name.
func values(of name: String, in fields: [HandshakeField]) -> [String] {
  var found: [String] = []
  for field in fields where isNamed(field, name) { found.append(field.value) }
  return found
}

/// Returns the elements of the comma-separated lists in all fields of this name. Omits empty elements (RFC 9110 §5.6.1).
func listElements(of name: String, in fields: [HandshakeField]) -> [String] {
  var elements: [String] = []
  for value in values(of: name, in: fields) {
    // Most fields have one element, and splitting such a field would take 1,000 instructions.
    guard hasComma(value) else {
      let element = trimmed(value)
      if !element.isEmpty { elements.append(element) }
      continue
    }
    for part in value.utf8.split(separator: UInt8(ascii: ",")) {
      let element = trimmed(Substring(part))
      if !element.isEmpty { elements.append(element) }
    }
  }
  return elements
}

/// Returns true if a comma-separated list in a field of this name contains the token (RFC 9110 §5.6.1). Allocates no memory for
/// the elements.
func hasElement(_ token: String, of name: String, in fields: [HandshakeField]) -> Bool {
  for field in fields where isNamed(field, name) {
    let bytes = field.value.utf8.span
    var start = 0
    for end in 0...bytes.count where end == bytes.count || bytes[end] == UInt8(ascii: ",") {
      var (first, last) = (start, end)
      while first < last, isBlank(bytes[first]) { first += 1 }
      while first < last, isBlank(bytes[last - 1]) { last -= 1 }
      if equalsIgnoringCase(bytes.extracting(first..<last), token) { return true }
      start = end + 1
    }
  }
  return false
}

/// Returns text without surrounding spaces and tabs (RFC 9110 §5.6.3).
func trimmed(_ text: some StringProtocol) -> String {
  var bytes = Substring(text).utf8
  if let first = bytes.first, let last = bytes.last, !isBlank(first), !isBlank(last) { return String(text) }
  while let first = bytes.first, isBlank(first) { bytes.removeFirst() }
  while let last = bytes.last, isBlank(last) { bytes.removeLast() }
  return String(Substring(bytes))
}

private func hasComma(_ text: String) -> Bool {
  let bytes = text.utf8.span
  for index in bytes.indices where bytes[index] == UInt8(ascii: ",") { return true }
  return false
}

private func isNamed(_ field: HandshakeField, _ name: String) -> Bool {
  // Most names that are compared here differ in length. So the lengths are compared first: getting a length costs much less
  // than getting a span.
  field.name.utf8.count == name.utf8.count && equalsIgnoringCase(field.name.utf8.span, name)
}

/// Returns true if the bytes are the token, ignoring the case of ASCII letters.
private func equalsIgnoringCase(_ bytes: Span<UInt8>, _ token: String) -> Bool {
  let other = token.utf8.span
  guard bytes.count == other.count else { return false }
  for index in bytes.indices where lowercased(bytes[index]) != lowercased(other[index]) { return false }
  return true
}

private func lowercased(_ byte: UInt8) -> UInt8 {
  byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
}

private func isBlank(_ byte: UInt8) -> Bool {
  byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
}

/// Returns true if a text is a token. The name of a subprotocol must be a token (RFC 6455 §4.1).
func isToken(_ text: String) -> Bool {
  !text.isEmpty && text.utf8.allSatisfy(isTokenByte)
}

/// Returns the value of `Sec-WebSocket-Accept` for a client's key (RFC 6455 §4.2.2).
func acceptValue(forKey key: String) -> String {
  var bytes: [UInt8] = []
  bytes.reserveCapacity(60)
  bytes.append(contentsOf: key.utf8)
  bytes.append(contentsOf: "258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8)
  return base64(sha1(bytes))
}
