/// The eleven colors of the drawing activity, in order.
package enum Palette {
  /// Red, orange, yellow, green, mint, teal, cyan, indigo, purple, pink, brown; `#` and six hex digits.
  package static let colors = [
    "#ff3b30", "#ff9500", "#ffcc00", "#34c759", "#00c7be", "#30b0c7", "#32ade6", "#5856d6", "#af52de",
    "#ff2d55", "#a2845e",
  ]

  /// Returns a random color that is not in use, or any color if all are in use.
  package static func pick(random: UInt64, isUsed: (String) -> Bool) -> String {
    let free = colors.filter { !isUsed($0) }
    let choice = free.isEmpty ? colors : free
    return choice[Int(random % UInt64(choice.count))]
  }
}
