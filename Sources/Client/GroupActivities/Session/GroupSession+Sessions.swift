extension GroupSession {
  /// The sequence of the sessions of an activity (Apple's type). It yields each session once, when the session is offered.
  public struct Sessions: AsyncSequence, Sendable {
    /// A session.
    public typealias Element = GroupSession<ActivityType>
    /// The sequence never fails.
    public typealias Failure = Never
    /// The iterator's type.
    public typealias AsyncIterator = Iterator

    init() {}

    /// Subscribes to the sessions. The first iterator also receives the sessions that were offered before.
    public func makeAsyncIterator() -> Iterator {
      Iterator()
    }

    /// The iterator over the sessions.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
      /// A session.
      public typealias Element = Sessions.Element
      /// The sequence never fails.
      public typealias Failure = Never

      private let subscription = ActivityRegistry.shared.subscribe(to: ActivityType.activityIdentifier)

      /// Returns the next session; nil when the task is cancelled.
      public mutating func next() async -> Element? {
        await next(isolation: #isolation)
      }

      /// Returns the next session; nil when the task is cancelled.
      public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
        while let offer = await subscription.next() {
          if let session = offer.session(of: ActivityType.self) { return session }
        }
        return nil
      }
    }
  }
}
