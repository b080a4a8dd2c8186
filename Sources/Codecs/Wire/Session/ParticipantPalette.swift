/// The colors that distinguish participants. They are independent of the palette of the drawing activity, whose color numbers are
/// sent on the wire.
package enum ParticipantPalette {
  /// A color, also converted to OKLab.
  package struct Entry: Sendable, BitwiseCopyable {
    /// The color.
    package let color: RGBColor
    /// The same color in OKLab.
    package let lab: OKLab

    /// Converts a color.
    package init(_ color: RGBColor) {
      self.color = color
      lab = OKLab(color)
    }
  }

  /// The minimum distance in OKLab between two colors that do not look alike.
  package static let distinctDistance: Float = 0.15

  /// Blue, orange, green, purple, crimson, turquoise, mustard, sky, orchid, pine, bronze, mauve. Each is visible on light and on
  /// dark paper, and no two of them look alike.
  package static let entries = [
    "#0a5ad2", "#fa6e0a", "#009600", "#963cb4", "#be1e46", "#00beaa", "#b4aa00", "#5a96fa", "#e682fa",
    "#006e6e", "#966400", "#b47896",
  ].compactMap { RGBColor($0).map(Entry.init) }
}
