/// What `&name;` and `&#…;` stand for in one document.
struct MarkupEntities {
  /// What is behind all references in a document may be so long: entities in entities grow by themselves.
  static let maximumBytes = 1_048_576
  private static let maximumDepth = 8

  private var declared: [String: [UInt8]] = [:]
  private var outside: Set<String> = []
  private var resolvedBytes = 0

  /// Takes a declaration; of several for one name the first holds (XML 1.0, section 4.2).
  mutating func declare(_ name: String, as value: ArraySlice<UInt8>) {
    if declared[name] == nil, !outside.contains(name) { declared[name] = Array(value) }
  }

  /// Takes the declaration of an entity that is in another file.
  mutating func declareOutside(_ name: String) {
    if declared[name] == nil { outside.insert(name) }
  }

  /// Characters with what their references stand for.
  ///
  /// - Parameters:
  ///   - bytes: UTF-8.
  ///   - line: where they are, for errors.
  /// - Returns: the same as text.
  /// - Throws: `MarkupError` for a reference that stands for nothing, and for too much.
  mutating func resolved(_ bytes: ArraySlice<UInt8>, line: Int) throws(MarkupError) -> String {
    guard bytes.contains(UInt8(ascii: "&")) else { return String(decoding: bytes, as: UTF8.self) }
    var text: [UInt8] = []
    try resolve(bytes, line: line, depth: 0, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  private mutating func resolve(
    _ bytes: ArraySlice<UInt8>, line: Int, depth: Int, to text: inout [UInt8]
  ) throws(MarkupError) {
    var rest = bytes
    while let ampersand = rest.firstIndex(of: UInt8(ascii: "&")) {
      text += rest[..<ampersand]
      rest = rest[(ampersand + 1)...]
      guard let end = rest.prefix(256).firstIndex(of: UInt8(ascii: ";")) else {
        let shown = "\"&\(String(decoding: rest.prefix(12), as: UTF8.self))\""
        throw .unexpected(shown, expected: "&amp; or an entity", line: line)
      }
      let name = String(decoding: rest[..<end], as: UTF8.self)
      rest = rest[(end + 1)...]
      if name.hasPrefix("#") {
        text += try character(String(name.dropFirst()), line: line).utf8
      } else if let plain = Self.plain[name] {
        text.append(plain)
      } else {
        guard let value = declared[name] else {
          throw outside.contains(name) ? .outsideEntity(name, line: line) : .unknownEntity(name, line: line)
        }
        resolvedBytes += value.count
        guard depth < Self.maximumDepth, resolvedBytes <= Self.maximumBytes else {
          throw .tooMuchInEntities(limit: Self.maximumBytes, line: line)
        }
        try resolve(value[...], line: line, depth: depth + 1, to: &text)
      }
    }
    text += rest
  }

  private static let plain: [String: UInt8] = [
    "amp": UInt8(ascii: "&"), "lt": UInt8(ascii: "<"), "gt": UInt8(ascii: ">"), "quot": UInt8(ascii: "\""),
    "apos": UInt8(ascii: "'"),
  ]

  private func character(_ text: String, line: Int) throws(MarkupError) -> String {
    let number = text.hasPrefix("x") ? UInt32(text.dropFirst(), radix: 16) : UInt32(text, radix: 10)
    guard let number, MarkupReader.isCharacter(number), let scalar = Unicode.Scalar(number) else {
      throw .noCharacter(text, line: line)
    }
    return String(scalar)
  }
}
