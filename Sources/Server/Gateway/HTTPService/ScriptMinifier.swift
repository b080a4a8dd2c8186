/// Removes comments and insignificant blanks from a JavaScript file.
///
/// The minifier scans the tokens of the language (ECMA-262 §12), to distinguish a comment from the content of a string, a
/// template or a regular expression. It does not change a file that it cannot scan without a parser. Such a file contains a name
/// that is not ASCII, an HTML comment, or a slash after `}`, `++`, `--`, `of`, `await` or `yield`, where the slash may begin a
/// regular expression or be a division.
struct ScriptMinifier {
  /// The error for a token whose meaning only a parser can determine, or for a text that is not JavaScript.
  private struct Unclear: Error {}

  /// The kind of the last token, which determines the meaning of a slash after it.
  private enum Token {
    /// The token ends a value, so a slash after the token is a division.
    case value
    /// The token is followed by a value, so a slash after the token begins a regular expression.
    case operation
    /// The token is `if`, `for`, `while` or `with`: a statement begins after the condition in parentheses.
    case head
    /// The token is a dot: the next word is a property name, even if it is spelled like a keyword.
    case dot
    /// A slash after the token could be a division or begin a regular expression.
    case unclear
  }

  private enum Opened {
    case parenthesis(ofHead: Bool)
    case bracket
    case brace
    /// The token `${` in a template. The template continues after the matching `}`.
    case substitution
  }

  private var text: MinifiedText
  private var index = 0
  private var last = Token.operation
  private var opened: [Opened] = []

  private var source: [UInt8] { text.source }

  /// Returns the program without comments and indentation; nil if the file must be served unchanged. The line numbers stay the
  /// same.
  static func minified(_ source: [UInt8]) -> [UInt8]? {
    var minifier = ScriptMinifier(text: MinifiedText(of: source))
    do throws(Unclear) {
      while minifier.index < source.count { try minifier.takeToken() }
    } catch {
      return nil
    }
    return minifier.opened.isEmpty ? minifier.text.finish() : nil
  }

