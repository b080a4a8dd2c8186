internal import CLinux
internal import Glibc

extension SystemThread {
  /// Does something long on a thread of its own that gives way to others, and waits for its end. What it writes never raises a
  /// signal: a file over the process's limit is EFBIG.
  ///
  /// - Parameters:
  ///   - name: the thread's; at most 15 bytes of it count.
  ///   - niceness: how far it gives way, from 0 to 19. Where the system refuses it, it is as the others.
  ///   - body: what is done.
  /// - Returns: what the body returns.
  /// - Throws: `SystemError` when there is no thread to be had.
  package static func aside<Result: Sendable>(
    name: String, niceness: Int, _ body: @escaping @Sendable () -> Result
  ) throws(SystemError) -> Result {
    let box = ResultBox<Result>()
    let thread = try SystemThread(name: name) {
      prepare(niceness: CInt(clamping: niceness))
      let result = body()
      box.result.withLock { $0 = result }
    }
    thread.join()
    guard let result = box.result.withLock({ $0 }) else { preconditionFailure("a thread runs to its end") }
    return result
  }

  /// Readies the calling thread for writes that raise no signal, and for giving way to others.
  static func prepare(niceness: CInt) {
    let signals = [SIGPIPE, SIGXFSZ]
    let status = unsafe clinux_thread_block_signals(signals, signals.count)
    precondition(status == 0, "a thread may block the signals of its own writes")
    // Less priority is a wish: a sandbox may refuse it, and the work is the same without.
    if niceness != 0 { _ = clinux_thread_set_niceness(niceness) }
  }
}

/// What a thread leaves for another.
private final class ResultBox<Result: Sendable>: Sendable {
  let result = Guarded<Result?>(nil)
}
