/// The minified text of a file while the text is being built. Comments and insignificant blanks are omitted.
struct MinifiedText {
  let source: [UInt8]
  private var bytes: [UInt8] = []
  /// The length of the processed part of the source. All bytes of this part are either in `bytes` or were omitted.
  private var taken = 0

  init(of source: [UInt8]) {
    self.source = source
    bytes.reserveCapacity(source.count)
  }

  /// Returns the byte that precedes the source's byte at `index` in the minified text; nil if no byte precedes it. The index must
  /// not be inside the processed part.
  func lastByte(before index: Int) -> UInt8? { taken < index ? source[index - 1] : bytes.last }

  /// Copies the source up to the blanks, and omits the blanks.
  mutating func leaveOut(blanks: Range<Int>) {
    bytes += source[taken..<blanks.lowerBound]
    taken = blanks.upperBound
  }

  /// Returns true for blanks at the beginning or the end of a line.
  func areAtLineEdge(_ blanks: Range<Int>) -> Bool {
    (lastByte(before: blanks.lowerBound)?.isLineBreak ?? true)
      || (source[blanks.upperBound...].first?.isLineBreak ?? true)
  }

  /// Returns the end of the blanks that begin at an index.
  func endOfBlanks(from index: Int) -> Int {
    source[index...].firstIndex { !$0.isBlank } ?? source.count
  }

  /// Copies the source up to a comment, and omits the comment. The line breaks of the comment stay, so that the browser reports
  /// errors with the line numbers of the original file. After compression, these line breaks make up a hundredth of the file. A
  /// comment without line breaks is replaced by a space if `mustSeparate` returns true for the characters before and after the
  /// comment.
  mutating func leaveOut(comment: Range<Int>, mustSeparate: (UInt8, UInt8) -> Bool = { _, _ in true }) {
    bytes += source[taken..<comment.lowerBound]
    taken = comment.upperBound
    let lineBreaks = source[comment].filter(\.isLineBreak)
    let next = source[taken...].first
    if !lineBreaks.isEmpty || next?.isLineBreak ?? true {
      while bytes.last?.isBlank ?? false { bytes.removeLast() }
      bytes += lineBreaks
    } else if let last = bytes.last, let next, !last.isSpace, !next.isSpace, mustSeparate(last, next) {
      bytes.append(UInt8(ascii: " "))
    }
  }

  /// Copies the source after the last omitted part, and returns the whole minified text.
  consuming func finish() -> [UInt8] {
    bytes += source[taken...]
    return bytes
  }

  /// Returns true for a comment that must stay: a license, or an instruction for the developer tools of browsers.
  func mustStay(_ comment: Range<Int>) -> Bool {
    if let sign = source[comment].dropFirst(2).first, "!#@".utf8.contains(sign) { return true }
    guard let word = source[comment].firstIndex(of: UInt8(ascii: "@")) else { return false }
    return (word..<comment.upperBound).contains {
      source.has("@license", at: $0) || source.has("@preserve", at: $0)
    }
  }
}

extension [UInt8] {
  /// Returns true if a text begins at an index. The index may be the end of the array.
  func has(_ text: String, at index: Int) -> Bool { dropFirst(index).starts(with: text.utf8) }

  /// Returns the first index at or after `start` at which a text begins.
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
