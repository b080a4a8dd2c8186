import Platform

/// Runs closures on the main actor in the order in which they were added. Any thread may add closures. Separate `Task`s would not
/// keep this order.
final class MainActorQueue: Sendable {
  /// The queue that all sessions of the process share, so that their events have one order.
  static let shared = MainActorQueue()
  /// The number of closures after which other tasks of the main actor get a chance to run.
  private static let batchSize = 64

  typealias Work = @MainActor @Sendable () -> Void

  private struct State {
    var pending: [Work] = []
    var isRunning = false
  }
  private let state = Guarded(State())

  /// Adds a closure.
  func async(_ work: @escaping Work) {
    let starts = state.withLock { state in
      state.pending.append(work)
      defer { state.isRunning = true }
      return !state.isRunning
    }
    guard starts else { return }
    Task { @MainActor in
      while let all = self.removeAll() {
        for (index, work) in all.enumerated() {
          if index > 0, index.isMultiple(of: Self.batchSize) { await Task.yield() }
          work()
        }
        await Task.yield()
      }
    }
  }

  private func removeAll() -> [Work]? {
    state.withLock { state in
      guard !state.pending.isEmpty else {
        state.isRunning = false
        return nil
      }
      defer { state.pending = [] }
      return state.pending
    }
  }
}
