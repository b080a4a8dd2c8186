import Platform

/// Counts what a session's sequences hold unread. Above 64 MiB no more is read from the gateway, until half is taken.
final class BackpressureMeter: Sendable {
  /// The most bytes that may wait for readers.
  static let limit = 64 << 20

  private struct State {
    var bytes = 0
    var isPaused = false
  }
  private let state = Guarded(State())
  /// Held while `setReading` is told what is so: two threads might tell it in the wrong order.
  private let callback = Guarded<(@Sendable (Bool) -> Void)?>(nil)

  /// Says who stops reading, and goes on; it must only pass that on.
  func connect(_ setReading: @escaping @Sendable (Bool) -> Void) {
    callback.withLock { $0 = setReading }
  }

  /// So many bytes wait besides.
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

  /// So many were taken.
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
