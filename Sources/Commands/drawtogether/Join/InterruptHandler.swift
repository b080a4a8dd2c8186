internal import Glibc
internal import Platform

/// Handles signals during a session: the first signal leaves the session, and a second signal ends the process immediately.
@MainActor
final class InterruptHandler {
  private(set) var isInterrupted = false
  /// Leaves the current session.
  private var leave: (@MainActor () async -> Void)?
  private var leaving: Task<Void, Never>?
  /// Called when the size of the terminal's window changes.
  var windowChanged: (() -> Void)?
  private let forcedExit = ForcedExit()

  /// Blocks the signals and receives them on a separate thread.
  init() throws(SystemError) {
    let signals = try SignalCatcher()
    let body = { @Sendable [self, forcedExit] (signal: SignalCatcher.Signal) in
      switch signal {
      case .windowChange: Task { @MainActor in windowChanged?() }
      case .terminate:
        // Without a session to leave, or on a second signal, this thread ends the process. The main actor does not do this,
        // because it may be blocked forever.
        guard forcedExit.shouldLeave() else { forcedExit.exit() }
        Task { @MainActor in interrupt() }
      }
    }
    _ = try SystemThread(name: "signals") {
      do throws(SystemError) {
        while true { body(try signals.next()) }
      } catch {
        // If signals cannot be read, only SIGKILL could end the process. So the process ends itself immediately.
        fatalError("signals cannot be read: \(error)")
      }
    }
  }

  /// Sets the function that leaves the session. Calls it immediately if a signal has already arrived.
  func onInterrupt(_ leave: @escaping @MainActor () async -> Void) {
    self.leave = leave
    forcedExit.state.withLock { $0.hasSession = true }
    if isInterrupted { leaving = Task { await leave() } }
  }

  /// Waits until the session is left, so that the other participants are notified before the process ends.
  func finish() async {
    await leaving?.value
  }

  /// Sets the output and the action of a forced exit, such as restoring the terminal.
  func setFinalOutput(_ text: String, after action: (@Sendable () -> Void)? = nil) {
    forcedExit.state.withLock { ($0.finalOutput, $0.finalAction) = (text, action) }
  }

  private func interrupt() {
    isInterrupted = true
    if let leave { leaving = Task { await leave() } }
  }
}

/// Ends the process immediately.
private final class ForcedExit: Sendable {
  struct State {
    var finalOutput = ""
    var finalAction: (@Sendable () -> Void)?
    /// False while there is no session to leave.
    var hasSession = false
    var hadSignal = false
  }

  let state = Guarded(State())

  /// Returns true on the first signal, if there is a session to leave.
  func shouldLeave() -> Bool {
    state.withLock { state in
      defer { state.hadSignal = true }
      return state.hasSession && !state.hadSignal
    }
  }

  /// Runs the final action, writes the final output, and ends the process.
  func exit() -> Never {
    let (text, action) = state.withLock { ($0.finalOutput, $0.finalAction) }
    action?()
    LineWriter.write(Array(text.utf8), to: STDOUT_FILENO, waitsForRoom: false)
    _exit(DrawTogetherCommand.ExitCode.failure.rawValue)
  }
}
