import SessionClient
import FoundationEssentials
import Platform
import Wire

/// The attachments of a session, as those who follow them are told: whole each time, and only what can be read.
final class AttachmentBroadcaster: Sendable {
  private struct State {
    var ready: [AttachmentObject] = []
    /// Whether it is known what there is: not before the first catch-up.
    var isKnown = false
    var hasChanged = false
    var isClosed = false
    var isDiscarded = false
    var subscribers: [ObjectIdentifier: AsyncQueue<[AttachmentObject]>] = [:]
  }
  private let state = Guarded(State())

  /// All attachments, those that are still arriving too.
  func update(_ attachments: [AttachmentObject]) {
    let ready = attachments.filter { $0.state == .ready }
    state.withLock { state in
      guard state.ready.map(\.id) != ready.map(\.id) else { return }
      state.ready = ready
      state.hasChanged = true
    }
    publish()
  }

  /// It is known what there is. Within a later catch-up nothing is told before it is whole.
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

  /// Follows them: what there is first, then each change.
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

  /// The attachment as it is once it can be read; nil while it cannot.
  func ready(_ id: UUID) -> AttachmentObject? {
    state.withLock { $0.ready.first { $0.id == id } }
  }

  /// Ends all sequences.
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

/// One iterator's following of a journal; it ends when nobody holds it.
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

  /// The attachments as they are now; waits for a change behind the last that it gave. Nil when there will be none.
  func next() async -> [AttachmentObject]? {
    await queue.next()
  }
}
