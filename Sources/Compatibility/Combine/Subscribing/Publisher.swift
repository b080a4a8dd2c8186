/// A type that sends values to subscribers over time (Apple's `Publisher`).
public protocol Publisher<Output, Failure> {
  /// The type of values.
  associatedtype Output
  /// The type of errors; `Never` for a publisher that cannot fail.
  associatedtype Failure: Error

  /// Adds a subscriber. Called by `subscribe`.
  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure
}

extension Publisher {
  /// Adds a subscriber.
  public func subscribe<S: Subscriber>(_ subscriber: S) where S.Input == Output, S.Failure == Failure {
    receive(subscriber: subscriber)
  }

  /// Sends all values to a subject, until the result is cancelled or released.
  public func subscribe<S: Subject>(_ subject: S) -> AnyCancellable
  where S.Output == Output, S.Failure == Failure {
    let sink = Subscribers.Sink<Output, Failure>(
      receiveCompletion: { subject.send(completion: $0) }, receiveValue: { subject.send($0) })
    receive(subscriber: sink)
    return AnyCancellable(sink)
  }
}

/// A receiver of a publisher's values (Apple's `Subscriber`).
public protocol Subscriber<Input, Failure>: CustomCombineIdentifierConvertible {
  /// The type of values.
  associatedtype Input
  /// The type of errors.
  associatedtype Failure: Error

  /// Receives the subscription, with which the subscriber requests values.
  func receive(subscription: any Subscription)
  /// Receives a value and returns the number of further values requested.
  func receive(_ input: Input) -> Subscribers.Demand
  /// Receives the completion: the values end, normally or with an error.
  func receive(completion: Subscribers.Completion<Failure>)
}

extension Subscriber where Input == Void {
  /// Receives a value of type `Void`.
  public func receive() -> Subscribers.Demand {
    receive(())
  }
}

/// The connection of a subscriber to a publisher (Apple's `Subscription`).
public protocol Subscription: Cancellable, CustomCombineIdentifierConvertible {
  /// Requests further values.
  func request(_ demand: Subscribers.Demand)
}

/// A publisher whose values come from calls of `send` (Apple's `Subject`).
public protocol Subject<Output, Failure>: AnyObject, Publisher {
  /// Publishes a value.
  func send(_ value: Output)
  /// Publishes the completion: the values end, normally or with an error.
  func send(completion: Subscribers.Completion<Failure>)
  /// Receives the subscription to another publisher.
  func send(subscription: any Subscription)
}

extension Subject where Output == Void {
  /// Publishes a value of type `Void`.
  public func send() {
    send(())
  }
}
