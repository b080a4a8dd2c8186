/// A picture for a terminal: each cell shows either a pattern of 2 × 4 dots or a letter.
struct BrailleCanvas: Equatable {
  /// The content of one terminal cell.
  struct Cell: Equatable {
    /// The bits of a Unicode braille pattern.
    var dots: UInt8 = 0
    /// A letter, which hides the dots.
    var letter: Character?
    /// True if the cell is the right half of a wide letter.
    var isRightHalf = false
    /// The color of the last drawn mark; nil for the terminal's own color.
    var color: RGB?
  }

  let columns: Int
  let rows: Int
  private(set) var cells: [Cell]

  /// Creates an empty canvas.
  init(columns: Int, rows: Int) {
    (self.columns, self.rows) = (columns, rows)
    cells = Array(repeating: Cell(), count: columns * rows)
  }

  /// The width in dots.
  var width: Int { 2 * columns }
  /// The height in dots.
  var height: Int { 4 * rows }

  /// The bit of each dot. The lowest row has the highest bits for historical reasons (Unicode 3.0, U+2800).
  private static let bits: [UInt8] = [0x01, 0x08, 0x02, 0x10, 0x04, 0x20, 0x40, 0x80]

  /// Sets a dot; ignores dots outside the canvas.
  mutating func set(x: Int, y: Int, color: RGB?) {
    guard x >= 0, y >= 0, x < width, y < height else { return }
    let index = y / 4 * columns + x / 2
    cells[index].dots |= Self.bits[y % 4 * 2 + x % 2]
    if cells[index].letter == nil { cells[index].color = color }
  }

  /// Writes letters, beginning in a cell. Letters outside the canvas are omitted.
  mutating func write(_ text: String, column: Int, row: Int, color: RGB?) {
    guard row >= 0, row < rows else { return }
    var column = column
    for letter in text {
      let width = CellWidth.of(letter)
      guard column + width <= columns else { return }
      if width > 0, column >= 0 {
        put(letter, at: row * columns + column, color)
        if width == 2 {
          put(nil, at: row * columns + column + 1, color)
          cells[row * columns + column + 1].isRightHalf = true
        }
      }
      column += width
    }
  }

  private mutating func put(_ letter: Character?, at index: Int, _ color: RGB?) {
    // If one half of a wide letter is overwritten, its other half becomes a space.
    if cells[index].isRightHalf { cells[index - 1] = Cell() }
    if index + 1 < cells.count, cells[index + 1].isRightHalf { cells[index + 1] = Cell() }
    cells[index] = Cell(dots: 0, letter: letter, color: color)
  }

  /// Returns the cells of a row.
  func row(_ row: Int) -> ArraySlice<Cell> { cells[(row * columns)..<((row + 1) * columns)] }

  /// The canvas without colors: one line per row, without trailing blanks.
  var text: String {
    (0..<rows).map { index in
      let line = String(row(index).flatMap { $0.shown.map { [$0] } ?? [] })
      return String(line.reversed().drop { $0 == " " }.reversed())
    }.joined(separator: "\n")
  }
}

extension BrailleCanvas.Cell {
  /// The character of the cell; nil for the right half of a wide letter.
  var shown: Character? {
    if isRightHalf { return nil }
    if let letter { return letter }
    return dots == 0 ? " " : Unicode.Scalar(0x2800 + UInt32(dots)).map { Character($0) }
  }
}
