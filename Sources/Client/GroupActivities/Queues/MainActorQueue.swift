import Platform

/// Does things on the main actor in the order in which they were put in, whichever threads put them: a task each would
/// promise no order.
final class MainActorQueue: Sendable {
  /// The program's one: what happens in two sessions has an order too.
  static let shared = MainActorQueue()
  /// So many things are done until others may run on the main actor.
  private static let batchSize = 64

  typealias Work = @MainActor @Sendable () -> Void

  private struct State {
    var pending: [Work] = []
    var isRunning = false
  }
  private let state = Guarded(State())

  /// Puts something in.
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
