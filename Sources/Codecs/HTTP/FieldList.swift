/// One header or trailer field (RFC 9110 §5): a name, whose case does not count, and a value without blanks around it.
package struct Field: Equatable, Sendable {
  package let name: String
  /// Bytes above 0x7F are Latin-1 characters, so that nothing a peer sent is lost (obs-text, RFC 9110 §5.5).
  package let value: String

  /// - Parameters:
  ///   - name: a token; that is the caller's promise and checked.
  ///   - value: any text; what cannot stand in a field is replaced when it is written.
  package init(name: String, value: String) {
    precondition(!name.isEmpty && name.utf8.allSatisfy(Grammar.isToken), "a field's name is a token")
    self.init(token: name, value: value)
  }

  /// A field whose name is known to be a token, because it was read as one.
  init(token name: String, value: String) {
    self.name = name
    self.value = value
  }
}

/// Header fields in the order they stand in the message. A list and no dictionary: a second `Content-Length` must be
/// seen to be refused.
package struct FieldList: Equatable, Sendable {
  private var fields: [Field] = []

  package init() {}

  package init(_ fields: some Sequence<Field>) {
    self.fields = Array(fields)
  }

  /// The value of the first field of that name; nil when there is none.
  package func first(_ name: String) -> String? {
    fields.first { $0.name.equalsIgnoringCase(name) }?.value
  }

  /// The values of all fields of that name, in order.
  package func all(_ name: String) -> [String] {
    fields.lazy.filter { $0.name.equalsIgnoringCase(name) }.map(\.value)
  }

  /// The elements of the comma lists of all fields of that name (RFC 9110 §5.6.1), without blanks around them and
  /// without empty ones. A comma inside a quoted string does not separate.
  package func tokens(of name: String) -> [String] {
    all(name).flatMap { Self.elements(of: $0, limit: .max) }
  }

  /// The same, unless there are more of them than `limit`: then nil, and the rest is not looked at.
  package func tokens(of name: String, limit: Int) -> [String]? {
    var found: [String] = []
    for value in all(name) {
      found += Self.elements(of: value, limit: limit - found.count)
      guard found.count <= limit else { return nil }
    }
    return found
  }

  /// Whether the comma lists of that name hold that token; case does not count.
  package func contains(_ token: String, in name: String) -> Bool {
    tokens(of: name).contains { $0.equalsIgnoringCase(token) }
  }

  /// Adds a field at the end; others of that name stay.
  package mutating func append(_ name: String, _ value: String) {
    fields.append(Field(name: name, value: value))
  }

  /// Puts one field in the place of all of that name.
  package mutating func set(_ name: String, _ value: String) {
    remove(name)
    append(name, value)
  }

  /// Adds a field at the end, as it was read.
  mutating func append(_ field: Field) {
    fields.append(field)
  }

  /// Takes out all fields of that name.
  package mutating func remove(_ name: String) {
    fields.removeAll { $0.name.equalsIgnoringCase(name) }
  }

  /// Appends the fields as they stand in a message, each line with its CRLF, without the empty line after them.
  package func append(to bytes: inout [UInt8]) {
    for field in fields {
      bytes.append(contentsOf: field.name.utf8)
      bytes.append(contentsOf: ": ".utf8)
      bytes.appendFieldText(field.value)
      bytes.append(contentsOf: "\r\n".utf8)
    }
  }

  /// The elements of one comma list; commas inside quoted strings do not separate (RFC 9110 §5.6.4). Of more than `limit` there
  /// is one too many.
  private static func elements(of list: String, limit: Int) -> [String] {
    var elements: [String] = []
    var start = list.utf8.startIndex
    var isQuoted = false
    var isEscaped = false
    func close(at end: String.Index) {
      let element = list[start..<end].trimmingBlanks()
      if !element.isEmpty { elements.append(element) }
    }
    for index in list.utf8.indices {
      switch list.utf8[index] {
      case _ where isEscaped:
        isEscaped = false
      case 0x5C where isQuoted:
        isEscaped = true
      case 0x22:
        isQuoted.toggle()
      case Grammar.comma where !isQuoted:
        close(at: index)
        guard elements.count <= limit else { return elements }
        start = list.utf8.index(after: index)
      default:
        break
      }
    }
    close(at: list.utf8.endIndex)
    return elements
  }
}

extension FieldList: RandomAccessCollection {
  package var startIndex: Int { fields.startIndex }
  package var endIndex: Int { fields.endIndex }
  package subscript(position: Int) -> Field { fields[position] }
}

extension FieldList: ExpressibleByDictionaryLiteral {
  /// Names and values in order; a name may stand there more than once.
  package init(dictionaryLiteral elements: (String, String)...) {
    self.init(elements.map { Field(name: $0.0, value: $0.1) })
  }
}
