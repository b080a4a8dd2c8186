/// The parameters of a field's value: `; name=token; name="quoted"` (RFC 9110 §5.6.6).
struct FieldParameters: Sendable {
  /// Names in lower case, and values without quotation marks and escapes, in the order they stand there.
  private(set) var all: [(name: String, value: [UInt8])] = []

  /// More than any field has a use for; each is compared with all before it.
  private static let limit = 32

  private var rest: ArraySlice<UInt8>

  /// Reads all that follows the value's first part. Empty parameters (`;;`) are passed over; nil for anything malformed
  /// and for a name that is there twice, of which two readers could take different ones, and for more than 32 parameters.
  ///
  /// - Parameters:
  ///   - bytes: from the first `;`, or the blanks before it, to the end.
  ///   - allowsBlanks: whether blanks may stand around `=`, as older grammars have it.
  init?(_ bytes: ArraySlice<UInt8>, allowsBlanks: Bool = false) {
    rest = bytes
    skipBlanks()
    while let separator = rest.popFirst() {
      guard separator == Grammar.semicolon else { return nil }
      skipBlanks()
      let name = takeToken()
      guard !name.isEmpty else { continue }
      if allowsBlanks { skipBlanks() }
      guard rest.popFirst() == Grammar.equals else { return nil }
      if allowsBlanks { skipBlanks() }
      guard let value = rest.first == Grammar.quotationMark ? takeQuoted() : takeValue(),
        self[name] == nil, all.count < Self.limit
      else { return nil }
      all.append((name, value))
      skipBlanks()
    }
  }

  /// The value of a parameter, whose name is given in lower case.
  subscript(name: String) -> [UInt8]? {
    all.first { $0.name == name }?.value
  }

  private mutating func skipBlanks() {
    rest = rest.drop(while: Grammar.isBlank)
  }

  private mutating func takeToken() -> String {
    let token = rest.prefix(while: Grammar.isToken)
    rest = rest[token.endIndex...]
    return String(decoding: token.map(Grammar.lowercased), as: UTF8.self)
  }

  private mutating func takeValue() -> [UInt8]? {
    let token = rest.prefix(while: Grammar.isToken)
    rest = rest[token.endIndex...]
    return token.isEmpty ? nil : Array(token)
  }

  /// §5.6.4: what is between quotation marks; a backslash makes the next byte stand for itself.
  private mutating func takeQuoted() -> [UInt8]? {
    rest.removeFirst()
    var value: [UInt8] = []
    while var byte = rest.popFirst() {
      if byte == Grammar.quotationMark { return value }
      if byte == Grammar.backslash {
        guard let escaped = rest.popFirst() else { return nil }
        byte = escaped
      }
      guard Grammar.isFieldContent(byte) else { return nil }
      value.append(byte)
    }
    return nil
  }
}
