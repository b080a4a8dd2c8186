import SessionClient
import FoundationEssentials
import Platform
import Wire

/// Sends the list of a session's complete attachments to subscribers after each change of the list.
final class AttachmentBroadcaster: Sendable {
  private struct State {
    var ready: [AttachmentObject] = []
    /// False until the first catch-up has ended.
    var isKnown = false
    var hasChanged = false
    var isClosed = false
    var isDiscarded = false
    var subscribers: [ObjectIdentifier: AsyncQueue<[AttachmentObject]>] = [:]
  }
  private let state = Guarded(State())

  /// Sets the list of all attachments, including incomplete uploads.
  func update(_ attachments: [AttachmentObject]) {
    let ready = attachments.filter { $0.state == .ready }
    state.withLock { state in
      guard state.ready.map(\.id) != ready.map(\.id) else { return }
      state.ready = ready
      state.hasChanged = true
    }
    publish()
  }

  /// Records the end of a catch-up. The first list is published only after the first catch-up.
  func endCatchUp() {
    state.withLock { state in
      if !state.isKnown {
        state.isKnown = true
        state.hasChanged = true
      }
    }
    publish()
  }

  private func publish() {
    let (queues, ready) = state.withLock { state -> ([AsyncQueue<[AttachmentObject]>], [AttachmentObject]) in
      guard state.hasChanged, state.isKnown, !state.isClosed else { return ([], []) }
      state.hasChanged = false
      return (Array(state.subscribers.values), state.ready)
    }
    for queue in queues { queue.replaceAll(with: ready) }
  }

  /// Subscribes to the list. The subscriber receives the current list first, and the whole list again after each change.
  func subscribe() -> AttachmentSubscription {
    let queue = AsyncQueue<[AttachmentObject]>()
    let subscription = AttachmentSubscription(queue: queue, broadcaster: self)
    state.withLock { state in
      if state.isKnown, !state.isDiscarded { queue.enqueue(state.ready) }
      if state.isClosed {
        queue.finish(keepsBuffered: !state.isDiscarded)
      } else {
        state.subscribers[ObjectIdentifier(subscription)] = queue
      }
    }
    return subscription
  }

  /// Ends all subscriptions.
  ///
  /// - Parameter keepsBuffered: true if a buffered list may still be read.
  func close(keepsBuffered: Bool) {
    let subscribers = state.withLock { state in
      state.isClosed = true
      if !keepsBuffered { state.isDiscarded = true }
      defer { state.subscribers = [:] }
      return state.subscribers
    }
    for queue in subscribers.values { queue.finish(keepsBuffered: keepsBuffered) }
  }

  fileprivate func remove(_ subscription: ObjectIdentifier) {
    state.withLock { $0.subscribers[subscription] = nil }
  }
}

/// The subscription of one iterator. It ends when the last reference to this object is released.
final class AttachmentSubscription: Sendable {
  private let queue: AsyncQueue<[AttachmentObject]>
  private let broadcaster: AttachmentBroadcaster

  fileprivate init(queue: AsyncQueue<[AttachmentObject]>, broadcaster: AttachmentBroadcaster) {
    self.queue = queue
    self.broadcaster = broadcaster
  }

  deinit {
    broadcaster.remove(ObjectIdentifier(self))
  }

  /// Waits until the list differs from the list returned last, and returns the new list; nil at the end.
  func next() async -> [AttachmentObject]? {
    await queue.next()
  }
}
