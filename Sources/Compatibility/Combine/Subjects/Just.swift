/// A publisher that sends one value to each subscriber and finishes (Apple's `Just`).
public struct Just<Output>: Publisher {
  /// The publisher never fails.
  public typealias Failure = Never

  /// The value that the publisher sends.
  public let output: Output

  /// Creates the publisher of a value.
  public init(_ output: Output) {
    self.output = output
  }

  /// Adds a subscriber, which receives the value on its first request.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
    let broadcaster = Broadcaster<Output, Never>(output)
    let once = FirstValueSubscriber(subscriber)
    broadcaster.add(once)
  }

  /// A subscriber that passes the first value downstream and then finishes.
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
