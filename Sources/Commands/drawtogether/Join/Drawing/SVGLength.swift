/// A length as SVG writes it, in user units (CSS pixels).
enum SVGLength {
  /// What each unit is in pixels (CSS Values 4, section 6.2), and of type by its usual size.
  private static let units: [String: Double] = [
    "": 1, "px": 1, "pt": 96.0 / 72, "pc": 16, "mm": 96 / 25.4, "cm": 96 / 2.54, "in": 96, "q": 96 / 101.6,
    "em": 16, "rem": 16, "ex": 8,
  ]

  /// Reads one; a percentage is of `whole`. Nil for what is none, and for one that no `Double`
  /// holds.
  static func read(_ text: String, of whole: Double) -> Double? {
    var scanner = NumberScanner(text)
    guard let number = scanner.number() else { return nil }
    let unit = String(scanner.rest.lowercased().filter { !$0.isWhitespace })
    let length = unit == "%" ? number / 100 * whole : units[unit].map { number * $0 }
    return length?.isFinite == true ? length : nil
  }
}
