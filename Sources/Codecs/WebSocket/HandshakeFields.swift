/// A field of a handshake as it arrived: the name in any case. Repeated fields stay separate.
package typealias HandshakeField = (name: String, value: String)

/// Returns the values of every field of this name, which must be in lower case.
func values(of name: String, in fields: [HandshakeField]) -> [String] {
  fields.compactMap { field in
    field.name.utf8.count == name.utf8.count && field.name.lowercased() == name ? field.value : nil
  }
}

/// Returns the elements of the comma-separated lists in all fields of this name. Omits empty elements (RFC 9110 §5.6.1).
func listElements(of name: String, in fields: [HandshakeField]) -> [String] {
  values(of: name, in: fields).flatMap { value in
    value.split(separator: ",").map(trimmed).filter { !$0.isEmpty }
  }
}

/// Returns text without surrounding spaces and tabs (RFC 9110 §5.6.3).
func trimmed(_ text: some StringProtocol) -> String {
  let isSpace = { (scalar: UnicodeScalar) in scalar == " " || scalar == "\t" }
  let scalars = text.unicodeScalars.drop(while: isSpace)
  guard let last = scalars.lastIndex(where: { !isSpace($0) }) else { return "" }
  return String(String.UnicodeScalarView(scalars[...last]))
}

/// Returns true for a token, as the name of a subprotocol must be (RFC 6455 §4.1).
func isToken(_ text: String) -> Bool {
  !text.isEmpty && text.utf8.allSatisfy(isTokenByte)
}

/// Returns the value of `Sec-WebSocket-Accept` for a client's key (RFC 6455 §4.2.2).
func acceptValue(forKey key: String) -> String {
  base64(sha1(Array("\(key)258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8)))
}
