import SessionClient
import Networking
import Platform
import Wire

/// Delivers the messages of a session to the subscribers of their types.
final class Inbox: Sendable {
  private struct Subscriber {
    let id: UInt64
    let queue: AsyncQueue<ReceivedEntry>
    /// The highest client sequence that this subscriber received from each sender; nil unless it subscribed during a snapshot. If
    /// that snapshot is interrupted, the next snapshot repeats entries that the subscriber has already received; the sequences
    /// identify these entries.
    var delivered: [ParticipantNumber: UInt32]?

    /// Returns true if the subscriber has not received this entry before, and records the entry as received.
    mutating func accepts(_ entry: ReceivedEntry) -> Bool {
      guard let highest = delivered?[entry.source.number, default: 0] else { return !entry.isRepeat }
      guard !entry.isRepeat || entry.clientSequence > highest else { return false }
      delivered?[entry.source.number] = max(highest, entry.clientSequence)
      return true
    }
  }

  private struct State {
    var subscribers: [String: [Subscriber]] = [:]
    /// The types that have a subscriber, or had one.
    var subscribedTypes: Set<String> = []
    var unclaimed = UnclaimedMessages()
    var keepsUnclaimed = true
    var nextID: UInt64 = 0
    var isInSnapshot = false
    var isClosed = false
    var isDiscarded = false
    /// The deferred events; nil while events are delivered as they arrive.
    var deferred: DeferredEvents?

    /// Delivers an event, or defers it while delivery is suspended.
    ///
    /// - Returns: the number of bytes that were buffered for subscribers.
    mutating func receive(_ event: InboxEvent) -> Int {
      guard deferred != nil else { return deliver(event) }
      // A program that reads `entries` does not need messages of types without a subscriber.
      if case .entry = event, !keepsUnclaimed, subscribers.isEmpty { return 0 }
      deferred?.append(event)
      return deferred?.isFull == true ? resumeDelivery() : 0
    }

    /// Delivers the deferred events.
    ///
    /// - Returns: the number of bytes that were buffered for subscribers.
    mutating func resumeDelivery() -> Int {
      let events = deferred?.events ?? []
      deferred = nil
      return events.reduce(0) { $0 + deliver($1) }
    }

    private mutating func deliver(_ event: InboxEvent) -> Int {
      switch event {
      case .entry(let entry): return deliver(entry)
      case .catchUpBegan(let isSnapshot):
        isInSnapshot = isSnapshot
        if isSnapshot { unclaimed.beginSnapshot() }
      case .catchUpEnded:
        isInSnapshot = false
        for type in subscribers.keys {
          for index in subscribers[type, default: []].indices { subscribers[type]?[index].delivered = nil }
        }
      }
      return 0
    }

    private mutating func deliver(_ entry: ReceivedEntry) -> Int {
      let changesNothing = entry.flags.contains(.existing)
      let isMessage = !entry.isMine && !changesNothing && entry.flags.retention != .remove
      guard !isClosed, !changesNothing else { return 0 }
      let isSubscribed = subscribedTypes.contains(entry.type)
      if keepsUnclaimed {
        unclaimed.add(entry, keeps: isMessage && !isSubscribed && entry.flags.contains(.reliable))
      }
      guard isMessage, isSubscribed, let current = subscribers[entry.type] else { return 0 }
      var bytes = 0
      for index in current.indices where subscribers[entry.type]?[index].accepts(entry) == true {
        current[index].queue.enqueue(entry)
        bytes += entry.cost
      }
      return bytes
    }
  }
  private let state = Guarded(State())
  private let meter: BackpressureMeter

  /// Creates an inbox. The meter counts the bytes that the subscribers have not read.
  init(meter: BackpressureMeter) {
    self.meter = meter
  }

  /// Drops the buffered messages of types without a subscriber, and from now on drops all further messages of such types. A
  /// program that reads `entries` does not need these messages.
  func discardUnclaimed() {
    state.withLock { state in
      state.keepsUnclaimed = false
      state.unclaimed = UnclaimedMessages()
    }
  }

  /// Delivers an entry of any sender, including this program. Called on the client's event loop.
  func deliver(_ entry: ReceivedEntry) {
    receive(.entry(entry))
  }

