extension Subscribers {
  /// A subscriber that requests all values and passes them to closures (Apple's `Subscribers.Sink`).
  ///
  /// `@unchecked Sendable` is safe, because mutable state is accessed under the lock only. The closures run on the publisher's
  /// threads, as in Apple's Combine.
  public final class Sink<Input, Failure: Error>: Subscriber, Cancellable, @unchecked Sendable {
    private enum State {
      case waiting
      case subscribed(any Subscription)
      case over
    }

    private let lock = Lock()
    private var state = State.waiting
    private var onValue: ((Input) -> Void)?
    private var onCompletion: ((Completion<Failure>) -> Void)?

    /// Creates a sink. The closures are called on the thread that publishes.
    public init(
      receiveCompletion: @escaping (Completion<Failure>) -> Void, receiveValue: @escaping (Input) -> Void
    ) {
      onValue = receiveValue
      onCompletion = receiveCompletion
    }

    /// Requests all values from the publisher.
    public func receive(subscription: any Subscription) {
      let isFirst = lock.withLock {
        guard case .waiting = state else { return false }
        state = .subscribed(subscription)
        return true
      }
      if isFirst { subscription.request(.unlimited) } else { subscription.cancel() }
    }

    /// Passes a value to the closure for values.
    public func receive(_ value: Input) -> Demand {
      lock.withLock { onValue }?(value)
      return .none
    }

    /// Passes the completion to the closure for completions, and releases both closures.
    public func receive(completion: Completion<Failure>) {
      let (onCompletion, _, _) = end()
      onCompletion?(completion)
    }

    /// Ends the subscription and releases both closures without calling them.
    public func cancel() {
      let (_, subscription, _) = end()
      subscription?.cancel()
    }

    /// Ends the subscription, and returns the closures and the subscription. The caller releases them outside the lock, because
    /// the release of a closure may run code of the program.
    private func end() -> (((Completion<Failure>) -> Void)?, (any Subscription)?, ((Input) -> Void)?) {
      lock.withLock {
        var subscription: (any Subscription)?
        if case .subscribed(let some) = state { subscription = some }
        let last = (onCompletion, subscription, onValue)
        state = .over
        onValue = nil
        onCompletion = nil
        return last
      }
    }
  }

  /// A subscriber that assigns each value to a property (Apple's `Subscribers.Assign`).
  public final class Assign<Root, Input>: Subscriber, Cancellable {
    /// The publisher cannot fail.
    public typealias Failure = Never

    private let sink: Sink<Input, Never>

    /// Creates a subscriber that assigns to a property of an object and retains the object until the completion.
    public init(object: Root, keyPath: ReferenceWritableKeyPath<Root, Input>) {
      sink = Sink(receiveCompletion: { _ in }, receiveValue: { object[keyPath: keyPath] = $0 })
    }

    /// Requests all values from the publisher.
    public func receive(subscription: any Subscription) {
      sink.receive(subscription: subscription)
    }

    /// Assigns a value to the object's property.
    public func receive(_ value: Input) -> Demand {
      sink.receive(value)
    }

    /// Releases the object, because no more values follow.
    public func receive(completion: Completion<Never>) {
      sink.receive(completion: completion)
    }

    /// Cancels the subscription and releases the object.
    public func cancel() {
      sink.cancel()
    }
  }
}

extension Publisher {
  /// Calls closures for each value and for the completion, until the result is cancelled or released.
  public func sink(
    receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
    receiveValue: @escaping (Output) -> Void
  ) -> AnyCancellable {
    let sink = Subscribers.Sink<Output, Failure>(
      receiveCompletion: receiveCompletion, receiveValue: receiveValue)
    subscribe(sink)
    return AnyCancellable(sink)
  }
}

extension Publisher where Failure == Never {
  /// Calls a closure for each value, until the result is cancelled or released.
  public func sink(receiveValue: @escaping (Output) -> Void) -> AnyCancellable {
    sink(receiveCompletion: { _ in }, receiveValue: receiveValue)
  }

  /// Assigns each value to a property of an object until the result is cancelled or released. The object is retained for that
  /// time.
  public func assign<Root>(to keyPath: ReferenceWritableKeyPath<Root, Output>, on object: Root)
    -> AnyCancellable
  {
    let assign = Subscribers.Assign(object: object, keyPath: keyPath)
    subscribe(assign)
    return AnyCancellable(assign)
  }

  /// Assigns each value to a `@Published` property, until the object that has the property is released.
  public func assign(to published: inout Published<Output>.Publisher) {
    published.assign(from: self)
  }
}
