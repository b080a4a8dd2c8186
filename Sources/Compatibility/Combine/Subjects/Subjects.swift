/// Apple's `PassthroughSubject`: tells those who are subscribed just then, and keeps nothing.
public final class PassthroughSubject<Output, Failure: Error>: Subject {
  private let broadcaster = Broadcaster<Output, Failure>()

  /// One without subscribers.
  public init() {}

  /// Takes a subscriber on.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    broadcaster.add(subscriber)
  }

  /// Publishes a value, from any thread. Who has asked for no more just then misses it.
  public func send(_ value: Output) {
    broadcaster.publish(value)
  }

  /// Publishes that nothing follows; what is sent later is nothing.
  public func send(completion: Subscribers.Completion<Failure>) {
    broadcaster.publish(completion: completion)
  }

  /// Asks of another publisher's subscription for all it has.
  public func send(subscription: any Subscription) {
    subscription.request(.unlimited)
  }
}

/// Apple's `CurrentValueSubject`: keeps its newest value, and tells new subscribers of that first.
public final class CurrentValueSubject<Output, Failure: Error>: Subject {
  private let broadcaster: Broadcaster<Output, Failure>

  /// One with a first value.
  public init(_ value: Output) {
    broadcaster = Broadcaster(value)
  }

  /// The newest value; to set it publishes it. It is stored before it is published, unlike that of `@Published`.
  public var value: Output {
    get { broadcaster.currentValue }
    set { send(newValue) }
  }

  /// Takes a subscriber on.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    broadcaster.add(subscriber)
  }

  /// Stores a value and publishes it, from any thread. Who has asked for no more just then is told the newest once it does.
  public func send(_ value: Output) {
    broadcaster.publish(value, storing: true)
  }

  /// Publishes that nothing follows; what is sent later is nothing.
  public func send(completion: Subscribers.Completion<Failure>) {
    broadcaster.publish(completion: completion)
  }

  /// Asks of another publisher's subscription for all it has.
  public func send(subscription: any Subscription) {
    subscription.request(.unlimited)
  }
}

// What they are made of is behind a lock; values cross threads, so they must be made for it.
extension PassthroughSubject: @unchecked Sendable where Output: Sendable {}
extension CurrentValueSubject: @unchecked Sendable where Output: Sendable {}
