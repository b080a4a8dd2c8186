/// The eleven colors of the drawing activity, in the order of their numbers on the wire.
package enum Palette {
  /// Red, orange, yellow, green, mint, teal, cyan, indigo, purple, pink, brown; `#` and six hex digits. Stored objects may have
  /// only the number of their color, so a change of these colors changes the appearance of existing drawings.
  package static let colors = [
    "#e5484d", "#f2762e", "#e8b100", "#30a46c", "#3fc9a4", "#12a5a5", "#2ba9e0", "#4f5fe8", "#8e4ec6",
    "#e54e9e", "#a1704a",
  ]
}
