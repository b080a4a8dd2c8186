import SessionClient
import Platform
import Wire

/// Sends each event of a session, when it arrives, to the subscribers of `GroupSession.entries`.
final class EntryBroadcaster: Sendable {
  private struct State {
    var subscribers: [ObjectIdentifier: AsyncQueue<GroupSessionEntry>] = [:]
    var isClosed = false
  }
  private let state = Guarded(State())
  private let meter: BackpressureMeter

  /// Creates a broadcaster. The meter counts the bytes that the subscribers have not read.
  init(meter: BackpressureMeter) {
    self.meter = meter
  }

  /// Sends an event to all subscribers. Called on the client's event loop.
  func broadcast(_ notice: SessionEvent, gateway: GatewayAddress) {
    guard state.withLock({ !$0.subscribers.isEmpty }), let entry = GroupSessionEntry(notice, gateway: gateway)
    else {
      return
    }
    let count = state.withLock { state in
      for queue in state.subscribers.values { queue.enqueue(entry) }
      return state.subscribers.count
    }
    meter.add(entry.cost * count)
  }

  /// Subscribes to all events from now on.
  func subscribe() -> EntrySubscription {
    let queue = AsyncQueue<GroupSessionEntry>()
    let subscription = EntrySubscription(queue: queue, broadcaster: self)
    state.withLock { state in
      if state.isClosed {
        queue.finish(keepsBuffered: false)
      } else {
        state.subscribers[ObjectIdentifier(subscription)] = queue
      }
    }
    return subscription
  }

  /// Ends all subscriptions. Subscribers can still read their buffered entries.
  func close() {
    let subscribers = state.withLock { state in
      state.isClosed = true
      defer { state.subscribers = [:] }
      return state.subscribers
    }
    for queue in subscribers.values { queue.finish(keepsBuffered: true) }
  }

  fileprivate func recordConsumed(_ bytes: Int) {
    meter.subtract(bytes)
  }

  fileprivate func remove(_ subscription: ObjectIdentifier, _ queue: AsyncQueue<GroupSessionEntry>) {
    state.withLock { $0.subscribers[subscription] = nil }
    recordConsumed(queue.finish(keepsBuffered: false).reduce(0) { $0 + $1.cost })
  }
}

/// The subscription of one `GroupSession.entries` sequence. The subscription ends when the last reference to this object is
/// released.
final class EntrySubscription: Sendable {
  private let queue: AsyncQueue<GroupSessionEntry>
  private let broadcaster: EntryBroadcaster

  fileprivate init(queue: AsyncQueue<GroupSessionEntry>, broadcaster: EntryBroadcaster) {
    self.queue = queue
    self.broadcaster = broadcaster
  }

  deinit {
    broadcaster.remove(ObjectIdentifier(self), queue)
  }

  /// Returns the next entry; nil at the end.
  func next() async -> GroupSessionEntry? {
    guard let entry = await queue.next() else { return nil }
    broadcaster.recordConsumed(entry.cost)
    return entry
  }
}

extension GroupSessionEntry {
  /// The size that `BackpressureMeter` counts for the entry, in bytes.
  fileprivate var cost: Int {
    if case .message(let message) = self { message.payload.count + 128 } else { 128 }
  }
}
