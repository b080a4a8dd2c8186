/// The colors that a terminal supports.
enum TerminalColors: Sendable {
  case none
  /// 6 × 6 × 6 colors and 24 grays.
  case indexed
  /// 24-bit colors.
  case all

  /// Returns the colors of a terminal according to the environment. A nonempty `NO_COLOR` turns colors off (no-color.org).
  static func of(_ environment: [String: String], isTerminal: Bool) -> TerminalColors {
    let kind = environment["TERM"] ?? ""
    guard isTerminal, (environment["NO_COLOR"] ?? "").isEmpty, kind != "dumb" else { return .none }
    let depth = environment["COLORTERM"] ?? ""
    return depth == "truecolor" || depth == "24bit" || kind.hasSuffix("-direct") ? .all : .indexed
  }

  /// Returns the sequence that selects a color (ECMA-48, SGR 38 and 39); nil is the terminal's own color.
  func select(_ color: RGB?) -> String {
    switch (self, color) {
    case (.none, _): ""
    case (_, nil): "\u{1B}[39m"
    case (.indexed, let color?): "\u{1B}[38;5;\(Self.index(of: color))m"
    case (.all, let color?): "\u{1B}[38;2;\(color.red);\(color.green);\(color.blue)m"
    }
  }

  /// Returns the nearest of the 240 colors that are equal on all terminals.
  static func index(of color: RGB) -> Int {
    let steps: [UInt8] = [0, 95, 135, 175, 215, 255]
    let near = { (value: UInt8) in steps.indices.min { gap(steps[$0], value) < gap(steps[$1], value) } ?? 0 }
    let (red, green, blue) = (near(color.red), near(color.green), near(color.blue))
    let cube = rgb(steps[red], steps[green], steps[blue])
    let average = (Int(color.red) + Int(color.green) + Int(color.blue)) / 3
    let step = min(23, max(0, (average - 3) / 10))
    let level = UInt8(8 + 10 * step)
    let gray = rgb(level, level, level)
    return color.distance(to: gray) < color.distance(to: cube) ? 232 + step : 16 + 36 * red + 6 * green + blue
  }

  private static func gap(_ one: UInt8, _ other: UInt8) -> Int { abs(Int(one) - Int(other)) }

  private static func rgb(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> RGB {
    RGB(UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue))
  }
}
