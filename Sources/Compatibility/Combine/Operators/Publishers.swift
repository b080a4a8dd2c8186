/// Apple's `Publishers`: the kinds of publishers that are made of others.
public enum Publishers {
  /// Each value, changed.
  public struct Map<Upstream: Publisher, Output>: Publisher {
    /// As what it is made of.
    public typealias Failure = Upstream.Failure
    /// What it is made of.
    public let upstream: Upstream
    /// What makes the new value.
    public let transform: (Upstream.Output) -> Output

    /// Changes the values of a publisher.
    public init(upstream: Upstream, transform: @escaping (Upstream.Output) -> Output) {
      self.upstream = upstream
      self.transform = transform
    }

    /// Takes a subscriber on.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(TransformingSubscriber(to: subscriber, transform: transform))
    }
  }

  /// Each value, changed, where that gives one.
  public struct CompactMap<Upstream: Publisher, Output>: Publisher {
    /// As what it is made of.
    public typealias Failure = Upstream.Failure
    /// What it is made of.
    public let upstream: Upstream
    /// What makes the new value, or nil to leave it out.
    public let transform: (Upstream.Output) -> Output?

    /// Changes and picks the values of a publisher.
    public init(upstream: Upstream, transform: @escaping (Upstream.Output) -> Output?) {
      self.upstream = upstream
      self.transform = transform
    }

    /// Takes a subscriber on.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(TransformingSubscriber(to: subscriber, transform: transform))
    }
  }

  /// The values that are wanted.
  public struct Filter<Upstream: Publisher>: Publisher {
    /// As what it is made of.
    public typealias Output = Upstream.Output
    /// As what it is made of.
    public typealias Failure = Upstream.Failure
    /// What it is made of.
    public let upstream: Upstream
    /// Which values are wanted.
    public let isIncluded: (Upstream.Output) -> Bool

    /// Picks the values of a publisher.
    public init(upstream: Upstream, isIncluded: @escaping (Upstream.Output) -> Bool) {
      self.upstream = upstream
      self.isIncluded = isIncluded
    }

    /// Takes a subscriber on.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let isIncluded = isIncluded
      upstream.subscribe(
        TransformingSubscriber(to: subscriber) { (value: Output) in isIncluded(value) ? value : nil })
    }
  }

  /// The values that differ from the one before.
  public struct RemoveDuplicates<Upstream: Publisher>: Publisher {
    /// As what it is made of.
    public typealias Output = Upstream.Output
    /// As what it is made of.
    public typealias Failure = Upstream.Failure
    /// What it is made of.
    public let upstream: Upstream
    /// Which values count as the same.
    public let predicate: (Output, Output) -> Bool

    /// Leaves repeats of a publisher out.
    public init(upstream: Upstream, predicate: @escaping (Output, Output) -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    /// Takes a subscriber on.
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

  /// The values after the first ones.
  public struct Drop<Upstream: Publisher>: Publisher {
    /// As what it is made of.
    public typealias Output = Upstream.Output
    /// As what it is made of.
    public typealias Failure = Upstream.Failure
    /// What it is made of.
    public let upstream: Upstream
    /// How many are left out.
    public let count: Int

    /// Leaves the first values of a publisher out.
    public init(upstream: Upstream, count: Int) {
      precondition(count >= 0, "the number of values to leave out is not negative, but this one is \(count)")
      self.upstream = upstream
      self.count = count
    }

    /// Takes a subscriber on.
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

/// Passes on what a closure makes of each value; asks for another one where it makes none.
///
/// A publisher tells one subscriber one value at a time, so the closure may keep something from one to the next.
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
