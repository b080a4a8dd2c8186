/// The dots that one mark of the board covers, as a bit mask with 64 dots per word. Parts of the mark may overlap.
struct DotMask {
  let width: Int
  let height: Int
  private let wordsOfRow: Int
  private var words: [UInt64]
  /// The rows, and the words in a row, that may have set bits. Both ranges are empty if no bit is set.
  private var rows = 0..<0
  private var columns = 0..<0

  init(width: Int, height: Int) {
    (self.width, self.height) = (width, height)
    wordsOfRow = (width + 63) / 64
    words = Array(repeating: 0, count: wordsOfRow * height)
  }

  /// Sets the dots of a row from `left` to `right`; ignores dots outside the mask.
  mutating func set(from left: Int, to right: Int, y: Int) {
    let (left, right) = (max(0, left), min(width - 1, right))
    guard left <= right, y >= 0, y < height else { return }
    let (first, last) = (left / 64, right / 64)
    rows = rows.isEmpty ? y..<(y + 1) : min(rows.lowerBound, y)..<max(rows.upperBound, y + 1)
    columns =
      columns.isEmpty
      ? first..<(last + 1) : min(columns.lowerBound, first)..<max(columns.upperBound, last + 1)
    for word in first...last {
      var bits = UInt64.max
      if word == first { bits &= .max << UInt64(left % 64) }
      if word == last { bits &= .max >> UInt64(63 - right % 64) }
      words[y * wordsOfRow + word] |= bits
    }
  }

  /// Calls `body` with each set dot, and clears the mask.
  mutating func drain(_ body: (_ x: Int, _ y: Int) -> Void) {
    for y in rows {
      for column in columns {
        var bits = words[y * wordsOfRow + column]
        words[y * wordsOfRow + column] = 0
        while bits != 0 {
          body(64 * column + bits.trailingZeroBitCount, y)
          bits &= bits - 1
        }
      }
    }
    (rows, columns) = (0..<0, 0..<0)
  }
}
