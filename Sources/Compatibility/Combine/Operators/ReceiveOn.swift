extension Publishers {
  /// The publisher of `receive(on:options:)`.
  public struct ReceiveOn<Upstream: Publisher, Context: Scheduler>: Publisher {
    /// The value type of the upstream publisher.
    public typealias Output = Upstream.Output
    /// The error type of the upstream publisher.
    public typealias Failure = Upstream.Failure
    /// The upstream publisher.
    public let upstream: Upstream
    /// The scheduler that delivers the values.
    public let scheduler: Context
    /// The options for the scheduler.
    public let options: Context.SchedulerOptions?

    /// Creates the publisher.
    public init(upstream: Upstream, scheduler: Context, options: Context.SchedulerOptions?) {
      self.upstream = upstream
      self.scheduler = scheduler
      self.options = options
    }

    /// Adds a subscriber.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let (scheduler, options) = (scheduler, options)
      upstream.subscribe(ScheduledSubscriber(subscriber) { scheduler.schedule(options: options, $0) })
    }
  }
}

/// Delivers events on a scheduler in their order, even if the scheduler has several threads.
///
/// Unchecked: mutable state is accessed under the lock only; one scheduled closure at a time calls the downstream
/// subscriber.
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
