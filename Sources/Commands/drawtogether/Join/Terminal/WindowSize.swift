internal import Glibc

/// How many characters there is room for, without the line that says who is here.
struct WindowSize: Equatable {
  var columns: Int
  var rows: Int

  /// Nothing is larger, whatever a terminal says.
  private static let most = 1000

  /// The window's, else what the environment says (`COLUMNS` and `LINES`), else 80 × 24.
  static func ofStandardOutput(_ environment: [String: String]) -> WindowSize {
    var size = winsize()
    let isKnown =
      unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 && size.ws_row > 0
    let columns = isKnown ? Int(size.ws_col) : environment["COLUMNS"].flatMap { Int($0) } ?? 80
    let rows = isKnown ? Int(size.ws_row) : environment["LINES"].flatMap { Int($0) } ?? 24
    return WindowSize(columns: min(most, max(1, columns)), rows: min(most, max(2, rows)) - 1)
  }
}
