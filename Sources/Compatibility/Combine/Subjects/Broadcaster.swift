/// What all subjects are made of: subscribers, and for some a value that new ones are told first.
///
/// Unchecked: all that varies is read and written under the lock only; subscribers are called without it.
final class Broadcaster<Output, Failure: Error>: @unchecked Sendable {
  private let lock = Lock()
  private var subscriptions: [SubjectSubscription<Output, Failure>] = []
  private var completion: Subscribers.Completion<Failure>?
  private var current: Output?
  /// How many values were published, and which of them `current` is.
  private var published: UInt64 = 0
  private var stored: UInt64 = 0

  /// One without a value, or with one.
  init(_ value: Output? = nil) {
    current = value
  }

  /// The value; only of one that was made with one.
  var currentValue: Output {
    guard let value = lock.withLock({ current }) else {
      preconditionFailure("a subject is asked for its value that was made without one")
    }
    return value
  }

  /// Tells all subscribers, and a new one from here on; what it has as its value stays.
  ///
  /// - Returns: the value's version, for `store`.
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
    // Dropped outside the lock, here and in `store`: what a value holds may call out as it goes.
    released = []
    for subscription in targets { subscription.deliver() }
    return version
  }

  /// Makes a value that was published the current one, unless a later one is that already; who subscribed meanwhile is
  /// told of it.
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

  /// Tells all subscribers, and every new one, that nothing follows.
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

  /// Takes a subscriber on.
  func add(_ subscriber: some Subscriber<Output, Failure>) {
    let subscription = lock.withLock {
      let subscription = SubjectSubscription(subscriber, of: self, buffersLatest: current != nil)
      subscription.lastVersion = stored
      if let completion {
        subscription.enqueue(completion)
        return subscription
      }
      subscriptions.append(subscription)
      // The first that it is offered: there is none that it could miss for it.
      if let current { _ = subscription.enqueue(current) }
      return subscription
    }
    subscription.start()
  }

  /// Forgets a subscriber.
  func remove(_ subscription: SubjectSubscription<Output, Failure>) {
    lock.withLock { subscriptions.removeAll { $0 === subscription } }
  }
}
