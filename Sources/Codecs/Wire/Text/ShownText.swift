/// Texts of one line that somebody chose and everybody is shown, such as names.
enum ShownText {
  /// The text within the rules: control, format and line characters taken out, white space trimmed at both ends, then cut
  /// to so many scalars and so many bytes in UTF-8; `nil` when nothing is left. Joiners, which stand between the parts of
  /// an emoji and within Persian words, may be kept: they hide nothing.
  static func sanitised(
    _ text: String, maximumScalars: Int, maximumBytes: Int = .max, keepsJoiners: Bool = false
  ) -> String? {
    var kept = String.UnicodeScalarView()
    var scalars = 0
    var bytes = 0
    for scalar in text.unicodeScalars where isShown(scalar) || keepsJoiners && isJoiner(scalar) {
      if kept.isEmpty, scalar.properties.isWhitespace || isJoiner(scalar) { continue }
      scalars += 1
      bytes += UTF8.width(scalar)
      guard scalars <= maximumScalars, bytes <= maximumBytes else { break }
      kept.append(scalar)
    }
    while let last = kept.last, last.properties.isWhitespace || isJoiner(last) { kept.removeLast() }
    return kept.isEmpty ? nil : String(kept)
  }

  private static func isJoiner(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "\u{200C}" || scalar == "\u{200D}"
  }

  /// Control, format and line characters could move or hide what stands beside a name.
  private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
    // A look into Unicode's tables costs more than the rest of a name.
    if scalar.isASCII { return scalar.value >= 0x20 && scalar.value != 0x7F }
    return switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
    default: true
    }
  }
}
