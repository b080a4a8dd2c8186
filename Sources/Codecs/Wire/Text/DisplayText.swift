/// Single-line texts of a participant that all participants see, such as names.
enum DisplayText {
  /// Returns the valid part of a text: without control, format and line characters, without white space at both ends, then
  /// truncated to `maximumScalars` and to `maximumBytes` in UTF-8; `nil` if no characters are left. Joiners, which connect the
  /// parts of an emoji and occur within Persian words, may be kept, because they do not hide other text.
  static func sanitised(
    _ text: String, maximumScalars: Int, maximumBytes: Int = .max, keepsJoiners: Bool = false
  ) -> String? {
    // Most texts are plain. The general code below takes ten times as long.
    let length = text.utf8.count
    if length <= maximumScalars, length <= maximumBytes, isPlain(text.utf8.span) { return text }
    var kept = String.UnicodeScalarView()
    var scalars = 0
    var bytes = 0
    for scalar in text.unicodeScalars where isVisible(scalar) || keepsJoiners && isJoiner(scalar) {
      if kept.isEmpty, scalar.properties.isWhitespace || isJoiner(scalar) { continue }
      scalars += 1
      bytes += UTF8.width(scalar)
      guard scalars <= maximumScalars, bytes <= maximumBytes else { break }
      kept.append(scalar)
    }
    while let last = kept.last, last.properties.isWhitespace || isJoiner(last) { kept.removeLast() }
    return kept.isEmpty ? nil : String(kept)
  }

  /// Returns true for a text of visible ASCII characters and spaces that neither begins nor ends with a space.
  private static func isPlain(_ bytes: Span<UInt8>) -> Bool {
    guard !bytes.isEmpty, bytes[0] != 0x20, bytes[bytes.count - 1] != 0x20 else { return false }
    for index in bytes.indices where bytes[index] < 0x20 || bytes[index] >= 0x7F { return false }
    return true
  }

  private static func isJoiner(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "\u{200C}" || scalar == "\u{200D}"
  }

  /// Returns false for control, format and line characters, which could move or hide the text around a name.
  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    // This test avoids a lookup in Unicode's tables, which costs more than all other checks of a name.
    if scalar.isASCII { return scalar.value >= 0x20 && scalar.value != 0x7F }
    return switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
    default: true
    }
  }
}
