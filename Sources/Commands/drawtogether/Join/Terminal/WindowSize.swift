internal import Glibc

/// The size of the picture in cells, without the status line.
struct WindowSize: Equatable {
  var columns: Int
  var rows: Int

  /// The maximum number of columns, and of rows.
  private static let maximum = 1000

  /// Returns the size of the window. If it is unknown, returns `COLUMNS` × `LINES` of the environment, or 80 × 24 without these.
  static func ofStandardOutput(_ environment: [String: String]) -> WindowSize {
    var size = winsize()
    let isKnown =
      unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 && size.ws_row > 0
    let columns = isKnown ? Int(size.ws_col) : environment["COLUMNS"].flatMap { Int($0) } ?? 80
    let rows = isKnown ? Int(size.ws_row) : environment["LINES"].flatMap { Int($0) } ?? 24
    return WindowSize(columns: min(maximum, max(1, columns)), rows: min(maximum, max(2, rows)) - 1)
  }
}
