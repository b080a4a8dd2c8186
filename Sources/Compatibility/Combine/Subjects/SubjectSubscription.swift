import Glibc

/// The subscription of one subscriber to a subject: buffers the values that the subscriber has not received, and
/// delivers them one at a time.
///
/// Values are enqueued under the subject's lock, that is, in the order of publishing. No lock is held while values are delivered.
/// While one thread is delivering, other threads only enqueue their values, and the first thread delivers these values too. If a
/// subscriber publishes a new value while it receives a value, the subscriber receives the new value before the publishing call
/// returns, as in Apple's Combine.
///
/// Unchecked: mutable state is accessed under the lock only; one thread at a time calls the subscriber, without the
/// lock.
final class SubjectSubscription<Output, Failure: Error>: Subscription, @unchecked Sendable {
  private let lock = Lock()
  private var subscriber: (any Subscriber<Output, Failure>)?
  private weak var subject: Broadcaster<Output, Failure>?
  private var pending: [Output] = []
  private var completion: Subscribers.Completion<Failure>?
  private var demand = Subscribers.Demand.none
  private var isStarted = false
  private var activeDelivery: (thread: pthread_t, depth: Int)?
  /// True if the newest value is kept for a subscriber that has no open request for values; false if such a subscriber misses the
  /// value.
  private let buffersLatest: Bool

  /// The version number of the last value that was enqueued. The subject reads and changes this number under its own lock.
  var lastVersion: UInt64 = 0

  init(
    _ subscriber: any Subscriber<Output, Failure>, of subject: Broadcaster<Output, Failure>,
    buffersLatest: Bool
  ) {
    self.subscriber = subscriber
    self.subject = subject
    self.buffersLatest = buffersLatest
  }

  /// Buffers a value. Called under the subject's lock.
  ///
  /// - Returns: the value that the new value displaces, if any. The caller releases the displaced value while no lock is held.
  func enqueue(_ value: Output) -> Output? {
    lock.withLock {
      guard subscriber != nil, completion == nil else { return nil }
      var dropped: Output?
      if let most = demand.max, pending.count >= most {
        guard buffersLatest else { return nil }
        if pending.count > most { dropped = pending.removeLast() }
      }
      pending.append(value)
      return dropped
    }
  }

  /// Buffers the completion. Called under the subject's lock.
  func enqueue(_ completion: Subscribers.Completion<Failure>) {
    lock.withLock { if self.completion == nil { self.completion = completion } }
  }

  /// Passes the subscription to the subscriber, which then requests values.
  func start() {
    let subscriber = lock.withLock {
      isStarted = true
      return self.subscriber
    }
    subscriber?.receive(subscription: self)
    deliver()
  }

  func request(_ more: Subscribers.Demand) {
    lock.withLock { demand += more }
    deliver()
  }

  func cancel() {
    // The objects are released here, outside the lock: the subscriber and the values may run code of the program when they are
    // released.
    let (subscriber, pending, subject) = lock.withLock {
      let last = (self.subscriber, self.pending, self.subject)
      self.subscriber = nil
      self.pending = []
      return last
    }
    subject?.remove(self)
    _ = (subscriber, pending)
  }

  private enum Step {
    case value(Output, to: any Subscriber<Output, Failure>)
    case end(Subscribers.Completion<Failure>, of: any Subscriber<Output, Failure>, dropped: [Output])
    case nothing
  }

  /// Delivers the requested values, unless another thread is delivering.
  func deliver() {
    let thread = pthread_self()
    while true {
      switch lock.withLock({ nextStep(for: thread) }) {
      case .value(let value, let subscriber):
        let more = subscriber.receive(value)
        lock.withLock {
          demand += more
          endDelivery()
        }
      case .end(let completion, let subscriber, _):
        subscriber.receive(completion: completion)
        lock.withLock { endDelivery() }
        return
      case .nothing: return
      }
    }
  }

  private func nextStep(for thread: pthread_t) -> Step {
    guard isStarted, let subscriber else { return .nothing }
    if let activeDelivery, activeDelivery.thread != thread { return .nothing }
    if demand > .none, !pending.isEmpty {
      demand -= .max(1)
      activeDelivery = (thread, (activeDelivery?.depth ?? 0) + 1)
      return .value(pending.removeFirst(), to: subscriber)
    }
    guard let completion else { return .nothing }
    activeDelivery = (thread, (activeDelivery?.depth ?? 0) + 1)
    // The returned `Step` contains the subscriber and the values, so that the caller releases them outside the lock. When they
    // are released, they may run code of the program.
    let dropped = pending
    self.subscriber = nil
    pending = []
    return .end(completion, of: subscriber, dropped: dropped)
  }

  private func endDelivery() {
    guard let (thread, depth) = activeDelivery else { return }
    activeDelivery = depth == 1 ? nil : (thread, depth - 1)
  }
}
