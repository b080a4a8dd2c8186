/// The number of terminal columns of characters.
enum CellWidth {
  /// Returns the width of a text in one line.
  static func of(_ text: String) -> Int { text.reduce(0) { $0 + of($1) } }

  /// Returns 0 for combining characters, 2 for wide characters (Unicode's East Asian Width W and F, in blocks), and 1 for all
  /// others.
  static func of(_ character: Character) -> Int {
    guard let scalar = character.unicodeScalars.first else { return 0 }
    if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F ? 0 : 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .control, .format, .lineSeparator, .paragraphSeparator: return 0
    default: break
    }
    // The character is an emoji by default, or because of the emoji variation selector.
    if scalar.properties.isEmojiPresentation || character.unicodeScalars.contains("\u{FE0F}") { return 2 }
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F,
      0x1F900...0x1F9FF,
      0x20000...0x3FFFD:
      return 2
    default: return 1
    }
  }

  /// Returns a text, shortened with an ellipsis if it is wider than `columns`.
  static func fitted(_ text: String, to columns: Int) -> String {
    guard of(text) > columns else { return text }
    guard columns > 0 else { return "" }
    var result = ""
    var width = 0
    for character in text {
      width += of(character)
      guard width < columns else { break }
      result.append(character)
    }
    return result + "…"
  }
}
