import Platform

/// Counts the unread bytes of a session's sequences. Above 64 MiB, the session stops reading from the gateway, until fewer than
/// 32 MiB are unread.
final class BackpressureMeter: Sendable {
  /// The number of unread bytes above which reading stops.
  static let limit = 64 << 20

  private struct State {
    var bytes = 0
    var isPaused = false
  }
  private let state = Guarded(State())
  /// The closure that stops and resumes reading. The lock is held while the closure runs, so that two threads cannot report their
  /// states in the wrong order.
  private let callback = Guarded<(@Sendable (Bool) -> Void)?>(nil)

  /// Sets the closure that stops and resumes reading. The closure is called with a lock held and must return quickly.
  func connect(_ setReading: @escaping @Sendable (Bool) -> Void) {
    callback.withLock { $0 = setReading }
  }

  /// Adds bytes that were buffered.
  func add(_ bytes: Int) {
    guard bytes > 0 else { return }
    let hasChanged = state.withLock { state in
      state.bytes += bytes
      guard state.bytes > Self.limit, !state.isPaused else { return false }
      state.isPaused = true
      return true
    }
    if hasChanged { notify() }
  }

  /// Subtracts bytes that were read.
  func subtract(_ bytes: Int) {
    guard bytes > 0 else { return }
    let hasChanged = state.withLock { state in
      state.bytes -= bytes
      guard state.isPaused, state.bytes < Self.limit / 2 else { return false }
      state.isPaused = false
      return true
    }
    if hasChanged { notify() }
  }

  private func notify() {
    callback.withLock { setReading in
      setReading?(!state.withLock { $0.isPaused })
    }
  }
}
