internal import Glibc
internal import Platform

/// Disables echo and line mode of the terminal while a picture is shown: typed text does not appear in the picture, and is not
/// passed to the shell later. Keys that send signals still work.
final class RawTerminal: Sendable {
  private let original = Guarded<termios?>(nil)

  /// Disables echo and line mode of the terminal that is the standard input. Does nothing without a terminal, or if the process
  /// is in the background.
  func begin() {
    var settings = termios()
    guard unsafe tcgetattr(STDIN_FILENO, &settings) == 0 else { return }
    // The system stops a background process that changes its controlling terminal. If the terminal is not the controlling
    // terminal of this process, `tcgetpgrp` fails, and the process may change the terminal.
    let group = tcgetpgrp(STDIN_FILENO)
    guard group < 0 || group == getpgrp() else { return }
    original.withLock { $0 = settings }
    settings.c_lflag &= ~tcflag_t(ECHO | ICANON)
    _ = unsafe tcsetattr(STDIN_FILENO, TCSANOW, &settings)
  }

  /// Restores the terminal. Callable on any thread, and more than once.
  func end() {
    guard
      var settings = original.withLock({ original in
        defer { original = nil }
        return original
      })
    else { return }
    _ = unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
  }
}
