/// Reads XML 1.0, as much of it as drawings are written in, in bounds that the file cannot choose.
///
/// Elements, attributes, characters, comments, CDATA, processing instructions, and entities that the file itself declares
/// for text. Nothing outside of the file is ever read, whatever it declares.
struct MarkupReader {
  static let maximumBytes = 16_777_216
  static let maximumElements = 200_000
  static let maximumDepth = 256

  private let bytes: [UInt8]
  private var position = 0
  private var line = 1
  private var entities = MarkupEntities()
  private var elementCount = 0
  private var open: [MarkupElement] = []
  /// Names as they were written, for the end tags.
  private var openNames: [String] = []

  private init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Reads a document; returns its one outermost element.
  static func read(_ bytes: [UInt8]) throws(MarkupError) -> MarkupElement {
    guard bytes.count <= maximumBytes else { throw .tooLarge(limit: maximumBytes, actual: bytes.count) }
    if bytes.starts(with: [0x1F, 0x8B]) { throw .compressed }
    guard String(validating: bytes, as: UTF8.self) != nil else { throw .notUTF8 }
    if let index = bytes.firstIndex(where: { !isCharacter(UInt32($0)) }) {
      let line = 1 + bytes[..<index].count { $0 == 0x0A }
      throw .noCharacter("\(bytes[index])", line: line)
    }
    var reader = MarkupReader(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes)
    return try reader.document()
  }

  /// Whether XML has such a character (XML 1.0, section 2.2): of the controls only three.
  static func isCharacter(_ number: UInt32) -> Bool {
    number >= 0x20 ? number != 0xFFFE && number != 0xFFFF : [0x09, 0x0A, 0x0D].contains(number)
  }

  private mutating func document() throws(MarkupError) -> MarkupElement {
    var root: MarkupElement?
    while position < bytes.count {
      if open.isEmpty {
        skipSpace()
        guard position < bytes.count else { break }
        guard bytes[position] == UInt8(ascii: "<") else { throw unexpected("a tag") }
      } else {
        try characters()
        guard position < bytes.count else { break }
      }
      if let ended = try tag() {
        guard root == nil else {
          throw .unexpected("a second element", expected: "the end", line: ended.line)
        }
        root = ended
      } else if root != nil, !open.isEmpty {
        throw .unexpected("a second element", expected: "the end", line: line)
      }
    }
    if let name = openNames.last { throw .endsWithin("<\(name)>", line: open.last?.line ?? line) }
    guard let root else { throw .nothing }
    return root
  }

  /// Whatever begins with `<`; returns the outermost element when it ends.
  private mutating func tag() throws(MarkupError) -> MarkupElement? {
    if skip("<!--") {
      try skip(behind: "-->", within: "a comment")
    } else if skip("<![CDATA[") {
      guard !open.isEmpty else { throw unexpected("an element") }
      let start = position
      try skip(behind: "]]>", within: "<![CDATA[")
      open[open.count - 1].append(String(decoding: bytes[start..<(position - 3)], as: UTF8.self))
    } else if skip("<?") {
      try skip(behind: "?>", within: "<?")
    } else if skip("<!DOCTYPE") {
      guard open.isEmpty, elementCount == 0 else { throw unexpected("an element") }
      try documentType()
    } else if skip("</") {
      return try endTag()
    } else {
      position += 1
      return try startTag()
    }
    return nil
  }

  private mutating func startTag() throws(MarkupError) -> MarkupElement? {
    let began = line
    let written = try name("an element's name")
    elementCount += 1
    guard elementCount <= Self.maximumElements else {
      throw .tooMany(limit: Self.maximumElements, line: began)
    }
    var attributes: [String: String] = [:]
    var names: Set<String> = []
    while true {
      let hadSpace = skipSpace()
      guard position < bytes.count else { throw .endsWithin("<\(written)>", line: began) }
      let isEmpty = skip("/>")
      if isEmpty || skip(">") {
        let element = MarkupElement(name: Self.local(written), attributes: attributes, line: began)
        return try begin(element, written, isEmpty: isEmpty)
      }
      guard hadSpace else { throw unexpected("a space, or the end of <\(written)>") }
      let attribute = try name("an attribute of <\(written)>, or its end")
      skipSpace()
      guard skip("=") else { throw unexpected("= behind \(attribute)") }
      skipSpace()
      let value = try quoted("the value of \(attribute)")
      // Names of namespaces are not looked at: `xmlns:x` is no `x`.
      let local = attribute.hasPrefix("xmlns") ? attribute : Self.local(attribute)
      guard names.insert(attribute).inserted else { throw .twice(attribute, line: line) }
      // `href` goes before `xlink:href`, wherever it stands.
      if attributes[local] == nil || attribute == local { attributes[local] = value }
    }
  }

  private mutating func begin(
    _ element: MarkupElement, _ written: String, isEmpty: Bool
  ) throws(MarkupError) -> MarkupElement? {
    guard !isEmpty else { return close(element) }
    guard open.count < Self.maximumDepth else { throw .tooDeep(limit: Self.maximumDepth, line: element.line) }
    open.append(element)
    openNames.append(written)
    return nil
  }

