/// A file's text while it is put together again without its comments, and without the blanks that mean nothing.
struct MinifiedText {
  let source: [UInt8]
  private var bytes: [UInt8] = []
  /// How much of the source is in `bytes`, or was left out.
  private var taken = 0

  init(of source: [UInt8]) {
    self.source = source
    bytes.reserveCapacity(source.count)
  }

  /// The last byte that stays of what is before a place, of which nothing but what was left out is behind the last call.
  func lastByte(before place: Int) -> UInt8? { taken < place ? source[place - 1] : bytes.last }

  /// Leaves blanks out, which are behind all that was left out before.
  mutating func leaveOut(blanks: Range<Int>) {
    bytes += source[taken..<blanks.lowerBound]
    taken = blanks.upperBound
  }

  /// Whether blanks are at the beginning or at the end of a line.
  func areAtLineEdge(_ blanks: Range<Int>) -> Bool {
    (lastByte(before: blanks.lowerBound)?.isLineBreak ?? true)
      || (source[blanks.upperBound...].first?.isLineBreak ?? true)
  }

  /// Where the blanks end that begin at a place.
  func endOfBlanks(from place: Int) -> Int {
    source[place...].firstIndex { !$0.isBlank } ?? source.count
  }

  /// Leaves a comment out, which is behind all that was left out before. Its line breaks stay, so that an error names
  /// the line that it has in the file; they cost a byte in a hundred once compressed. Of a comment without any, between
  /// two characters that `mustPart`, a space stays.
  mutating func leaveOut(comment: Range<Int>, mustPart: (UInt8, UInt8) -> Bool = { _, _ in true }) {
    bytes += source[taken..<comment.lowerBound]
    taken = comment.upperBound
    let lineBreaks = source[comment].filter(\.isLineBreak)
    let next = source[taken...].first
    if !lineBreaks.isEmpty || next?.isLineBreak ?? true {
      while bytes.last?.isBlank ?? false { bytes.removeLast() }
      bytes += lineBreaks
    } else if let last = bytes.last, let next, !last.isSpace, !next.isSpace, mustPart(last, next) {
      bytes.append(UInt8(ascii: " "))
    }
  }

  /// The whole text, after the last comment.
  consuming func finish() -> [UInt8] {
    bytes += source[taken...]
    return bytes
  }

  /// Whether a comment is there for others to find: a licence, or a word to the browser's tools.
  func mustStay(_ comment: Range<Int>) -> Bool {
    if let sign = source[comment].dropFirst(2).first, "!#@".utf8.contains(sign) { return true }
    guard let word = source[comment].firstIndex(of: UInt8(ascii: "@")) else { return false }
    return (word..<comment.upperBound).contains {
      source.has("@license", at: $0) || source.has("@preserve", at: $0)
    }
  }
}

extension [UInt8] {
  /// Whether a text is at that place, which may be the end.
  func has(_ text: String, at index: Int) -> Bool { dropFirst(index).starts(with: text.utf8) }

  /// Where a text is next, at that place or behind it.
  func firstIndex(of text: String, from start: Int) -> Int? {
    guard start <= count, let first = text.utf8.first else { return nil }
    return self[start...].indices.first { self[$0] == first && has(text, at: $0) }
  }
}

extension UInt8 {
  /// LF or CR.
  var isLineBreak: Bool { self == UInt8(ascii: "\n") || self == UInt8(ascii: "\r") }
  /// A space or a tab.
  var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
  /// A blank or a line break.
  var isSpace: Bool { isBlank || isLineBreak }
  /// A decimal digit.
  var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

  /// A letter or a digit of ASCII, or `_`.
  var isWordCharacter: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): true
    default: isDigit
    }
  }
}