  /// Records that the next entries belong to a catch-up.
  func beginCatchUp(isSnapshot: Bool) {
    receive(.catchUpBegan(isSnapshot: isSnapshot))
  }

  /// Records that the next entries are live.
  func endCatchUp() {
    receive(.catchUpEnded)
  }

  /// Defers events, up to 256 MiB, until `resumeDelivery`.
  func suspendDelivery() {
    state.withLock { $0.deferred = DeferredEvents() }
  }

  /// Delivers the deferred events in their order. Later events are delivered as they arrive.
  func resumeDelivery() {
    meter.add(state.withLock { $0.resumeDelivery() })
  }

  private func receive(_ event: InboxEvent) {
    meter.add(state.withLock { $0.receive(event) })
  }

  /// Subscribes to a type. The first subscriber of a type also receives the messages that arrived before it subscribed.
  func subscribe(to type: String) -> MessageSubscription {
    let queue = AsyncQueue<ReceivedEntry>()
    let (id, bytes) = state.withLock { state in
      state.nextID += 1
      guard !state.isDiscarded else {
        queue.finish(keepsBuffered: false)
        return (state.nextID, 0)
      }
      let isFirst = state.subscribedTypes.insert(type).inserted
      let released = isFirst ? state.unclaimed.removeAll(ofType: type) : []
      for entry in released { queue.enqueue(entry) }
      let bytes = released.reduce(0) { $0 + $1.cost }
      guard !state.isClosed else {
        queue.finish(keepsBuffered: true)
        return (state.nextID, bytes)
      }
      var subscriber = Subscriber(
        id: state.nextID, queue: queue, delivered: isFirst && state.isInSnapshot ? [:] : nil)
      for entry in released { _ = subscriber.accepts(entry) }
      state.subscribers[type, default: []].append(subscriber)
      return (state.nextID, bytes)
    }
    meter.add(bytes)
    return MessageSubscription(type: type, id: id, queue: queue, inbox: self)
  }

  /// Ends all subscriptions.
  ///
  /// - Parameter keepsBuffered: true if subscribers may still read buffered messages; false after this program left.
  func close(keepsBuffered: Bool) {
    let (subscribers, bytes) = state.withLock { state in
      let bytes = keepsBuffered ? state.resumeDelivery() : 0
      state.deferred = nil
      state.isClosed = true
      if !keepsBuffered { state.isDiscarded = true }
      defer { state.subscribers = [:] }
      return (state.subscribers, bytes)
    }
    meter.add(bytes)
    for subscriber in subscribers.values.joined() { subscriber.queue.finish(keepsBuffered: keepsBuffered) }
  }

  /// True after `close(keepsBuffered: false)`: subscribers may no longer read even buffered messages.
  var isDiscarded: Bool { state.withLock { $0.isDiscarded } }

  fileprivate func recordConsumed(_ bytes: Int) {
    meter.subtract(bytes)
  }

  fileprivate func remove(_ subscription: MessageSubscription) {
    state.withLock { state in
      state.subscribers[subscription.type]?.removeAll { $0.id == subscription.id }
    }
    let unread = subscription.queue.finish(keepsBuffered: false)
    recordConsumed(unread.reduce(0) { $0 + $1.cost })
  }
}

/// The subscription of one iterator. It ends when the last reference to this object is released.
final class MessageSubscription: Sendable {
  fileprivate let type: String
  fileprivate let id: UInt64
  fileprivate let queue: AsyncQueue<ReceivedEntry>
  private let inbox: Inbox

  fileprivate init(type: String, id: UInt64, queue: AsyncQueue<ReceivedEntry>, inbox: Inbox) {
    self.type = type
    self.id = id
    self.queue = queue
    self.inbox = inbox
  }

  deinit {
    inbox.remove(self)
  }

  /// Returns the next entry of the type; nil at the end.
  func next() async -> ReceivedEntry? {
    guard let entry = await queue.next() else { return nil }
    inbox.recordConsumed(entry.cost)
    return entry
  }

  /// True after `close(keepsBuffered: false)`: subscribers may no longer read even buffered messages.
  var isDiscarded: Bool { inbox.isDiscarded }
}
