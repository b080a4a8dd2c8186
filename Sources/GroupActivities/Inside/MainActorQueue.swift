import Transport

/// Does things on the main actor in the order in which they were put in, whichever threads put them: a task each would
/// promise no order.
final class MainActorQueue: Sendable {
  /// The program's one: what happens in two sessions has an order too.
  static let shared = MainActorQueue()

  private struct State {
    var waiting: [@MainActor @Sendable () -> Void] = []
    var isRunning = false
  }
  private let state = Guarded(State())

  /// Puts something in.
  func async(_ work: @escaping @MainActor @Sendable () -> Void) {
    let starts = state.withLock { state in
      state.waiting.append(work)
      defer { state.isRunning = true }
      return !state.isRunning
    }
    guard starts else { return }
    Task { @MainActor in
      while let work = self.next() { work() }
    }
  }

  private func next() -> (@MainActor @Sendable () -> Void)? {
    state.withLock { state in
      guard !state.waiting.isEmpty else {
        state.isRunning = false
        return nil
      }
      return state.waiting.removeFirst()
    }
  }
}
