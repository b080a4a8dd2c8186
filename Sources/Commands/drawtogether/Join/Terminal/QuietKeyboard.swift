internal import Glibc
internal import Platform

/// The terminal's keyboard while a picture is shown: what is typed is neither written into the picture nor left for the shell.
/// Keys that make signals still do.
final class QuietKeyboard: Sendable {
  private let before = Guarded<termios?>(nil)

  /// Silences the terminal of standard input; nothing happens where there is none, or where it is another program's turn.
  func begin() {
    var settings = termios()
    guard unsafe tcgetattr(STDIN_FILENO, &settings) == 0 else { return }
    // Whoever changes a terminal from the background is stopped; one that controls nobody has no foreground.
    let group = tcgetpgrp(STDIN_FILENO)
    guard group < 0 || group == getpgrp() else { return }
    before.withLock { $0 = settings }
    settings.c_lflag &= ~tcflag_t(ECHO | ICANON)
    _ = unsafe tcsetattr(STDIN_FILENO, TCSANOW, &settings)
  }

  /// Makes it as it was; on any thread, as often as wanted.
  func end() {
    guard
      var settings = before.withLock({ before in
        defer { before = nil }
        return before
      })
    else { return }
    _ = unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
  }
}
