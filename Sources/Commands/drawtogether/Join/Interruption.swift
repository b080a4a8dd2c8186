internal import Glibc
internal import Platform

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
        // Not by the main actor, which may wait for something without an end.
        guard end.mayLeave() else { end.now() }
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
    end.state.withLock { $0.hasSession = true }
    if isInterrupted { leaving = Task { await leave() } }
  }

  /// Waits until a session that is being left is left: the others are to hear of it before the process ends.
  func finish() async {
    await leaving?.value
  }

  /// What is written to standard output if the process has to end at once, and what is done before.
  func setLastWords(_ words: String, after work: (@Sendable () -> Void)? = nil) {
    end.state.withLock { ($0.lastWords, $0.lastWork) = (words, work) }
  }

  private func interrupt() {
    isInterrupted = true
    if let leave { leaving = Task { await leave() } }
  }
}

/// How a process ends that nobody wants to wait for.
private final class SuddenEnd: Sendable {
  struct State {
    var lastWords = ""
    var lastWork: (@Sendable () -> Void)?
    /// Without a session there is nothing to be left.
    var hasSession = false
    var wasAsked = false
  }

  let state = Guarded(State())

  /// Whether the session is to be left: there is one, and nobody asked for that before.
  func mayLeave() -> Bool {
    state.withLock { state in
      defer { state.wasAsked = true }
      return state.hasSession && !state.wasAsked
    }
  }

  func now() -> Never {
    let (words, work) = state.withLock { ($0.lastWords, $0.lastWork) }
    work?()
    LineWriter.write(Array(words.utf8), to: STDOUT_FILENO, waitsForRoom: false)
    _exit(DrawTogetherCommand.ExitCode.failure.rawValue)
  }
}
