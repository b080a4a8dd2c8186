extension Subscribers {
  /// Apple's `Subscribers.Sink`: asks for everything and gives it to closures.
  ///
  /// Unchecked: what varies is read and written under the lock only; the closures run on the publisher's threads, as Apple's do.
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

    /// Gives values to one closure and the end to the other, on the thread of who publishes.
    public init(
      receiveCompletion: @escaping (Completion<Failure>) -> Void, receiveValue: @escaping (Input) -> Void
    ) {
      onValue = receiveValue
      onCompletion = receiveCompletion
    }

    /// It is subscribed: asks for everything.
    public func receive(subscription: any Subscription) {
      let isFirst = lock.withLock {
        guard case .waiting = state else { return false }
        state = .subscribed(subscription)
        return true
      }
      if isFirst { subscription.request(.unlimited) } else { subscription.cancel() }
    }

    /// Gives a value to the closure.
    public func receive(_ value: Input) -> Demand {
      lock.withLock { onValue }?(value)
      return .none
    }

    /// Gives the end to its closure, and drops both.
    public func receive(completion: Completion<Failure>) {
      let (onCompletion, _, _) = end()
      onCompletion?(completion)
    }

    /// Ends it without a word; both closures are dropped.
    public func cancel() {
      let (_, subscription, _) = end()
      subscription?.cancel()
    }

    /// What is given back is dropped by the caller, outside the lock: what the closures held may call out as it goes.
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

  /// Apple's `Subscribers.Assign`: writes each value to a property.
  public final class Assign<Root, Input>: Subscriber, Cancellable {
    /// It takes no failures.
    public typealias Failure = Never

    private let sink: Sink<Input, Never>

    /// Writes to that property of that object, which it holds until the end.
    public init(object: Root, keyPath: ReferenceWritableKeyPath<Root, Input>) {
      sink = Sink(receiveCompletion: { _ in }, receiveValue: { object[keyPath: keyPath] = $0 })
    }

    /// It is subscribed: asks for everything.
    public func receive(subscription: any Subscription) {
      sink.receive(subscription: subscription)
    }

    /// Writes a value.
    public func receive(_ value: Input) -> Demand {
      sink.receive(value)
    }

    /// Lets go of the object.
    public func receive(completion: Completion<Never>) {
      sink.receive(completion: completion)
    }

    /// Lets go of the object.
    public func cancel() {
      sink.cancel()
    }
  }
}

extension Publisher {
  /// Has closures told of each value and of the end, until the result is cancelled or dropped.
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
  /// Has a closure told of each value, until the result is cancelled or dropped.
  public func sink(receiveValue: @escaping (Output) -> Void) -> AnyCancellable {
    sink(receiveCompletion: { _ in }, receiveValue: receiveValue)
  }

  /// Writes each value to a property of an object that is held meanwhile, until the result is cancelled or dropped.
  public func assign<Root>(to keyPath: ReferenceWritableKeyPath<Root, Output>, on object: Root)
    -> AnyCancellable
  {
    let assign = Subscribers.Assign(object: object, keyPath: keyPath)
    subscribe(assign)
    return AnyCancellable(assign)
  }

  /// Publishes each value as that of a `@Published` property, for as long as its object lives.
  public func assign(to published: inout Published<Output>.Publisher) {
    published.assign(from: self)
  }
}
