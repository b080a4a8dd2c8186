/// The publishers that transform other publishers (Apple's `Publishers`).
public enum Publishers {
  /// The publisher of `map(_:)`.
  public struct Map<Upstream: Publisher, Output>: Publisher {
    /// The error type of the upstream publisher.
    public typealias Failure = Upstream.Failure
    /// The upstream publisher.
    public let upstream: Upstream
    /// Returns the transformed value.
    public let transform: (Upstream.Output) -> Output

    /// Creates the publisher.
    public init(upstream: Upstream, transform: @escaping (Upstream.Output) -> Output) {
      self.upstream = upstream
      self.transform = transform
    }

    /// Adds a subscriber.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(TransformingSubscriber(to: subscriber, transform: transform))
    }
  }

  /// The publisher of `compactMap(_:)`.
  public struct CompactMap<Upstream: Publisher, Output>: Publisher {
    /// The error type of the upstream publisher.
    public typealias Failure = Upstream.Failure
    /// The upstream publisher.
    public let upstream: Upstream
    /// Returns the transformed value; nil to drop the value.
    public let transform: (Upstream.Output) -> Output?

    /// Creates the publisher.
    public init(upstream: Upstream, transform: @escaping (Upstream.Output) -> Output?) {
      self.upstream = upstream
      self.transform = transform
    }

    /// Adds a subscriber.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(TransformingSubscriber(to: subscriber, transform: transform))
    }
  }

  /// The publisher of `filter(_:)`.
  public struct Filter<Upstream: Publisher>: Publisher {
    /// The value type of the upstream publisher.
    public typealias Output = Upstream.Output
    /// The error type of the upstream publisher.
    public typealias Failure = Upstream.Failure
    /// The upstream publisher.
    public let upstream: Upstream
    /// Returns true for the values to publish.
    public let isIncluded: (Upstream.Output) -> Bool

    /// Creates the publisher.
    public init(upstream: Upstream, isIncluded: @escaping (Upstream.Output) -> Bool) {
      self.upstream = upstream
      self.isIncluded = isIncluded
    }

    /// Adds a subscriber.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let isIncluded = isIncluded
      upstream.subscribe(
        TransformingSubscriber(to: subscriber) { (value: Output) in isIncluded(value) ? value : nil })
    }
  }

  /// The publisher of `removeDuplicates(by:)`.
  public struct RemoveDuplicates<Upstream: Publisher>: Publisher {
    /// The value type of the upstream publisher.
    public typealias Output = Upstream.Output
    /// The error type of the upstream publisher.
    public typealias Failure = Upstream.Failure
    /// The upstream publisher.
    public let upstream: Upstream
    /// Returns true if two values are equal.
    public let predicate: (Output, Output) -> Bool

    /// Creates the publisher.
    public init(upstream: Upstream, predicate: @escaping (Output, Output) -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    /// Adds a subscriber.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let predicate = predicate
      var last: Output?
      upstream.subscribe(
        TransformingSubscriber(to: subscriber) { (value: Output) in
          if let last, predicate(last, value) { return nil }
          last = value
          return value
        })
    }
  }

  /// The publisher of `dropFirst(_:)`.
  public struct Drop<Upstream: Publisher>: Publisher {
    /// The value type of the upstream publisher.
    public typealias Output = Upstream.Output
    /// The error type of the upstream publisher.
    public typealias Failure = Upstream.Failure
    /// The upstream publisher.
    public let upstream: Upstream
    /// The number of values to drop.
    public let count: Int

    /// Creates the publisher.
    public init(upstream: Upstream, count: Int) {
      precondition(count >= 0, "the number of values to drop must not be negative, but is \(count)")
      self.upstream = upstream
      self.count = count
    }

    /// Adds a subscriber.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      var left = count
      upstream.subscribe(
        TransformingSubscriber(to: subscriber) { (value: Output) in
          guard left > 0 else { return value }
          left -= 1
          return nil
        })
    }
  }
}

/// Passes the transformed values downstream. If `transform` returns nil, requests another value instead.
///
/// A publisher delivers only one value at a time to a subscriber, so `transform` may have mutable state.
final class TransformingSubscriber<Input, Downstream: Subscriber>: Subscriber {
  typealias Failure = Downstream.Failure

  private let downstream: Downstream
  private let transform: (Input) -> Downstream.Input?

  init(to downstream: Downstream, transform: @escaping (Input) -> Downstream.Input?) {
    self.downstream = downstream
    self.transform = transform
  }

  func receive(subscription: any Subscription) {
    downstream.receive(subscription: subscription)
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    guard let output = transform(input) else { return .max(1) }
    return downstream.receive(output)
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    downstream.receive(completion: completion)
  }
}
