import SessionClient

/// An event that changes the state of an inbox.
enum InboxEvent: Sendable {
  case entry(ReceivedEntry)
  case catchUpBegan(isSnapshot: Bool)
  case catchUpEnded
}

/// The events of a session that are not delivered yet, in their order.
struct DeferredEvents: Sendable {
  /// The number of bytes that may be deferred: the default size limit of a session.
  static let limit = UnclaimedMessages.maximumRetainedBytes

  private(set) var events: [InboxEvent] = []
  private var bytes = 0
  private let limit: Int

  /// Creates an empty list.
  init(limit: Int = Self.limit) {
    self.limit = limit
  }

  /// Appends an event.
  mutating func append(_ event: InboxEvent) {
    if case .entry(let entry) = event { bytes += entry.cost }
    events.append(event)
  }

  /// True when no more events may be deferred.
  var isFull: Bool { bytes > limit }
}
