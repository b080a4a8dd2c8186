/// Terminal output for frames; only changed rows are written.
struct TerminalFrame {
  let colors: TerminalColors
  /// The rows of the previous frame.
  private var shown: [String] = []

  init(_ colors: TerminalColors) {
    self.colors = colors
  }

  /// Switches to the alternate screen, hides the cursor, and turns off line wrap. Otherwise a line would wrap if the terminal
  /// shows a character wider than `CellWidth` expects.
  static let begin = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[2J"
  /// Restores the original screen.
  static let end = "\u{1B}[?2026l\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

  /// Forgets the previous frame, so that the next one is written completely.
  mutating func invalidate() {
    shown = []
  }

  /// Returns the output that draws a frame over the previous one.
  mutating func output(_ canvas: BrailleCanvas, status: String) -> String {
    let rows = (0..<canvas.rows).map { row(canvas.row($0)) } + [self.status(status, columns: canvas.columns)]
    var text = ""
    for (index, row) in rows.enumerated() where !shown.indices.contains(index) || shown[index] != row {
      // The row is cleared before it is written. After a full row is written, the cursor is on the last column, so clearing the
      // rest of the row would erase that column.
      text += "\u{1B}[\(index + 1);1H\u{1B}[K\(row)"
    }
    defer { shown = rows }
    guard !text.isEmpty else { return "" }
    // Terminals with synchronized output show the frame only when it is complete.
    let clearing = shown.isEmpty ? "\u{1B}[2J" : ""
    return "\u{1B}[?2026h\(clearing)\(text)\u{1B}[?2026l"
  }

  /// Returns a picture as lines, for output that is not a terminal.
  func lines(_ canvas: BrailleCanvas) -> String {
    (0..<canvas.rows).map { row(canvas.row($0)) + "\n" }.joined()
  }

  private func row(_ cells: ArraySlice<BrailleCanvas.Cell>) -> String {
    let used = cells.reversed().drop { $0.shown == " " }.reversed()
    var text = ""
    var color: RGB??
    for cell in used {
      guard let shown = cell.shown else { continue }
      if shown != " ", color != .some(cell.color) {
        text += colors.select(cell.color)
        color = cell.color
      }
      text.append(shown)
    }
    if case .none = colors { return text }
    return color == nil ? text : text + "\u{1B}[0m"
  }

  private func status(_ status: String, columns: Int) -> String {
    let text = CellWidth.fitted(status, to: columns)
    let filled = text + String(repeating: " ", count: max(0, columns - CellWidth.of(text)))
    return "\u{1B}[7m\(filled)\u{1B}[0m"
  }
}
