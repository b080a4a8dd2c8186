/// A subscription that requests one value for each call of `next`. The subscription ends when this object is released.
final class PullSubscription<Output, Failure: Error> {
  private let subscriber: PullSubscriber<Output, Failure>

  init(of publisher: some Publisher<Output, Failure>) {
    subscriber = PullSubscriber()
    publisher.subscribe(subscriber)
  }

  /// Returns the next value; nil after the last value, and when the task is cancelled.
  func next(isolation actor: isolated (any Actor)?) async -> Result<Output?, Failure> {
    let subscriber = subscriber
    return await withTaskCancellationHandler(
      operation: {
        await subscriber.next(isolation: actor)
      }, onCancel: { subscriber.cancel() }, isolation: actor)
  }

  deinit {
    subscriber.cancel()
  }
}

/// The subscriber of a `PullSubscription`: requests a value for each waiter.
///
/// Unchecked: mutable state is accessed under the lock only; a waiter is resumed without the lock, by the thread that
/// removed it.
private final class PullSubscriber<Output, Failure: Error>: Subscriber, @unchecked Sendable {
  typealias Input = Output
  typealias Waiter = CheckedContinuation<Result<Output?, Failure>, Never>

  private let lock = Lock()
  private var subscription: (any Subscription)?
  private var waiters: [Waiter] = []
  private var end: Subscribers.Completion<Failure>?

  func receive(subscription: any Subscription) {
    let demand: Int? = lock.withLock {
      guard end == nil, self.subscription == nil else { return nil }
      self.subscription = subscription
      return waiters.count
    }
    guard let demand else { return subscription.cancel() }
    if demand > 0 { subscription.request(.max(demand)) }
  }

  func receive(_ input: Output) -> Subscribers.Demand {
    let waiter: Waiter? = lock.withLock { waiters.isEmpty ? nil : waiters.removeFirst() }
    // The value passes from the publisher to the waiter, as in Apple's Combine. If several threads then use the value, the
    // program must protect it.
    nonisolated(unsafe) let result = Result<Output?, Failure>.success(input)
    unsafe waiter?.resume(returning: result)
    return .none
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    finish(completion)
  }

  /// Ends the subscription; waiters receive nil.
  func cancel() {
    finish(.finished)?.cancel()
  }

  func next(isolation actor: isolated (any Actor)?) async -> Result<Output?, Failure> {
    await withCheckedContinuation(isolation: actor) { (waiter: Waiter) in add(waiter) }
  }

  private func add(_ waiter: Waiter) {
    let (end, subscription) = lock.withLock {
      let now = (self.end, self.subscription)
      if now.0 == nil { waiters.append(waiter) }
      if case .failure = now.0 { self.end = .finished }
      return now
    }
    switch end {
    case nil: subscription?.request(.max(1))
    case .finished: waiter.resume(returning: .success(nil))
    case .failure(let error): waiter.resume(returning: .failure(error))
    }
  }

  @discardableResult
  private func finish(_ completion: Subscribers.Completion<Failure>) -> (any Subscription)? {
    let (waiters, subscription) = lock.withLock {
      guard end == nil else { return ([Waiter](), (any Subscription)?.none) }
      defer {
        self.waiters = []
        self.subscription = nil
      }
      // An error is thrown only once: to the first waiter, or to the next caller of `next` if there is no waiter.
      end = completion
      if case .failure = completion, !self.waiters.isEmpty { end = .finished }
      return (self.waiters, self.subscription)
    }
    for (index, waiter) in waiters.enumerated() {
      if index == 0, case .failure(let error) = completion {
        waiter.resume(returning: .failure(error))
      } else {
        waiter.resume(returning: .success(nil))
      }
    }
    return subscription
  }
}
