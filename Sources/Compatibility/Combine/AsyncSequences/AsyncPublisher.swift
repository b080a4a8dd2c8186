/// The values of a publisher as an asynchronous sequence (Apple's `AsyncPublisher`).
///
/// The sequence requests one value at a time. Values published while no reader waits are dropped. The exception is the newest
/// value of `@Published` and `CurrentValueSubject`, which the next reader receives.
public struct AsyncPublisher<P: Publisher>: AsyncSequence where P.Failure == Never {
  /// The type of the publisher's values.
  public typealias Element = P.Output
  /// The sequence never fails.
  public typealias Failure = Never

  private let publisher: P

  /// Creates the sequence of a publisher.
  public init(_ publisher: P) {
    self.publisher = publisher
  }

  /// Subscribes to the publisher.
  public func makeAsyncIterator() -> Iterator {
    Iterator(PullSubscription(of: publisher))
  }

  /// An iterator. The subscription ends when the iterator is released or the waiting task is cancelled.
  public struct Iterator: AsyncIteratorProtocol {
    private let values: PullSubscription<P.Output, Never>

    init(_ values: PullSubscription<P.Output, Never>) {
      self.values = values
    }

    /// Returns the next value; nil after the last value.
    public mutating func next() async -> P.Output? {
      await next(isolation: #isolation)
    }

    /// Returns the next value; nil after the last value.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> P.Output? {
      switch await values.next(isolation: actor) {
      case .success(let value): value
      }
    }
  }
}

/// The values of a publisher as an asynchronous sequence that throws the publisher's error (Apple's
/// `AsyncThrowingPublisher`).
///
/// The sequence requests one value at a time, as `AsyncPublisher` does.
public struct AsyncThrowingPublisher<P: Publisher>: AsyncSequence {
  /// The type of the publisher's values.
  public typealias Element = P.Output
  /// The type of the publisher's errors.
  public typealias Failure = P.Failure

  private let publisher: P

  /// Creates the sequence of a publisher.
  public init(_ publisher: P) {
    self.publisher = publisher
  }

  /// Subscribes to the publisher.
  public func makeAsyncIterator() -> Iterator {
    Iterator(PullSubscription(of: publisher))
  }

  /// An iterator. The subscription ends when the iterator is released or the waiting task is cancelled.
  public struct Iterator: AsyncIteratorProtocol {
    private let values: PullSubscription<P.Output, P.Failure>

    init(_ values: PullSubscription<P.Output, P.Failure>) {
      self.values = values
    }

    /// Returns the next value; nil after the last value.
    public mutating func next() async throws(P.Failure) -> P.Output? {
      try await next(isolation: #isolation)
    }

    /// Returns the next value; nil after the last value.
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
  /// The values as an asynchronous sequence that throws the publisher's error.
  public var values: AsyncThrowingPublisher<Self> {
    AsyncThrowingPublisher(self)
  }
}
