/// A subject that sends each value to its current subscribers and stores nothing (Apple's `PassthroughSubject`).
public final class PassthroughSubject<Output, Failure: Error>: Subject {
  private let broadcaster = Broadcaster<Output, Failure>()

  /// Creates a subject without subscribers.
  public init() {}

  /// Adds a subscriber.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    broadcaster.add(subscriber)
  }

  /// Publishes a value. May be called on any thread. A subscriber without demand misses the value.
  public func send(_ value: Output) {
    broadcaster.publish(value)
  }

  /// Publishes the end. Later values are ignored.
  public func send(completion: Subscribers.Completion<Failure>) {
    broadcaster.publish(completion: completion)
  }

  /// Receives a subscription to another publisher, and requests all of its values.
  public func send(subscription: any Subscription) {
    subscription.request(.unlimited)
  }
}

/// A subject that stores its newest value and sends that value to new subscribers first (Apple's
/// `CurrentValueSubject`).
public final class CurrentValueSubject<Output, Failure: Error>: Subject {
  private let broadcaster: Broadcaster<Output, Failure>

  /// Creates a subject with an initial value.
  public init(_ value: Output) {
    broadcaster = Broadcaster(value)
  }

  /// The newest value. Setting the property stores the new value first, and then publishes it. `@Published` does this in the
  /// opposite order.
  public var value: Output {
    get { broadcaster.currentValue }
    set { send(newValue) }
  }

  /// Adds a subscriber.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    broadcaster.add(subscriber)
  }

  /// Stores a value and publishes it. May be called on any thread. A subscriber without demand receives the newest
  /// value on its next request.
  public func send(_ value: Output) {
    broadcaster.publish(value, storing: true)
  }

  /// Publishes the end. Later values are ignored.
  public func send(completion: Subscribers.Completion<Failure>) {
    broadcaster.publish(completion: completion)
  }

  /// Requests all values of another publisher's subscription.
  public func send(subscription: any Subscription) {
    subscription.request(.unlimited)
  }
}

// The state is protected by a lock. Values cross threads, so they must be `Sendable`.
extension PassthroughSubject: @unchecked Sendable where Output: Sendable {}
extension CurrentValueSubject: @unchecked Sendable where Output: Sendable {}
