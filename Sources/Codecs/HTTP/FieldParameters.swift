/// The parameters of a field's value: `; name=token; name="quoted"` (RFC 9110 §5.6.6).
struct FieldParameters: Sendable {
  /// The parameters in order. Names are in lower case; values have no quotation marks and no escapes.
  private(set) var all: [(name: String, value: [UInt8])] = []

  /// The maximum number of parameters. No field needs so many. Without a limit, the search for repeated names would take
  /// quadratic time.
  private static let limit = 32

  private var rest: ArraySlice<UInt8>

  /// Parses the parameters after the first part of a value. Skips empty parameters (`;;`). Returns nil for malformed text and
  /// for more than 32 parameters. Returns nil for a repeated name too, because two readers could use different values.
  ///
  /// - Parameters:
  ///   - bytes: the text from the first `;`, or the blanks before it, to the end.
  ///   - allowsBlanks: true if blanks are allowed around `=`, as in older grammars.
  init?(_ bytes: ArraySlice<UInt8>, allowsBlanks: Bool = false) {
    rest = bytes
    skipBlanks()
    while let separator = rest.popFirst() {
      guard separator == Grammar.semicolon else { return nil }
      skipBlanks()
      let name = readToken()
      guard !name.isEmpty else { continue }
      if allowsBlanks { skipBlanks() }
      guard rest.popFirst() == Grammar.equals else { return nil }
      if allowsBlanks { skipBlanks() }
      guard let value = rest.first == Grammar.quotationMark ? readQuoted() : readValue(),
        self[name] == nil, all.count < Self.limit
      else { return nil }
      all.append((name, value))
      skipBlanks()
    }
  }

  /// The value of a parameter; the name must be in lower case.
  subscript(name: String) -> [UInt8]? {
    all.first { $0.name == name }?.value
  }

  private mutating func skipBlanks() {
    rest = rest.drop(while: Grammar.isBlank)
  }

  private mutating func readToken() -> String {
    let token = rest.prefix(while: Grammar.isToken)
    rest = rest[token.endIndex...]
    return String(decoding: token.map(Grammar.lowercased), as: UTF8.self)
  }

  private mutating func readValue() -> [UInt8]? {
    let token = rest.prefix(while: Grammar.isToken)
    rest = rest[token.endIndex...]
    return token.isEmpty ? nil : Array(token)
  }

  /// Reads the text between quotation marks, in which a backslash makes the next byte literal (§5.6.4).
  private mutating func readQuoted() -> [UInt8]? {
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
