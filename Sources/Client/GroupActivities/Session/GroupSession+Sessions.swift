extension GroupSession {
  /// The sessions of an activity as they come up, each once (Apple's type).
  public struct Sessions: AsyncSequence, Sendable {
    /// A session.
    public typealias Element = GroupSession<ActivityType>
    /// It never fails.
    public typealias Failure = Never
    /// What goes through it.
    public typealias AsyncIterator = Iterator

    init() {}

    /// Asks for sessions from here on, and for those that nobody was asked for yet.
    public func makeAsyncIterator() -> Iterator {
      Iterator()
    }

    /// Goes through the sessions.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
      /// A session.
      public typealias Element = Sessions.Element
      /// It never fails.
      public typealias Failure = Never

      private let subscription = ActivityRegistry.shared.subscribe(to: ActivityType.activityIdentifier)

      /// The next session; nil once the task is cancelled.
      public mutating func next() async -> Element? {
        await next(isolation: #isolation)
      }

      /// The next session; nil once the task is cancelled.
      public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
        while let offer = await subscription.next() {
          if let session = offer.session(of: ActivityType.self) { return session }
        }
        return nil
      }
    }
  }
}
