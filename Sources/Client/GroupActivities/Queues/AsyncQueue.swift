import Platform

/// An unbounded first-in, first-out queue that feeds one asynchronous iterator. Any thread may enqueue.
///
/// Before `finish`, only `replaceAll` drops elements.
final class AsyncQueue<Element: Sendable>: Sendable {
  private struct Waiter {
    let id: Int
    /// The actor on which the reader runs; nil if there is none.
    let actor: ObjectIdentifier?
    let continuation: CheckedContinuation<Resumption, Never>
  }

  private struct Resumption: Sendable {
    let element: Element?
    /// True if `ReaderOrder` resumed the reader.
    var isOrdered = false
  }

  private struct State {
    var buffer: [Element] = []
    /// The index in `buffer` of the first element that no iterator has received yet.
    var head = 0
    var waiters: [Waiter] = []
    var nextWaiterID = 0
    var isFinished = false
    /// The waiters whose tasks were cancelled before they were added to `waiters`.
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

  /// Appends an element. After `finish` the element is dropped.
  func enqueue(_ element: Element) {
    let waiter = state.withLock { state -> Waiter? in
      guard !state.isFinished else { return nil }
      guard state.waiters.isEmpty else { return state.waiters.removeFirst() }
      state.buffer.append(element)
      return nil
    }
    guard let waiter else { return }
    guard let actor = waiter.actor else {
      return waiter.continuation.resume(returning: Resumption(element: element))
    }
    ReaderOrder.shared.resume(on: actor) {
      waiter.continuation.resume(returning: Resumption(element: element, isOrdered: true))
    }
  }

  /// Replaces all buffered elements with one element. Used when readers need only the newest value.
  func replaceAll(with element: Element) {
    state.withLock { state in
      state.buffer.removeAll()
      state.head = 0
    }
    enqueue(element)
  }

  /// Ends the queue and resumes its waiters with nil.
  ///
  /// - Parameter keepsBuffered: true if readers may still receive the buffered elements.
  /// - Returns: the elements that readers can no longer receive.
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
    for waiter in waiters { waiter.continuation.resume(returning: Resumption(element: nil)) }
    return dropped
  }

  /// Returns the next element; nil at the end, and when the task is cancelled.
  ///
  /// A buffered element is returned without a suspension. Readers on one actor that wait in several queues resume in the
  /// order in which their queues received an element.
  func next(isolation actor: isolated (any Actor)? = #isolation) async -> Element? {
    if !Task.isCancelled, let element = state.withLock({ $0.popFirst() }) { return element }
    let id = state.withLock { state in
      state.nextWaiterID += 1
      return state.nextWaiterID
    }
    // If a waiter is resumed and cancelled at the same time, its id is still in `cancelledWaiters` and is removed here.
    defer { if Task.isCancelled { state.withLock { _ = $0.cancelledWaiters.remove(id) } } }
    // The operation captures `actor`. In Swift 6.3, a closure without this capture would run on the global executor. An element
    // might then arrive before the reader waits.
    let resumption = await withTaskCancellationHandler(
      operation: { await wait(id, isolation: actor) },
      onCancel: { cancel(id) },
      isolation: actor)
    if resumption.isOrdered, let actor { ReaderOrder.shared.didArrive(on: ObjectIdentifier(actor)) }
    return resumption.element
  }

  private func wait(_ id: Int, isolation actor: isolated (any Actor)?) async -> Resumption {
    await withCheckedContinuation(isolation: actor) { continuation in
      let immediate = state.withLock { state -> Resumption? in
        if state.cancelledWaiters.remove(id) != nil { return Resumption(element: nil) }
        if let element = state.popFirst() { return Resumption(element: element) }
        if state.isFinished { return Resumption(element: nil) }
        state.waiters.append(
          Waiter(id: id, actor: actor.map { ObjectIdentifier($0) }, continuation: continuation))
        return nil
      }
      if let immediate { continuation.resume(returning: immediate) }
    }
  }

  private func cancel(_ id: Int) {
    let waiter = state.withLock { state -> Waiter? in
      guard let index = state.waiters.firstIndex(where: { $0.id == id }) else {
        state.cancelledWaiters.insert(id)
        return nil
      }
      return state.waiters.remove(at: index)
    }
    waiter?.continuation.resume(returning: Resumption(element: nil))
  }
}
