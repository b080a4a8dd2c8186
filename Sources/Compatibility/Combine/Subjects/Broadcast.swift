/// What all subjects are made of: subscribers, and for some a value that new ones are told first.
///
/// Unchecked: all that varies is read and written under the lock only; subscribers are called without it.
final class Broadcast<Output, Failure: Error>: @unchecked Sendable {
  private let lock = Lock()
  private var conduits: [Conduit<Output, Failure>] = []
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
    guard let value = lock.with({ current }) else {
      preconditionFailure("a subject is asked for its value that was made without one")
    }
    return value
  }

  /// Tells all subscribers, and a new one from here on; what it has as its value stays.
  ///
  /// - Returns: the value's version, for `store`.
  @discardableResult
  func publish(_ value: Output, storing: Bool = false) -> UInt64 {
    var leftOut: [Output] = []
    let (version, told) = lock.with {
      guard completion == nil else { return (published, [Conduit<Output, Failure>]()) }
      published += 1
      if storing {
        if let old = current { leftOut.append(old) }
        current = value
        stored = published
      }
      for conduit in conduits {
        conduit.seen = published
        if let missed = conduit.offer(value) { leftOut.append(missed) }
      }
      return (published, conduits)
    }
    // Dropped outside the lock, here and in `store`: what a value holds may call out as it goes.
    leftOut = []
    for conduit in told { conduit.tell() }
    return version
  }

  /// Makes a value that was published the current one, unless a later one is that already; who subscribed meanwhile is
  /// told of it.
  func store(_ value: Output, version: UInt64) {
    var leftOut: [Output] = []
    let late = lock.with {
      guard version > stored else { return [Conduit<Output, Failure>]() }
      if let old = current { leftOut.append(old) }
      current = value
      stored = version
      let late = conduits.filter { $0.seen < version }
      for conduit in late {
        conduit.seen = version
        if let missed = conduit.offer(value) { leftOut.append(missed) }
      }
      return late
    }
    leftOut = []
    for conduit in late { conduit.tell() }
  }

  /// Tells all subscribers, and every new one, that nothing follows.
  func publish(completion: Subscribers.Completion<Failure>) {
    let told = lock.with {
      guard self.completion == nil else { return [Conduit<Output, Failure>]() }
      self.completion = completion
      let told = conduits
      conduits = []
      for conduit in told { conduit.offer(completion) }
      return told
    }
    for conduit in told { conduit.tell() }
  }

  /// Takes a subscriber on.
  func add(_ subscriber: some Subscriber<Output, Failure>) {
    let conduit = lock.with {
      let conduit = Conduit(subscriber, of: self, keepsNewest: current != nil)
      conduit.seen = stored
      if let completion {
        conduit.offer(completion)
        return conduit
      }
      conduits.append(conduit)
      // The first that it is offered: there is none that it could miss for it.
      if let current { _ = conduit.offer(current) }
      return conduit
    }
    conduit.start()
  }

  /// Forgets a subscriber.
  func remove(_ conduit: Conduit<Output, Failure>) {
    lock.with { conduits.removeAll { $0 === conduit } }
  }
}