  private mutating func endTag() throws(MarkupError) -> MarkupElement? {
    let ended = try name("an element's name")
    skipSpace()
    guard skip(">") else { throw unexpected("the end of </\(ended)>") }
    guard let element = open.last, let name = openNames.last else {
      throw .unexpected("</\(ended)>", expected: "an element", line: line)
    }
    guard name == ended else { throw .wrongEnd(ended, open: name, openedAt: element.line, line: line) }
    open.removeLast()
    openNames.removeLast()
    return close(element)
  }

  private mutating func close(_ element: MarkupElement) -> MarkupElement? {
    guard !open.isEmpty else { return element }
    open[open.count - 1].append(element)
    return nil
  }

  /// The characters before the next tag.
  private mutating func characters() throws(MarkupError) {
    let start = position
    while position < bytes.count, bytes[position] != UInt8(ascii: "<") { step() }
    guard start < position else { return }
    let text = try entities.resolved(bytes[start..<position], line: line)
    open[open.count - 1].append(text)
  }

  /// A value between quotes of either kind.
  private mutating func quoted(_ what: String) throws(MarkupError) -> String {
    let began = line
    guard position < bytes.count,
      bytes[position] == UInt8(ascii: "\"") || bytes[position] == UInt8(ascii: "'")
    else {
      throw unexpected("\(what) in quotes")
    }
    let quote = bytes[position]
    position += 1
    let start = position
    while position < bytes.count, bytes[position] != quote { step() }
    guard position < bytes.count else { throw .endsWithin(what, line: began) }
    let value = bytes[start..<position]
    position += 1
    return try entities.resolved(value, line: began)
  }

  /// `<!DOCTYPE …>`: only entities for text count.
  private mutating func documentType() throws(MarkupError) {
    let began = line
    var isWithin = false
    while position < bytes.count {
      if skip("<!--") {
        try skip(behind: "-->", within: "a comment")
      } else if skip("<!ENTITY") {
        try entity()
      } else if bytes[position] == UInt8(ascii: "\"") || bytes[position] == UInt8(ascii: "'") {
        try skipQuoted()
      } else if skip("[") {
        isWithin = true
      } else if skip("]") {
        isWithin = false
      } else if !isWithin, skip(">") {
        return
      } else {
        step()
      }
    }
    throw .endsWithin("<!DOCTYPE", line: began)
  }

  private mutating func entity() throws(MarkupError) {
    skipSpace()
    // Parameters are for the declarations themselves, of which none counts here.
    let isParameter = skip("%")
    skipSpace()
    let name = try name("an entity's name")
    skipSpace()
    if skip("SYSTEM") || skip("PUBLIC") {
      if !isParameter { entities.declareOutside(name) }
    } else {
      let began = position
      try skipQuoted()
      if !isParameter { entities.declare(name, as: bytes[(began + 1)..<(position - 1)]) }
    }
  }

  private mutating func skipQuoted() throws(MarkupError) {
    guard let quote = bytes[position...].first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
    else {
      throw unexpected("a value in quotes")
    }
    let began = line
    position += 1
    while position < bytes.count, bytes[position] != quote { step() }
    guard position < bytes.count else { throw .endsWithin("<!DOCTYPE", line: began) }
    position += 1
  }

  private mutating func name(_ expected: String) throws(MarkupError) -> String {
    let start = position
    while position < bytes.count, Self.isName(bytes[position]) { position += 1 }
    guard start < position, !(UInt8(ascii: "-")...UInt8(ascii: "9")).contains(bytes[start]) else {
      position = start
      throw unexpected(expected)
    }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private static func isName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x80...0xFF: true
    case UInt8(ascii: "0")...UInt8(ascii: "9"): true
    case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: ":"): true
    default: false
    }
  }

  private static func local(_ name: String) -> String {
    name.firstIndex(of: ":").map { String(name[name.index(after: $0)...]) } ?? name
  }

  @discardableResult
  private mutating func skipSpace() -> Bool {
    let start = position
    while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) { step() }
    return start < position
  }

  private mutating func skip(_ text: String) -> Bool {
    guard bytes[position...].starts(with: text.utf8) else { return false }
    position += text.utf8.count
    return true
  }

  private mutating func skip(behind end: String, within what: String) throws(MarkupError) {
    let began = line
    while position < bytes.count {
      if skip(end) { return }
      step()
    }
    throw .endsWithin(what, line: began)
  }

  private mutating func step() {
    if bytes[position] == 0x0A { line += 1 }
    position += 1
  }

  private func unexpected(_ expected: String) -> MarkupError {
    guard position < bytes.count else { return .endsWithin(expected, line: line) }
    let shown = bytes[position...].prefix { $0 >= 0x20 }.prefix(16)
    let found = shown.isEmpty ? "a line's end" : "\"\(String(decoding: shown, as: UTF8.self))\""
    return .unexpected(found, expected: expected, line: line)
  }
}
