/// Apple's `Publisher`: what sends values to subscribers over time.
public protocol Publisher<Output, Failure> {
  /// What is sent.
  associatedtype Output
  /// How it may fail; `Never` if it cannot.
  associatedtype Failure: Error

  /// Takes a subscriber on; called by `subscribe`.
  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure
}

extension Publisher {
  /// Has a subscriber told what is published.
  public func subscribe<S: Subscriber>(_ subscriber: S) where S.Input == Output, S.Failure == Failure {
    receive(subscriber: subscriber)
  }

  /// Has a subject pass on what is published, until the result is cancelled or dropped.
  public func subscribe<S: Subject>(_ subject: S) -> AnyCancellable
  where S.Output == Output, S.Failure == Failure {
    let sink = Subscribers.Sink<Output, Failure>(
      receiveCompletion: { subject.send(completion: $0) }, receiveValue: { subject.send($0) })
    receive(subscriber: sink)
    return AnyCancellable(sink)
  }
}

/// Apple's `Subscriber`: what takes a publisher's values.
public protocol Subscriber<Input, Failure>: CustomCombineIdentifierConvertible {
  /// What it takes.
  associatedtype Input
  /// How that may fail.
  associatedtype Failure: Error

  /// It is subscribed, and asks for values by `subscription.request`.
  func receive(subscription: any Subscription)
  /// A value; the result is how many more it wants.
  func receive(_ input: Input) -> Subscribers.Demand
  /// Nothing follows.
  func receive(completion: Subscribers.Completion<Failure>)
}

extension Subscriber where Input == Void {
  /// A value that says only that something happened.
  public func receive() -> Subscribers.Demand {
    receive(())
  }
}

/// Apple's `Subscription`: what ties a subscriber to a publisher.
public protocol Subscription: Cancellable, CustomCombineIdentifierConvertible {
  /// Asks for so many more values.
  func request(_ demand: Subscribers.Demand)
}

/// Apple's `Subject`: a publisher that is told from outside what to publish.
public protocol Subject<Output, Failure>: AnyObject, Publisher {
  /// Publishes a value.
  func send(_ value: Output)
  /// Publishes that nothing follows.
  func send(completion: Subscribers.Completion<Failure>)
  /// Hands a subscription on.
  func send(subscription: any Subscription)
}

extension Subject where Output == Void {
  /// Publishes that something happened.
  public func send() {
    send(())
  }
}
