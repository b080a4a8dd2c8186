/// Texts of one line that somebody chose and everybody is shown, such as names.
enum ShownText {
  /// The text within the rules: control, format and line characters taken out, white space trimmed at both ends, then cut
  /// to so many scalars and so many bytes in UTF-8; `nil` when nothing is left.
  static func sanitised(_ text: String, maximumScalars: Int, maximumBytes: Int = .max) -> String? {
    var kept = String.UnicodeScalarView()
    var scalars = 0
    var bytes = 0
    for scalar in text.unicodeScalars where isShown(scalar) {
      if kept.isEmpty, scalar.properties.isWhitespace { continue }
      scalars += 1
      bytes += UTF8.width(scalar)
      guard scalars <= maximumScalars, bytes <= maximumBytes else { break }
      kept.append(scalar)
    }
    while let last = kept.last, last.properties.isWhitespace { kept.removeLast() }
    return kept.isEmpty ? nil : String(kept)
  }

  /// Control, format and line characters could move or hide what stands beside a name.
  private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
    default: true
    }
  }
}
