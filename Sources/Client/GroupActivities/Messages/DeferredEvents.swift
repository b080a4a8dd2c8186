import SessionClient

/// An event of a session that changes its messages.
enum InboxEvent: Sendable {
  case entry(ReceivedEntry)
  case catchUpBegan(isSnapshot: Bool)
  case catchUpEnded
}

/// The events of a session that are not delivered yet, in their order.
struct DeferredEvents: Sendable {
  /// The most bytes that are deferred: the size that a session may have.
  static let limit = UnclaimedMessages.maximumRetainedBytes

  private(set) var events: [InboxEvent] = []
  private var bytes = 0
  private let limit: Int

  /// No events yet.
  init(limit: Int = Self.limit) {
    self.limit = limit
  }

  /// Appends an event.
  mutating func append(_ event: InboxEvent) {
    if case .entry(let entry) = event { bytes += entry.cost }
    events.append(event)
  }

  /// True when nothing more may be deferred.
  var isFull: Bool { bytes > limit }
}
