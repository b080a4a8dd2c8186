import SessionClient

/// An event that changes the state of an inbox.
enum InboxEvent: Sendable {
  case entry(ReceivedEntry)
  case catchUpBegan(isSnapshot: Bool)
  case catchUpEnded
}

/// The events of a session that are not delivered yet, in the order of their arrival.
struct DeferredEvents: Sendable {
  /// The maximum number of deferred bytes: the default size limit of a session.
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

  /// True when the limit is exceeded.
  var isFull: Bool { bytes > limit }
}
