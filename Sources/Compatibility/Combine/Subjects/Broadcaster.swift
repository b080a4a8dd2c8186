/// The subscriptions of a subject or property. Some broadcasters also have a current value, which new subscribers receive first.
///
/// Unchecked: mutable state is accessed under the lock only; subscribers are called without the lock.
final class Broadcaster<Output, Failure: Error>: @unchecked Sendable {
  private let lock = Lock()
  private var subscriptions: [SubjectSubscription<Output, Failure>] = []
  private var completion: Subscribers.Completion<Failure>?
  private var current: Output?
  /// The number of published values.
  private var published: UInt64 = 0
  /// The version of the value in `current`: the number of values that were published up to and including this value.
  private var stored: UInt64 = 0

  /// Creates a broadcaster, with or without a current value.
  init(_ value: Output? = nil) {
    current = value
  }

  /// The current value. May be read only if the broadcaster was created with a value.
  var currentValue: Output {
    guard let value = lock.withLock({ current }) else {
      preconditionFailure("the broadcaster was created without a current value")
    }
    return value
  }

  /// Sends a value to all subscriptions. The current value changes only if `storing` is true.
  ///
  /// - Returns: the version of the value, for `store`.
  @discardableResult
  func publish(_ value: Output, storing: Bool = false) -> UInt64 {
    var released: [Output] = []
    let (version, targets) = lock.withLock {
      guard completion == nil else { return (published, [SubjectSubscription<Output, Failure>]()) }
      published += 1
      if storing {
        if let old = current { released.append(old) }
        current = value
        stored = published
      }
      for subscription in subscriptions {
        subscription.lastVersion = published
        if let dropped = subscription.enqueue(value) { released.append(dropped) }
      }
      return (published, subscriptions)
    }
    // Values are released outside the lock, here and in `store`: a value may run code of the program when it is released.
    released = []
    for subscription in targets { subscription.deliver() }
    return version
  }

  /// Makes a published value the current one, unless a later value is current already. Sends the value to the subscriptions that
  /// were added after it was published.
  func store(_ value: Output, version: UInt64) {
    var released: [Output] = []
    let late = lock.withLock {
      guard version > stored else { return [SubjectSubscription<Output, Failure>]() }
      if let old = current { released.append(old) }
      current = value
      stored = version
      let late = subscriptions.filter { $0.lastVersion < version }
      for subscription in late {
        subscription.lastVersion = version
        if let dropped = subscription.enqueue(value) { released.append(dropped) }
      }
      return late
    }
    released = []
    for subscription in late { subscription.deliver() }
  }

  /// Sends the completion to all subscriptions, and to every subscription that is added later.
  func publish(completion: Subscribers.Completion<Failure>) {
    let targets = lock.withLock {
      guard self.completion == nil else { return [SubjectSubscription<Output, Failure>]() }
      self.completion = completion
      let targets = subscriptions
      subscriptions = []
      for subscription in targets { subscription.enqueue(completion) }
      return targets
    }
    for subscription in targets { subscription.deliver() }
  }

  /// Adds a subscriber.
  func add(_ subscriber: some Subscriber<Output, Failure>) {
    let subscription = lock.withLock {
      let subscription = SubjectSubscription(subscriber, of: self, buffersLatest: current != nil)
      subscription.lastVersion = stored
      if let completion {
        subscription.enqueue(completion)
        return subscription
      }
      subscriptions.append(subscription)
      // This is the first value of the subscription, so it displaces no earlier value.
      if let current { _ = subscription.enqueue(current) }
      return subscription
    }
    subscription.start()
  }

  /// Removes a subscription.
  func remove(_ subscription: SubjectSubscription<Output, Failure>) {
    lock.withLock { subscriptions.removeAll { $0 === subscription } }
  }
}
