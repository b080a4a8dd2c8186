package import Platform
package import Primitives
internal import CLinux
internal import Synchronization

/// A thread that waits for descriptors, a deadline or a wake, and then takes a turn.
///
/// It is a serial executor: an actor that names it as its `unownedExecutor` runs on this thread only, and
/// may be entered from a turn by `assumeIsolated`. A turn runs the jobs of such actors first, then the
/// closure given to `start`. Jobs that come after the last turn are never run.
package final class EventLoopThread: SerialExecutor, Sendable {
  /// What a turn does. It is given the events that came in (often none), and when the jobs before it were begun, `nil`
  /// when there were none. It answers until when to wait at the longest: `nil` for as long as it takes, a time in the
  /// past for the next turn at once.
  package typealias Turn = @Sendable (_ events: [ReadyEvent], _ jobsBegan: MonotonicTime?) -> MonotonicTime?

  /// The most events a turn is given.
  package static let eventsPerTurn = Int(clinux_ready_capacity)

  /// The name of the thread.
  package let name: String
  /// The time of the present iteration, for components that run on this thread.
  package let clock = LoopClock()
  private let epoll: OwnedDescriptor
  private let wakeup: OwnedDescriptor
  private let jobs = JobQueue()
  private let isWakePending = Atomic(false)
  private let isStopping = Atomic(false)
  private let runningThread = Atomic<UInt>(0)
  private let thread = Guarded<SystemThread?>(nil)

  /// The wakeup's own token; no descriptor may be registered under it.
  private static let wakeToken = UInt64.max

  /// Makes the loop, which does nothing yet; throws when the system has no descriptors left.
  package init(name: String) throws(SystemError) {
    self.name = name
    epoll = OwnedDescriptor(owning: try SystemError.check("epoll_create1", clinux_epoll_create()))
    wakeup = OwnedDescriptor(owning: try SystemError.check("eventfd", clinux_eventfd_create(0)))
    try register(wakeup.rawValue, token: Self.wakeToken)
  }

  /// Starts the thread, once. The loop lives until `stop`, whoever else still refers to it.
  package func start(turn: @escaping Turn) throws(SystemError) {
    let started = try SystemThread(name: name) { self.run(turn) }
    let former = thread.withLock { thread in
      let former = thread
      thread = started
      return former
    }
    precondition(former == nil, "an event loop starts once")
  }

  /// Asks the loop to end after its present turn; any thread may. There is no way back.
  package func stop() {
    isStopping.store(true, ordering: .releasing)
    wake()
  }

  /// Waits for the thread's end; the loop's own thread must not call it.
  package func join() {
    precondition(!isOnLoop, "a loop cannot wait for its own end")
    thread.withLock { $0 }?.join()
  }

  // MARK: - Descriptors

  /// Watches a descriptor from now on for reading, writing and hanging up, each change reported once
  /// (edge-triggered). Any thread may call it; a first event for what is already so comes by itself.
  ///
  /// Closing the descriptor ends the watch. An event already fetched may still come in that turn, so a
  /// token that is used again must differ, by a generation in it for example.
  package func register(_ descriptor: CInt, token: UInt64) throws(SystemError) {
    _ = try SystemError.check("epoll_ctl", clinux_epoll_add(epoll.rawValue, descriptor, token))
  }

  /// Ends the watch of a descriptor that stays open, to be handed to another loop for example.
  package func deregister(_ descriptor: CInt) throws(SystemError) {
    _ = try SystemError.check("epoll_ctl", clinux_epoll_remove(epoll.rawValue, descriptor))
  }

  // MARK: - Reaching the loop

  /// Has the loop take another turn soon; any thread may. Many calls before that turn cost one.
  package func wake() {
    guard !isWakePending.exchange(true, ordering: .acquiringAndReleasing) else { return }
    // The loop itself looks at the flag before it waits.
    guard !isOnLoop else { return }
    // Never read back: each write is a new edge. It can fail only after 2^64 of them.
    _ = clinux_eventfd_signal(wakeup.rawValue)
  }

  /// Whether the caller is on the loop's thread.
  package var isOnLoop: Bool {
    runningThread.load(ordering: .relaxed) == SystemThread.current
  }

  // MARK: - SerialExecutor

  package func enqueue(_ job: consuming ExecutorJob) {
    jobs.put(job)
    wake()
  }

  package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    unsafe UnownedSerialExecutor(ordinary: self)
  }

  package func checkIsolated() {
    precondition(isOnLoop, "this runs on the thread of event loop \(name) only")
  }

  package func isIsolatingCurrentContext() -> Bool? {
    isOnLoop
  }

  // MARK: - The loop

  private func run(_ turn: Turn) {
    runningThread.store(SystemThread.current, ordering: .relaxed)
    clock.bindToThread()
    var ready = [clinux_ready](repeating: clinux_ready(), count: Self.eventsPerTurn)
    var events: [ReadyEvent] = []
    events.reserveCapacity(Self.eventsPerTurn)
    var batch: [UnownedJob] = []
    var deadline: MonotonicTime? = .distantPast
    while !isStopping.load(ordering: .acquiring) {
      wait(until: deadline, filling: &ready, events: &events)
      let jobsBegan = runJobs(&batch)
      clock.refresh()
      deadline = turn(events, jobsBegan)
    }
    // What was enqueued before the stop has a promise to be run.
    while runJobs(&batch) != nil {}
    clock.unbind()
    runningThread.store(0, ordering: .relaxed)
  }

  private func wait(
    until deadline: MonotonicTime?, filling ready: inout [clinux_ready], events: inout [ReadyEvent]
  ) {
    events.removeAll(keepingCapacity: true)
    let timeout = isWakePending.load(ordering: .acquiring) ? 0 : Self.nanoseconds(until: deadline)
    let count = unsafe ready.withUnsafeMutableBufferPointer { ready in
      unsafe clinux_epoll_wait(epoll.rawValue, ready.baseAddress, timeout)
    }
    precondition(count >= 0, "epoll_wait fails only on arguments that are wrong")
    // Before jobs and messages are fetched, and an exchange: who found the flag set comes before it, so that
    // what they put is seen in this turn; who finds it unset has us take another.
    _ = isWakePending.exchange(false, ordering: .acquiringAndReleasing)
    for index in 0..<Int(count) where ready[index].token != Self.wakeToken {
      events.append(ReadyEvent(ready[index]))
    }
  }

  /// - Returns: when the first was begun; `nil` when there was none.
  private func runJobs(_ batch: inout [UnownedJob]) -> MonotonicTime? {
    jobs.take(into: &batch)
    guard !batch.isEmpty else { return nil }
    clock.refresh()
    let began = clock.now
    for job in batch {
      unsafe job.runSynchronously(on: asUnownedSerialExecutor())
    }
    return began
  }

  /// The argument for the wait: 0 for what is due, -1 for no deadline.
  private static func nanoseconds(until deadline: MonotonicTime?) -> Int64 {
    guard let deadline else { return -1 }
    let now = MonotonicTime.now()
    return deadline <= now ? 0 : deadline.nanoseconds - now.nanoseconds
  }
}
