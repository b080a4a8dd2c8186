extension Publishers {
  /// Each value, told by a scheduler.
  public struct ReceiveOn<Upstream: Publisher, Context: Scheduler>: Publisher {
    /// As what it is made of.
    public typealias Output = Upstream.Output
    /// As what it is made of.
    public typealias Failure = Upstream.Failure
    /// What it is made of.
    public let upstream: Upstream
    /// Who tells.
    public let scheduler: Context
    /// What that is told about it.
    public let options: Context.SchedulerOptions?

    /// Has a scheduler tell what a publisher publishes.
    public init(upstream: Upstream, scheduler: Context, options: Context.SchedulerOptions?) {
      self.upstream = upstream
      self.scheduler = scheduler
      self.options = options
    }

    /// Takes a subscriber on.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let (scheduler, options) = (scheduler, options)
      upstream.subscribe(ScheduledSubscriber(subscriber) { scheduler.schedule(options: options, $0) })
    }
  }
}

/// Keeps the order of what it is told, whichever threads the scheduler has.
///
/// Unchecked: what varies is read and written under the lock only; what is downstream is called by one scheduled closure at a
/// time.
private final class ScheduledSubscriber<Downstream: Subscriber>: Subscriber, @unchecked Sendable {
  typealias Input = Downstream.Input
  typealias Failure = Downstream.Failure

  private enum Event {
    case value(Input)
    case end(Subscribers.Completion<Failure>)
  }

  private let downstream: Downstream
  private let schedule: (@escaping () -> Void) -> Void
  private let lock = Lock()
  private var events: [Event] = []
  private var isDelivering = false
  private var subscription: (any Subscription)?

  init(_ downstream: Downstream, schedule: @escaping (@escaping () -> Void) -> Void) {
    self.downstream = downstream
    self.schedule = schedule
  }

  func receive(subscription: any Subscription) {
    lock.withLock { self.subscription = subscription }
    downstream.receive(subscription: subscription)
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    append(.value(input))
    return .none
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    append(.end(completion))
  }

  private func append(_ event: Event) {
    let isFirst = lock.withLock {
      events.append(event)
      defer { isDelivering = true }
      return !isDelivering
    }
    if isFirst { schedule { self.deliver() } }
  }

  private func deliver() {
    while let event = lock.withLock({ popFirst() }) {
      switch event {
      case .value(let value):
        let more = downstream.receive(value)
        if more > .none { lock.withLock { subscription }?.request(more) }
      case .end(let completion): downstream.receive(completion: completion)
      }
    }
  }

  private func popFirst() -> Event? {
    guard events.isEmpty else { return events.removeFirst() }
    isDelivering = false
    return nil
  }
}