  private mutating func takeToken() throws(Unclear) {
    let byte = source[index]
    switch byte {
    case UInt8(ascii: "/"): try takeSlash()
    case UInt8(ascii: "'"), UInt8(ascii: "\""): try takeString(endedBy: byte)
    case UInt8(ascii: "`"): try takeTemplate()
    case UInt8(ascii: "("): open(.parenthesis(ofHead: last == .head))
    case UInt8(ascii: "["): open(.bracket)
    case UInt8(ascii: "{"): open(.brace)
    case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): try close(byte)
    case UInt8(ascii: "."): takeDot()
    case UInt8(ascii: "#") where isWord(at: index + 1):
      takeWord(from: index + 1)
      last = .value
    case _ where isWord(at: index): takeWordOrNumber()
    case UInt8(ascii: " "), UInt8(ascii: "\t"): takeBlanks()
    case 0x0A...0x0D: index += 1
    case 0x21...0x7E where !"#@\\".utf8.contains(byte): try takePunctuator(byte)
    default: throw Unclear()
    }
  }

  // MARK: Blanks and comments

  /// Omits blanks, except between two words, and between two signs that would form another sign without a blank between them.
  private mutating func takeBlanks() {
    let blanks = index..<text.endOfBlanks(from: index)
    index = blanks.upperBound
    let before = text.lastByte(before: blanks.lowerBound)
    if !text.areAtLineEdge(blanks), let before, let after = source[index...].first {
      guard before.isBlank || !Self.mustSeparate(before, after) else { return }
    }
    text.leaveOut(blanks: blanks)
  }

  private static func mustSeparate(_ before: UInt8, _ after: UInt8) -> Bool {
    switch (Character(Unicode.Scalar(before)), Character(Unicode.Scalar(after))) {
    // Without a blank between them, these signs would form another sign, or begin a comment or an HTML comment (ECMA-262
    // §B.1.1).
    case ("+", "+"), ("-", "-"), ("-", ">"), ("<", "!"), ("/", "/"), ("/", "*"), ("?", "."): return true
    default: return !signs.contains(before) && !signs.contains(after)
    }
  }

  private static let signs = Set("()[]{};,:?=&|'\"<>+-*/".utf8)

  private mutating func takeSlash() throws(Unclear) {
    if source.has("//", at: index) {
      let end = source[index...].firstIndex(where: \.isLineBreak) ?? source.count
      return try takeComment(index..<end)
    }
    if source.has("/*", at: index) {
      guard let end = source.firstIndex(of: "*/", from: index + 2) else { throw Unclear() }
      return try takeComment(index..<end + 2)
    }
    switch last {
    case .value: take(1, as: .operation)
    case .operation: try takeRegularExpression()
    case .head, .dot, .unclear: throw Unclear()
    }
  }

  private mutating func takeComment(_ comment: Range<Int>) throws(Unclear) {
    // U+2028 and U+2029 also end a line (ECMA-262 §12.3). A file with one of these characters in a comment is not changed.
    let ends = comment.contains {
      source[$0] == 0xE2 && (source.has("\u{2028}", at: $0) || source.has("\u{2029}", at: $0))
    }
    guard !ends else { throw Unclear() }
    if !text.mustStay(comment) { text.leaveOut(comment: comment, mustSeparate: Self.mustSeparate) }
    index = comment.upperBound
  }

  // MARK: Literals

  private mutating func takeString(endedBy quote: UInt8) throws(Unclear) {
    index += 1
    while true {
      let byte = try takeCharacter()
      if byte == quote { break }
      guard !byte.isLineBreak else { throw Unclear() }
    }
    last = .value
  }

  /// Consumes a part of a template. The part begins with the opening backtick or the end of a substitution. It ends with the
  /// closing backtick or the beginning of the next substitution.
  private mutating func takeTemplate() throws(Unclear) {
    index += 1
    while true {
      let byte = try takeCharacter()
      if byte == UInt8(ascii: "`") {
        last = .value
        return
      }
      if byte == UInt8(ascii: "$"), source.has("{", at: index) { return open(.substitution) }
    }
  }

  private mutating func takeRegularExpression() throws(Unclear) {
    index += 1
    var isInClass = false
    while true {
      let byte = try takeCharacter()
      switch byte {
      case UInt8(ascii: "["): isInClass = true
      case UInt8(ascii: "]"): isInClass = false
      case UInt8(ascii: "/") where !isInClass:
        takeWord(from: index)
        last = .value
        return
      case _ where byte.isLineBreak: throw Unclear()
      default: break
      }
    }
  }

  /// Consumes the next character of a literal. After a backslash, also consumes the escaped character.
  private mutating func takeCharacter() throws(Unclear) -> UInt8 {
    guard index < source.count else { throw Unclear() }
    let byte = source[index]
    index += byte == UInt8(ascii: "\\") ? source.has("\r\n", at: index + 1) ? 3 : 2 : 1
    return byte
  }

  // MARK: Words and signs

  /// Consumes a name, a keyword or a number.
  private mutating func takeWordOrNumber() {
    let start = index
    takeWord(from: start)
    let word = source[start..<index]
    if source[start].isDigit {
      // A dot after a number is its decimal point, except after numbers such as 0x1F, 1n and 1e5, and after legacy octal numbers.
      let mayHavePoint = word.allSatisfy { $0.isDigit || $0 == UInt8(ascii: "_") }
      if mayHavePoint, word.count == 1 || word.first != UInt8(ascii: "0"), source.has(".", at: index) {
        takeWord(from: index + 1)
      }
      last = .value
    } else if last == .dot {
      last = .value
    } else {
      last = Self.token(String(decoding: word, as: UTF8.self), after: last)
    }
  }

  private static func token(_ word: String, after last: Token) -> Token {
    switch word {
    case "if", "for", "while", "with": .head
    case "await" where last == .head: .head  // for await (
    case "await", "yield", "of": .unclear
    case "break", "case", "continue", "debugger", "default", "delete", "do", "else", "extends", "in",
      "instanceof", "new", "return", "throw", "typeof", "void":
      .operation
    default: .value
    }
  }

  private mutating func takeDot() {
    if source.has("...", at: index) {
      take(3, as: .operation)
    } else if index + 1 < source.count, source[index + 1].isDigit {
      takeWord(from: index + 1)
      last = .value
    } else {
      take(1, as: .dot)
    }
  }

  private mutating func takePunctuator(_ byte: UInt8) throws(Unclear) {
    // In a script that is not a module, `<!--` and `-->` begin HTML comments (ECMA-262 §B.1.1).
    guard !source.has("<!--", at: index), !source.has("-->", at: index) else { throw Unclear() }
    if source.has("++", at: index) || source.has("--", at: index) {
      take(2, as: .unclear)
    } else {
      take(1, as: .operation)
    }
  }

  private mutating func open(_ bracket: Opened) {
    opened.append(bracket)
    take(1, as: .operation)
  }

  private mutating func close(_ byte: UInt8) throws(Unclear) {
    switch (opened.popLast(), byte) {
    case (.parenthesis(let ofHead), UInt8(ascii: ")")): take(1, as: ofHead ? .operation : .value)
    case (.bracket, UInt8(ascii: "]")): take(1, as: .value)
    case (.brace, UInt8(ascii: "}")): take(1, as: .unclear)
    case (.substitution, UInt8(ascii: "}")): try takeTemplate()
    default: throw Unclear()
    }
  }

  private mutating func take(_ count: Int, as token: Token) {
    index += count
    last = token
  }

  /// Advances to the end of the word that contains the byte at `start`. If that byte is not in a word, advances to `start`.
  private mutating func takeWord(from start: Int) {
    index = source[start...].firstIndex { !Self.isWord($0) } ?? source.count
  }

  private func isWord(at index: Int) -> Bool { index < source.count && Self.isWord(source[index]) }

  private static func isWord(_ byte: UInt8) -> Bool { byte.isWordCharacter || byte == UInt8(ascii: "$") }
}
