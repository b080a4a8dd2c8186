internal import Glibc
internal import Synchronization
internal import Transport

/// What signals do to a command that takes part: the first one leaves the session, a second one ends the process at once.
@MainActor
final class Interruption {
  private(set) var isInterrupted = false
  /// Leaves whatever session there is.
  private var leave: (@MainActor () async -> Void)?
  private var leaving: Task<Void, Never>?
  /// The terminal's window has another size.
  var windowChanged: (() -> Void)?
  private let end = SuddenEnd()

  /// Takes the signals over.
  init() throws(SystemError) {
    let signals = try SignalCatcher()
    let body = { @Sendable [self, end] (signal: SignalCatcher.Signal) in
      switch signal {
      case .windowChange: Task { @MainActor in windowChanged?() }
      case .terminate:
        end.isSecond()
        Task { @MainActor in interrupt() }
      }
    }
    _ = try SystemThread(name: "signals") {
      do throws(SystemError) {
        while true { body(try signals.next()) }
      } catch {
        // Without signals nobody could stop the process but by force: better at once.
        fatalError("signals cannot be read: \(error)")
      }
    }
  }

  /// Says how the session is left; at once, if somebody wants to leave already.
  func onInterrupt(_ leave: @escaping @MainActor () async -> Void) {
    self.leave = leave
    if isInterrupted { leaving = Task { await leave() } }
  }

  /// Waits until a session that is being left is left: the others are to hear of it before the process ends.
  func finish() async {
    await leaving?.value
  }

  /// What is written to standard output if the process has to end at once.
  func setLastWords(_ words: String) {
    end.lastWords.withLock { $0 = words }
  }

  private func interrupt() {
    isInterrupted = true
    // Without a session there is nothing to be left.
    guard let leave else { end.now() }
    leaving = Task { await leave() }
  }
}

/// How a process ends that nobody wants to wait for.
private final class SuddenEnd: Sendable {
  let lastWords = Guarded("")
  private let wasAsked = Atomic(false)

  /// Ends the process when it is called for the second time.
  func isSecond() {
    if wasAsked.exchange(true, ordering: .relaxed) { now() }
  }

  func now() -> Never {
    let words = lastWords.withLock { $0 }
    LineWriter.write(Array(words.utf8), to: STDOUT_FILENO, waitsForRoom: false)
    _exit(DrawTogetherCommand.ExitCode.failure.rawValue)
  }
}
