/// Removes comments and insignificant blanks from a style sheet.
///
/// A comment next to a space, a line break or the end of the file is omitted. Other comments stay: in `.a/**/.b`, for example, a
/// space instead of the comment would change the meaning. A style sheet is not changed if a comment, a string or a `url(` has no
/// end, or if a name has an escape that may include a space (CSS Syntax 3 §4.3.7).
struct StyleMinifier {
  /// The error for a text that is not a style sheet, or whose meaning only a parser can determine.
  private struct Unclear: Error {}

  private var text: MinifiedText
  private var index = 0

  private var source: [UInt8] { text.source }

  /// Returns the sheet without comments and indentation; nil if the file must be served unchanged. The line numbers stay the
  /// same.
  static func minified(_ source: [UInt8]) -> [UInt8]? {
    var minifier = StyleMinifier(text: MinifiedText(of: source))
    do throws(Unclear) {
      while minifier.index < source.count { try minifier.takeToken() }
    } catch {
      return nil
    }
    return minifier.text.finish()
  }

  private mutating func takeToken() throws(Unclear) {
    let byte = source[index]
    switch byte {
    case UInt8(ascii: "/") where source.has("/*", at: index): try takeComment()
    case UInt8(ascii: "'"), UInt8(ascii: "\""): try takeString(endedBy: byte)
    case UInt8(ascii: " "), UInt8(ascii: "\t"): takeBlanks()
    case _ where isName(byte): try takeName()
    default: index += 1
    }
  }

  /// Omits blanks at the edge of a line and next to the characters that this function lists. Keeps all other blanks, because they
  /// have a meaning between selectors and within values.
  private mutating func takeBlanks() {
    let blanks = index..<text.endOfBlanks(from: index)
    index = blanks.upperBound
    let isSeparated =
      text.lastByte(before: blanks.lowerBound).map { "{};,: \t".utf8.contains($0) } ?? true
      || source[index...].first.map { "{};,".utf8.contains($0) } ?? true
    if text.areAtLineEdge(blanks) || isSeparated { text.leaveOut(blanks: blanks) }
  }

  private mutating func takeComment() throws(Unclear) {
    guard let end = source.firstIndex(of: "*/", from: index + 2) else { throw Unclear() }
    let comment = index..<end + 2
    index = end + 2
    let touches = source[..<comment.lowerBound].last.map { !$0.isSpace } ?? false
    let isTouched = source[index...].first.map { !$0.isSpace } ?? false
    if !(touches && isTouched), !text.mustStay(comment) { text.leaveOut(comment: comment) }
  }

  private mutating func takeString(endedBy quote: UInt8) throws(Unclear) {
    index += 1
    while true {
      let byte = try takeCharacter()
      if byte == quote { return }
      guard !byte.isLineBreak, byte != 0x0C else { throw Unclear() }
    }
  }

  /// Consumes a name. If the name is `url(` with an unquoted URL, also consumes the URL, in which `/*` does not begin a comment
  /// (CSS Syntax 3 §4.3.6).
  private mutating func takeName() throws(Unclear) {
    let start = index
    var hasEscape = false
    while index < source.count, isName(source[index]) {
      let byte = try takeCharacter()
      if byte == UInt8(ascii: "\\") {
        hasEscape = true
        guard index <= source.count, !source[index - 1].isHexDigit else { throw Unclear() }
      }
    }
    guard source.has("(", at: index) else { return }
    guard !hasEscape else { throw Unclear() }
    let isAddress = source[start..<index].elementsEqual("url".utf8) { $0 | 0x20 == $1 }
    guard isAddress, start == 0 || !"#@".utf8.contains(source[start - 1]) else { return }
    let content = source[(index + 1)...].firstIndex { !$0.isSpace && $0 != 0x0C } ?? source.count
    index = content
    if source.has("'", at: content) || source.has("\"", at: content) { return }
    while try takeCharacter() != UInt8(ascii: ")") {}
  }

  /// Consumes the next character. After a backslash, also consumes the escaped character.
  private mutating func takeCharacter() throws(Unclear) -> UInt8 {
    guard index < source.count else { throw Unclear() }
    let byte = source[index]
    index += byte == UInt8(ascii: "\\") ? source.has("\r\n", at: index + 1) ? 3 : 2 : 1
    return byte
  }

  private func isName(_ byte: UInt8) -> Bool {
    byte.isWordCharacter || byte >= 0x80 || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "\\")
  }
}

extension UInt8 {
  fileprivate var isHexDigit: Bool {
    isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self | 0x20)
  }
}
