internal import Synchronization
import Platform

/// A queue with one reader that waits: what feeds an iterator. Any thread puts in; nothing is lost until it ends.
final class Inlet<Element: Sendable>: Sendable {
  private struct State {
    var waiting: [Element] = []
    var taken = 0
    var readers: [(id: Int, continuation: CheckedContinuation<Element?, Never>)] = []
    var nextReader = 0
    var isFinished = false
    /// Readers that were cancelled before they began to wait.
    var cancelled: Set<Int> = []

    mutating func next() -> Element? {
      guard taken < waiting.count else { return nil }
      let element = waiting[taken]
      taken += 1
      if taken == waiting.count || taken > 1_024 {
        waiting.removeFirst(taken)
        taken = 0
      }
      return element
    }
  }
  private let state = Guarded(State())

  /// Puts an element in; after the end it is dropped.
  func put(_ element: Element) {
    let reader = state.withLock { state -> CheckedContinuation<Element?, Never>? in
      guard !state.isFinished else { return nil }
      guard state.readers.isEmpty else { return state.readers.removeFirst().continuation }
      state.waiting.append(element)
      return nil
    }
    reader?.resume(returning: element)
  }

  /// Puts an element in instead of all that waits: for what is told whole each time.
  func replace(with element: Element) {
    state.withLock { state in
      state.waiting.removeAll()
      state.taken = 0
    }
    put(element)
  }

  /// Ends it.
  ///
  /// - Parameter keepsWaiting: whether what is in it may still be read.
  /// - Returns: what can no longer be read.
  @discardableResult
  func finish(keepsWaiting: Bool) -> [Element] {
    let (readers, dropped) = state.withLock { state in
      state.isFinished = true
      defer { state.readers.removeAll() }
      guard !keepsWaiting else { return (state.readers, [Element]()) }
      defer {
        state.waiting.removeAll()
        state.taken = 0
      }
      return (state.readers, Array(state.waiting[state.taken...]))
    }
    for reader in readers { reader.continuation.resume(returning: nil) }
    return dropped
  }

  /// The next element; nil at the end, and when the task is cancelled.
  ///
  /// One that waits is given without a suspension: who reads two sequences on one actor, each by a task of its own, then
  /// handles what came first before what came after it, whichever of the two it is in.
  func next() async -> Element? {
    if !Task.isCancelled, let element = state.withLock({ $0.next() }) { return element }
    let id = state.withLock { state in
      state.nextReader += 1
      return state.nextReader
    }
    // A reader that was answered and cancelled at once has left its id behind.
    defer { if Task.isCancelled { state.withLock { _ = $0.cancelled.remove(id) } } }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (isAnswered, element) = state.withLock { state -> (Bool, Element?) in
          if state.cancelled.remove(id) != nil { return (true, nil) }
          if let element = state.next() { return (true, element) }
          if state.isFinished { return (true, nil) }
          state.readers.append((id, continuation))
          return (false, nil)
        }
        if isAnswered { continuation.resume(returning: element) }
      }
    } onCancel: {
      let reader = state.withLock { state -> CheckedContinuation<Element?, Never>? in
        guard let index = state.readers.firstIndex(where: { $0.id == id }) else {
          state.cancelled.insert(id)
          return nil
        }
        return state.readers.remove(at: index).continuation
      }
      reader?.resume(returning: nil)
    }
  }
}
