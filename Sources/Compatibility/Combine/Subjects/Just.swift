/// Apple's `Just`: publishes one value to each subscriber, and ends.
public struct Just<Output>: Publisher {
  /// It cannot fail.
  public typealias Failure = Never

  /// What it publishes.
  public let output: Output

  /// Publishes that.
  public init(_ output: Output) {
    self.output = output
  }

  /// Tells the subscriber once it asks.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
    let broadcaster = Broadcaster<Output, Never>(output)
    let once = FirstValueSubscriber(subscriber)
    broadcaster.add(once)
  }

  /// Ends after the first value.
  private final class FirstValueSubscriber<Downstream: Subscriber>: Subscriber {
    typealias Input = Downstream.Input
    typealias Failure = Downstream.Failure

    private let downstream: Downstream

    init(_ downstream: Downstream) {
      self.downstream = downstream
    }

    func receive(subscription: any Subscription) {
      downstream.receive(subscription: subscription)
    }

    func receive(_ input: Input) -> Subscribers.Demand {
      _ = downstream.receive(input)
      downstream.receive(completion: .finished)
      return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {}
  }
}

extension Just: Sendable where Output: Sendable {}
extension Just: Equatable where Output: Equatable {}
