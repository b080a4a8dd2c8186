/// Apple's `AsyncPublisher`: a publisher's values as an asynchronous sequence.
///
/// It asks for one value at a time. What is published while nobody waits is left out; of `@Published` and
/// `CurrentValueSubject` the newest value is told then.
public struct AsyncPublisher<P: Publisher>: AsyncSequence where P.Failure == Never {
  /// What is published.
  public typealias Element = P.Output
  /// It cannot fail.
  public typealias Failure = Never

  private let publisher: P

  /// The values of a publisher.
  public init(_ publisher: P) {
    self.publisher = publisher
  }

  /// Subscribes.
  public func makeAsyncIterator() -> Iterator {
    Iterator(PullSubscription(of: publisher))
  }

  /// Subscribed until it is dropped, or its task is cancelled.
  public struct Iterator: AsyncIteratorProtocol {
    private let values: PullSubscription<P.Output, Never>

    init(_ values: PullSubscription<P.Output, Never>) {
      self.values = values
    }

    /// The next value; nil when nothing follows.
    public mutating func next() async -> P.Output? {
      await next(isolation: #isolation)
    }

    /// The next value; nil when nothing follows.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> P.Output? {
      switch await values.next(isolation: actor) {
      case .success(let value): value
      }
    }
  }
}

/// Apple's `AsyncThrowingPublisher`: a publisher's values as an asynchronous sequence, which throws how that failed.
///
/// It asks for one value at a time, as `AsyncPublisher`.
public struct AsyncThrowingPublisher<P: Publisher>: AsyncSequence {
  /// What is published.
  public typealias Element = P.Output
  /// How it may fail.
  public typealias Failure = P.Failure

  private let publisher: P

  /// The values of a publisher.
  public init(_ publisher: P) {
    self.publisher = publisher
  }

  /// Subscribes.
  public func makeAsyncIterator() -> Iterator {
    Iterator(PullSubscription(of: publisher))
  }

  /// Subscribed until it is dropped, or its task is cancelled.
  public struct Iterator: AsyncIteratorProtocol {
    private let values: PullSubscription<P.Output, P.Failure>

    init(_ values: PullSubscription<P.Output, P.Failure>) {
      self.values = values
    }

    /// The next value; nil when nothing follows.
    public mutating func next() async throws(P.Failure) -> P.Output? {
      try await next(isolation: #isolation)
    }

    /// The next value; nil when nothing follows.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(P.Failure) -> P.Output? {
      try await values.next(isolation: actor).get()
    }
  }
}

extension Publisher where Failure == Never {
  /// The values as an asynchronous sequence.
  public var values: AsyncPublisher<Self> {
    AsyncPublisher(self)
  }
}

extension Publisher {
  /// The values as an asynchronous sequence, which throws how the publisher failed.
  public var values: AsyncThrowingPublisher<Self> {
    AsyncThrowingPublisher(self)
  }
}
