internal import CLinux
internal import Synchronization

/// A serial executor with a thread of its own, for actors that block: files, syncs, names to look up.
///
/// Jobs run one after another in the order they came. Those that come after `stop` may never run. What they write
/// never raises a signal: a closed socket is EPIPE and a file over the process's limit is EFBIG, nothing else.
package final class BlockingExecutor: SerialExecutor, Sendable {
  private let name: String
  private let niceness: CInt
  private let jobs = JobQueue()
  private let bell: OwnedDescriptor
  /// Rings once, when the thread has run its last job.
  private let end: OwnedDescriptor
  private let isStopping = Atomic(false)
  private let runningThread = Atomic<UInt>(0)
  private let thread = Guarded<SystemThread?>(nil)

  /// Starts the thread; throws when the system has no descriptor or no thread left.
  ///
  /// - Parameters:
  ///   - name: the thread's; at most 15 bytes of it count.
  ///   - niceness: how far it gives way to other threads, from 0 to 19. Where the system refuses it, it is as the
  ///     others.
  /// - Throws: `SystemError`.
  package init(name: String, niceness: Int = 0) throws(SystemError) {
    self.name = name
    self.niceness = CInt(clamping: niceness)
    bell = OwnedDescriptor(owning: try SystemError.check("eventfd", clinux_eventfd_create(1)))
    end = OwnedDescriptor(owning: try SystemError.check("eventfd", clinux_eventfd_create(1)))
    let started = try SystemThread(name: name) { self.run() }
    thread.withLock { $0 = started }
  }

  /// Asks the thread to end once the jobs that are waiting have run; any thread may.
  package func stop() {
    isStopping.store(true, ordering: .releasing)
    ring()
  }

  /// Waits for the thread's end; the executor's own jobs must not call it.
  package func join() {
    thread.withLock { $0 }?.join()
  }

  /// Waits for the thread's end, but no longer than that: a job may hang in the system for as long as a disk does.
  ///
  /// - Returns: whether it has ended.
  package func join(within duration: Duration) -> Bool {
    let nanoseconds = Int64(duration / .nanoseconds(1))
    guard clinux_poll(end.rawValue, clinux_readable, max(0, nanoseconds)) == 1 else { return false }
    join()
    return true
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    jobs.put(job)
    ring()
  }

  package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    unsafe UnownedSerialExecutor(ordinary: self)
  }

  package func checkIsolated() {
    precondition(isOnThread, "this runs on the thread of executor \(name) only")
  }

  package func isIsolatingCurrentContext() -> Bool? {
    isOnThread
  }

  private var isOnThread: Bool {
    runningThread.load(ordering: .relaxed) == SystemThread.current
  }

  private func ring() {
    // Fails only when rung 2^64 times unheard.
    _ = clinux_eventfd_signal(bell.rawValue)
  }

  private func run() {
    runningThread.store(SystemThread.current, ordering: .relaxed)
    SystemThread.prepare(niceness: niceness)
    var batch: [UnownedJob] = []
    while true {
      // Read before the jobs are taken: one that comes with the stop is then still run.
      let isLast = isStopping.load(ordering: .acquiring)
      jobs.take(into: &batch)
      for job in batch {
        unsafe job.runSynchronously(on: asUnownedSerialExecutor())
      }
      if batch.isEmpty {
        if isLast { break }
        let status = clinux_eventfd_wait(bell.rawValue)
        precondition(status == 0, "an eventfd that is open can be read")
      }
    }
    runningThread.store(0, ordering: .relaxed)
    _ = clinux_eventfd_signal(end.rawValue)
  }
}
