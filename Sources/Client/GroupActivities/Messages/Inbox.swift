import SessionClient
import Networking
import Platform
import Wire

/// Leads a session's messages to those who listen, by their types.
final class Inbox: Sendable {
  private struct Subscriber {
    let id: UInt64
    let queue: AsyncQueue<ReceivedEntry>
    /// It began in the middle of a snapshot, whose repeats nobody has told it: the highest client sequence that it was
    /// told of each sender since, for the snapshot may be cut and begin anew. Nil for who began elsewhere.
    var delivered: [ParticipantNumber: UInt32]?

    /// Whether an entry is news to it, which it then no longer is.
    mutating func accepts(_ entry: ReceivedEntry) -> Bool {
      guard let highest = delivered?[entry.source.number, default: 0] else { return !entry.isRepeat }
      guard !entry.isRepeat || entry.clientSequence > highest else { return false }
      delivered?[entry.source.number] = max(highest, entry.clientSequence)
      return true
    }
  }

  private struct State {
    var subscribers: [String: [Subscriber]] = [:]
    /// The types that somebody has listened to.
    var subscribedTypes: Set<String> = []
    var unclaimed = UnclaimedMessages()
    var keepsUnclaimed = true
    var nextID: UInt64 = 0
    var isInSnapshot = false
    var isClosed = false
    var isDiscarded = false
    /// Nil while events are delivered as they arrive.
    var deferred: DeferredEvents?

    /// Delivers an event, or defers it while delivery is suspended.
    ///
    /// - Returns: the number of bytes that now wait for readers.
    mutating func receive(_ event: InboxEvent) -> Int {
      guard deferred != nil else { return deliver(event) }
      // A program that takes everything raw has no use for messages without a subscriber.
      if case .entry = event, !keepsUnclaimed, subscribers.isEmpty { return 0 }
      deferred?.append(event)
      return deferred?.isFull == true ? resumeDelivery() : 0
    }

    /// Delivers what was deferred.
    ///
    /// - Returns: the number of bytes that now wait for readers.
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

  /// An inbox whose unread messages are counted there.
  init(meter: BackpressureMeter) {
    self.meter = meter
  }

  /// Holds no messages for who may listen later: a program that takes everything raw has no use for them.
  func discardUnclaimed() {
    state.withLock { state in
      state.keepsUnclaimed = false
      state.unclaimed = UnclaimedMessages()
    }
  }

  /// Takes a message, or my own; on the client's loop.
  func deliver(_ entry: ReceivedEntry) {
    receive(.entry(entry))
  }

  /// What follows is a catch-up.
  func beginCatchUp(isSnapshot: Bool) {
    receive(.catchUpBegan(isSnapshot: isSnapshot))
  }

  /// What follows is live.
  func endCatchUp() {
    receive(.catchUpEnded)
  }

  /// Defers what arrives from here on, up to 256 MiB, until `resumeDelivery`.
  func suspendDelivery() {
    state.withLock { $0.deferred = DeferredEvents() }
  }

  /// Delivers what was deferred, in its order, and from here on everything as it arrives.
  func resumeDelivery() {
    meter.add(state.withLock { $0.resumeDelivery() })
  }

  private func receive(_ event: InboxEvent) {
    meter.add(state.withLock { $0.receive(event) })
  }

  /// Begins to listen; the first who listens to a type is given what was held of it.
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

  /// Ends all sequences.
  ///
  /// - Parameter keepsBuffered: whether what has come may still be read; nothing may after a leave of one's own.
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

  /// Whether nothing may be read any more.
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

/// One iterator's place in an inbox; it stops current when nobody holds it.
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

  /// The next message of the type; nil when there will be none.
  func next() async -> ReceivedEntry? {
    guard let entry = await queue.next() else { return nil }
    inbox.recordConsumed(entry.cost)
    return entry
  }

  /// Whether even what has come may no longer be read.
  var isDiscarded: Bool { inbox.isDiscarded }
}
