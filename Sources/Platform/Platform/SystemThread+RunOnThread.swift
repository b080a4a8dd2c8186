internal import CLinux
internal import Glibc

extension SystemThread {
  /// Runs a long computation on a new thread with a lower priority, and waits for its end. A failing write on the new thread
  /// raises no signal: writing past the process's file size limit fails with EFBIG.
  ///
  /// - Parameters:
  ///   - name: the name of the thread; the system uses its first 15 bytes.
  ///   - niceness: the niceness of the thread, from 0 to 19. If the system refuses this niceness, the thread runs
  ///     with normal priority.
  ///   - body: the computation.
  /// - Returns: the result of the body.
  /// - Throws: `SystemError` if the system has no thread left.
  package static func runOnThread<Result: Sendable>(
    name: String, niceness: Int, _ body: @escaping @Sendable () -> Result
  ) throws(SystemError) -> Result {
    let box = ResultBox<Result>()
    let thread = try SystemThread(name: name) {
      prepare(niceness: CInt(clamping: niceness))
      let result = body()
      box.result.withLock { $0 = result }
    }
    thread.join()
    guard let result = box.result.withLock({ $0 }) else {
      preconditionFailure("a thread has ended without a result")
    }
    return result
  }

  /// Prepares the calling thread: writes that fail raise no signal, and the thread gets this niceness.
  package static func prepare(niceness: CInt) {
    let signals = [SIGPIPE, SIGXFSZ]
    let status = unsafe clinux_thread_block_signals(signals, signals.count)
    precondition(status == 0, "the thread cannot block its signals")
    // A sandbox may refuse the niceness; the work then runs with normal priority.
    if niceness != 0 { _ = clinux_thread_set_niceness(niceness) }
  }
}

/// The result of a thread, for the thread that waits for it.
private final class ResultBox<Result: Sendable>: Sendable {
  let result = Guarded<Result?>(nil)
}
