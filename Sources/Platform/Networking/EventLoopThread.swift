package import Platform
package import Primitives
internal import CLinux
internal import Synchronization

/// A thread with an event loop: each iteration (turn) waits for descriptors, a deadline or a wake-up, and then runs a closure.
///
/// It is a serial executor: an actor whose `unownedExecutor` is this object runs on this thread only, and the closure may enter
/// such an actor with `assumeIsolated`. An iteration runs the enqueued jobs of such actors first, then the closure given to
/// `start` or `run`. Jobs that arrive after the last turn never run.
package final class EventLoopThread: SerialExecutor, Sendable {
  /// The closure that runs once per iteration. Its arguments are the events (often none) and the time at which the jobs of this
  /// iteration began (`nil` if there were none). It returns the deadline of the next wait: `nil` for no deadline, or a time in
  /// the past to run the next turn immediately.
  package typealias Turn = @Sendable (_ events: [ReadyEvent], _ jobsBegan: MonotonicTime?) -> MonotonicTime?

  /// The maximum number of events in one turn.
  package static let eventsPerTurn = Int(clinux_ready_capacity)

  /// The name of the thread.
  package let name: String
  /// The time of the current iteration, for components that run on this thread.
  package let clock = LoopClock()
  private let epoll: OwnedDescriptor
  private let wakeup: OwnedDescriptor
  private let jobs = JobQueue()
  private let isWakePending = Atomic(false)
  private let stopFlag = Atomic(false)
  private let runningThread = Atomic<UInt>(0)
  private let thread = Guarded<SystemThread?>(nil)

  /// The token of `wakeup`. No other descriptor may be registered under it.
  private static let wakeToken = UInt64.max

  /// Creates the loop without starting its thread. Throws if the system has no descriptors left.
  package init(name: String) throws(SystemError) {
    self.name = name
    epoll = OwnedDescriptor(owning: try SystemError.check("epoll_create1", clinux_epoll_create()))
    wakeup = OwnedDescriptor(owning: try SystemError.check("eventfd", clinux_eventfd_create(0)))
    try register(wakeup.rawValue, token: Self.wakeToken)
  }

  /// Starts the thread. May be called only once. The running thread keeps the loop alive until `stop`.
  package func start(turn: @escaping Turn) throws(SystemError) {
    try startThread { self.run(turn) }
  }

  /// Starts the thread, which calls `body`. May be called only once. `body` must call `run`. It may call `run` from within
  /// `assumeIsolated` of an actor: the thread then enters the actor once, instead of once per turn, which saves about 500
  /// instructions per turn.
  package func startThread(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
    let started = try SystemThread(name: name) {
      self.runningThread.store(SystemThread.current, ordering: .relaxed)
      body()
      self.runningThread.store(0, ordering: .relaxed)
    }
    let former = thread.withLock { thread in
      let former = thread
      thread = started
      return former
    }
    precondition(former == nil, "an event loop must be started only once")
  }

  /// Makes the loop end after its current turn. The loop cannot be started again. Any thread may call this function.
  package func stop() {
    stopFlag.store(true, ordering: .releasing)
    wake()
  }

  /// True after a call of `stop`.
  package var isStopping: Bool { stopFlag.load(ordering: .acquiring) }

  /// Waits for the end of the thread. The loop's own thread must not call it.
  package func join() {
    precondition(!isOnLoop, "the thread of an event loop cannot wait for the end of this loop")
    thread.withLock { $0 }?.join()
  }

  // MARK: - Descriptors

  /// Watches a descriptor for readability, writability and hang-ups. Each change is reported once (edge-triggered). Any thread
  /// may call this function. If the descriptor is ready already, a first event reports this.
  ///
  /// Closing the descriptor ends the watch. The current turn may still contain an event that was fetched before the descriptor
  /// was closed. So a descriptor that is opened later must get a different token, for example with a generation number.
  package func register(_ descriptor: CInt, token: UInt64) throws(SystemError) {
    _ = try SystemError.check("epoll_ctl", clinux_epoll_add(epoll.rawValue, descriptor, token))
  }

  /// Ends the watch of a descriptor that stays open, for example to transfer it to another loop.
  package func deregister(_ descriptor: CInt) throws(SystemError) {
    _ = try SystemError.check("epoll_ctl", clinux_epoll_remove(epoll.rawValue, descriptor))
  }

  // MARK: - Reaching the loop

  /// Makes the loop run another turn soon. Any thread may call it. Several calls before that turn cause one turn.
  package func wake() {
    guard !isWakePending.exchange(true, ordering: .acquiringAndReleasing) else { return }
    // On the loop's own thread, the eventfd is not needed: the loop checks `isWakePending` before it waits.
    guard !isOnLoop else { return }
    // The eventfd is watched edge-triggered, so each write wakes the loop, and the eventfd is never read. A write can fail only
    // after 2^64 earlier writes.
    _ = clinux_eventfd_signal(wakeup.rawValue)
  }

  /// True if the caller runs on the loop's thread.
  package var isOnLoop: Bool {
    runningThread.load(ordering: .relaxed) == SystemThread.current
  }

  // MARK: - SerialExecutor

  package func enqueue(_ job: consuming ExecutorJob) {
    jobs.append(job)
    wake()
  }

  package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    unsafe UnownedSerialExecutor(ordinary: self)
  }

  package func checkIsolated() {
    precondition(isOnLoop, "this code must run on the thread of event loop \(name)")
  }

  package func isIsolatingCurrentContext() -> Bool? {
    isOnLoop
  }

  // MARK: - The loop

  /// Runs the loop until `stop` is called. Must be called only once, by the closure given to `startThread`.
  package func run(_ turn: (_ events: [ReadyEvent], _ jobsBegan: MonotonicTime?) -> MonotonicTime?) {
    precondition(isOnLoop, "an event loop must be run by its own thread")
    clock.bindToThread()
    var ready = [clinux_ready](repeating: clinux_ready(), count: Self.eventsPerTurn)
    var events: [ReadyEvent] = []
    events.reserveCapacity(Self.eventsPerTurn)
    var batch: [UnownedJob] = []
    var deadline: MonotonicTime? = .distantPast
    while !isStopping {
      wait(until: deadline, filling: &ready, events: &events)
      let jobsBegan = runJobs(&batch)
      clock.refresh()
      deadline = turn(events, jobsBegan)
    }
    // Jobs that were enqueued before the stop are guaranteed to run.
    while runJobs(&batch) != nil {}
    clock.unbind()
  }

  private func wait(
    until deadline: MonotonicTime?, filling ready: inout [clinux_ready], events: inout [ReadyEvent]
  ) {
    events.removeAll(keepingCapacity: true)
    let timeout = isWakePending.load(ordering: .acquiring) ? 0 : Self.nanoseconds(until: deadline)
    let count = unsafe ready.withUnsafeMutableBufferPointer { ready in
      unsafe clinux_epoll_wait(epoll.rawValue, ready.baseAddress, timeout)
    }
    precondition(count >= 0, "epoll_wait failed")
    // An exchange clears the flag before jobs and messages are fetched. A caller of `wake` that found the flag set came before
    // the exchange, so this turn sees its message. A caller that finds the flag cleared causes another turn.
    _ = isWakePending.exchange(false, ordering: .acquiringAndReleasing)
    for index in 0..<Int(count) where ready[index].token != Self.wakeToken {
      events.append(ReadyEvent(ready[index]))
    }
  }

  /// Runs the enqueued jobs.
  /// - Returns: the time at which the first job began; `nil` if there was none.
  private func runJobs(_ batch: inout [UnownedJob]) -> MonotonicTime? {
    jobs.drain(into: &batch)
    guard !batch.isEmpty else { return nil }
    clock.refresh()
    let began = clock.now
    for job in batch {
      unsafe job.runSynchronously(on: asUnownedSerialExecutor())
    }
    return began
  }

  /// Returns the timeout of the wait: 0 if the deadline has passed, -1 if there is no deadline.
  private static func nanoseconds(until deadline: MonotonicTime?) -> Int64 {
    guard let deadline else { return -1 }
    let now = MonotonicTime.now()
    return deadline <= now ? 0 : deadline.nanoseconds - now.nanoseconds
  }
}
