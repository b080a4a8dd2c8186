internal import Synchronization
import Platform

/// A queue with one waiter that waits: what feeds an iterator. Any thread puts in; nothing is lost until it ends.
final class AsyncQueue<Element: Sendable>: Sendable {
  private struct State {
    var buffer: [Element] = []
    var head = 0
    var waiters: [(id: Int, continuation: CheckedContinuation<Element?, Never>)] = []
    var nextWaiterID = 0
    var isFinished = false
    /// Readers that were cancelled before they began to wait.
    var cancelledWaiters: Set<Int> = []

    mutating func popFirst() -> Element? {
      guard head < buffer.count else { return nil }
      let element = buffer[head]
      head += 1
      if head == buffer.count || head > 1_024 {
        buffer.removeFirst(head)
        head = 0
      }
      return element
    }
  }
  private let state = Guarded(State())

  /// Puts an element in; after the end it is dropped.
  func enqueue(_ element: Element) {
    let waiter = state.withLock { state -> CheckedContinuation<Element?, Never>? in
      guard !state.isFinished else { return nil }
      guard state.waiters.isEmpty else { return state.waiters.removeFirst().continuation }
      state.buffer.append(element)
      return nil
    }
    waiter?.resume(returning: element)
  }

  /// Puts an element in instead of all that waits: for what is told whole each time.
  func replaceAll(with element: Element) {
    state.withLock { state in
      state.buffer.removeAll()
      state.head = 0
    }
    enqueue(element)
  }

  /// Ends it.
  ///
  /// - Parameter keepsBuffered: whether what is in it may still be read.
  /// - Returns: what can no longer be read.
  @discardableResult
  func finish(keepsBuffered: Bool) -> [Element] {
    let (waiters, dropped) = state.withLock { state in
      state.isFinished = true
      defer { state.waiters.removeAll() }
      guard !keepsBuffered else { return (state.waiters, [Element]()) }
      defer {
        state.buffer.removeAll()
        state.head = 0
      }
      return (state.waiters, Array(state.buffer[state.head...]))
    }
    for waiter in waiters { waiter.continuation.resume(returning: nil) }
    return dropped
  }

  /// The next element; nil at the end, and when the task is cancelled.
  ///
  /// One that waits is given without a suspension: who reads two sequences on one actor, each by a task of its own, then
  /// handles what came first before what came after it, whichever of the two it is in.
  func next() async -> Element? {
    if !Task.isCancelled, let element = state.withLock({ $0.popFirst() }) { return element }
    let id = state.withLock { state in
      state.nextWaiterID += 1
      return state.nextWaiterID
    }
    // A waiter that was answered and cancelled at once has left its id behind.
    defer { if Task.isCancelled { state.withLock { _ = $0.cancelledWaiters.remove(id) } } }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (isResumed, element) = state.withLock { state -> (Bool, Element?) in
          if state.cancelledWaiters.remove(id) != nil { return (true, nil) }
          if let element = state.popFirst() { return (true, element) }
          if state.isFinished { return (true, nil) }
          state.waiters.append((id, continuation))
          return (false, nil)
        }
        if isResumed { continuation.resume(returning: element) }
      }
    } onCancel: {
      let waiter = state.withLock { state -> CheckedContinuation<Element?, Never>? in
        guard let index = state.waiters.firstIndex(where: { $0.id == id }) else {
          state.cancelledWaiters.insert(id)
          return nil
        }
        return state.waiters.remove(at: index).continuation
      }
      waiter?.resume(returning: nil)
    }
  }
}
