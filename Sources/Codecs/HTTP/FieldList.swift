/// One header or trailer field (RFC 9110 §5): a case-insensitive name, and a value without surrounding blanks.
package struct Field: Equatable, Sendable {
  package let name: String
  /// The value. Bytes above 0x7F are Latin-1 characters, so that no byte of a peer is lost (obs-text, RFC 9110 §5.5).
  package let value: String

  /// Creates a field.
  ///
  /// - Parameters:
  ///   - name: a token (checked).
  ///   - value: any text; characters that are not allowed in a field are replaced when the field is written.
  package init(name: String, value: String) {
    precondition(
      !name.isEmpty && name.utf8.span.allSatisfy(Grammar.isToken), "a field's name must be a token")
    self.init(token: name, value: value)
  }

  /// Creates a field whose name was parsed as a token.
  init(token name: String, value: String) {
    self.name = name
    self.value = value
  }
}

/// Header fields in the order of the message. A list, not a dictionary, because a second `Content-Length` must be visible, so
/// that it can be refused.
package struct FieldList: Equatable, Sendable {
  private var fields: [Field] = []

  package init() {}

  package init(_ fields: some Sequence<Field>) {
    self.fields = Array(fields)
  }

  /// The names and values of all fields, in order.
  package var pairs: [(name: String, value: String)] { fields.map { (name: $0.name, value: $0.value) } }

  /// Returns the value of the first field of this name; nil if there is none.
  package func first(_ name: String) -> String? {
    fields.first { $0.name.equalsIgnoringCase(name) }?.value
  }

  /// Returns the values of all fields of this name, in order.
  package func all(_ name: String) -> [String] {
    fields.lazy.filter { $0.name.equalsIgnoringCase(name) }.map(\.value)
  }

  /// Returns the elements of the comma-separated lists of all fields of this name (RFC 9110 §5.6.1), without surrounding
  /// blanks. Empty elements are omitted. A comma inside a quoted string does not separate.
  package func tokens(of name: String) -> [String] {
    all(name).flatMap { Self.elements(of: $0, limit: .max) }
  }

  /// Returns the same elements as `tokens(of:)`; nil if there are more than `limit` elements. Stops reading after the first
  /// element above the limit.
  package func tokens(of name: String, limit: Int) -> [String]? {
    var found: [String] = []
    for value in all(name) {
      found += Self.elements(of: value, limit: limit - found.count)
      guard found.count <= limit else { return nil }
    }
    return found
  }

  /// Returns true if the lists in the fields of this name contain a token. The case of ASCII letters is ignored.
  package func contains(_ token: String, in name: String) -> Bool {
    tokens(of: name).contains { $0.equalsIgnoringCase(token) }
  }

  /// Appends a field; other fields of this name stay.
  package mutating func append(_ name: String, _ value: String) {
    fields.append(Field(name: name, value: value))
  }

  /// Replaces all fields of this name by one.
  package mutating func set(_ name: String, _ value: String) {
    remove(name)
    append(name, value)
  }

  /// Allocates memory for `count` fields.
  mutating func reserveCapacity(_ count: Int) {
    fields.reserveCapacity(count)
  }

  /// Appends a parsed field.
  mutating func append(_ field: Field) {
    fields.append(field)
  }

  /// Removes all fields of this name.
  package mutating func remove(_ name: String) {
    fields.removeAll { $0.name.equalsIgnoringCase(name) }
  }

  /// Appends the fields as they are in a message: each line ends with CRLF. The empty line after the last field is not
  /// appended.
  package func append(to bytes: inout [UInt8]) {
    for field in fields {
      bytes.append(copying: field.name.utf8.span)
      bytes.append(copying: ": ".utf8.span)
      bytes.appendFieldText(field.value)
      bytes.append(copying: "\r\n".utf8.span)
    }
  }

  /// Returns the elements of one comma-separated list; commas inside quoted strings do not separate (RFC 9110 §5.6.4). Stops
  /// after `limit` + 1 elements.
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
  /// Creates a list of names and values in order; a name may occur more than once.
  package init(dictionaryLiteral elements: (String, String)...) {
    self.init(elements.map { Field(name: $0.0, value: $0.1) })
  }
}
