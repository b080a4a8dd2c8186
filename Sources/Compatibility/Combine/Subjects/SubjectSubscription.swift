import Glibc

/// What ties one subscriber to a subject: keeps the values it was not told yet, and tells it one after the other.
///
/// Values come in under the subject's lock and so in the order of publishing; they go out without any. A thread that
/// finds another one telling leaves its value to that one; a subscriber that publishes while it is told is told of that
/// within, as with Apple's.
///
/// Unchecked: all that varies is read and written under the lock only; the subscriber is called without it, by one thread
/// at a time.
final class SubjectSubscription<Output, Failure: Error>: Subscription, @unchecked Sendable {
  private let lock = Lock()
  private var subscriber: (any Subscriber<Output, Failure>)?
  private weak var subject: Broadcaster<Output, Failure>?
  private var pending: [Output] = []
  private var completion: Subscribers.Completion<Failure>?
  private var demand = Subscribers.Demand.none
  private var isStarted = false
  private var activeDelivery: (thread: pthread_t, depth: Int)?
  /// Whether the newest value is kept for one who asks for none just then; else it misses it.
  private let buffersLatest: Bool

  /// The newest version that came in here; the subject's to read and write, under its lock.
  var lastVersion: UInt64 = 0

  init(
    _ subscriber: any Subscriber<Output, Failure>, of subject: Broadcaster<Output, Failure>,
    buffersLatest: Bool
  ) {
    self.subscriber = subscriber
    self.subject = subject
    self.buffersLatest = buffersLatest
  }

  /// Takes a value for later; under the subject's lock.
  ///
  /// - Returns: the value that is left out for it, to be dropped without any lock.
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

  /// Takes the end for later; under the subject's lock.
  func enqueue(_ completion: Subscribers.Completion<Failure>) {
    lock.withLock { if self.completion == nil { self.completion = completion } }
  }

  /// Hands itself to the subscriber, who asks for values by it.
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
    // Dropped here, outside the lock: what it holds may call out as it goes.
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

  /// Tells the subscriber what it asked for, unless another thread is at it.
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
    // Dropped with the step, outside the lock: what they hold may call out as they go.
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
