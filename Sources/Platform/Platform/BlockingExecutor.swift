internal import CLinux
internal import Synchronization

/// A serial executor with its own thread, for actors whose calls block: file access, syncs and name lookups.
///
/// Jobs run one after another, in the order of their arrival. Jobs that arrive after `stop` may never run. A failing
/// write raises no signal: writing to a closed socket fails with EPIPE, writing past the process's file size limit
/// with EFBIG.
package final class BlockingExecutor: SerialExecutor, Sendable {
  private let name: String
  private let niceness: CInt
  private let jobs = JobQueue()
  /// Signalled when a job arrives or the executor stops.
  private let wakeup: OwnedDescriptor
  /// Signalled once, after the last job.
  private let ended: OwnedDescriptor
  private let isStopping = Atomic(false)
  private let runningThread = Atomic<UInt>(0)
  private let thread = Guarded<SystemThread?>(nil)

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - name: the name of the thread; the system uses its first 15 bytes.
  ///   - niceness: the niceness of the thread, from 0 to 19. If the system refuses this niceness, the thread runs
  ///     with normal priority.
  /// - Throws: `SystemError` if the system has no descriptor or no thread left.
  package init(name: String, niceness: Int = 0) throws(SystemError) {
    self.name = name
    self.niceness = CInt(clamping: niceness)
    wakeup = OwnedDescriptor(owning: try SystemError.check("eventfd", clinux_eventfd_create(1)))
    ended = OwnedDescriptor(owning: try SystemError.check("eventfd", clinux_eventfd_create(1)))
    let started = try SystemThread(name: name) { self.run() }
    thread.withLock { $0 = started }
  }

  /// Makes the thread end after the queued jobs have run. Any thread may call this function.
  package func stop() {
    isStopping.store(true, ordering: .releasing)
    signal()
  }

  /// Waits for the end of the thread. A job of this executor must not call it.
  package func join() {
    thread.withLock { $0 }?.join()
  }

  /// Waits for the end of the thread, but at most for `duration`, because a job may block in the system while a disk does not
  /// answer.
  ///
  /// - Returns: true if the thread has ended.
  package func join(within duration: Duration) -> Bool {
    let nanoseconds = Int64(duration / .nanoseconds(1))
    guard clinux_poll(ended.rawValue, clinux_readable, max(0, nanoseconds)) == 1 else { return false }
    join()
    return true
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    jobs.append(job)
    signal()
  }

  package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    unsafe UnownedSerialExecutor(ordinary: self)
  }

  package func checkIsolated() {
    precondition(isOnThread, "this code must run on the thread of executor \(name)")
  }

  package func isIsolatingCurrentContext() -> Bool? {
    isOnThread
  }

  private var isOnThread: Bool {
    runningThread.load(ordering: .relaxed) == SystemThread.current
  }

  private func signal() {
    // The result is ignored: the call fails only if the thread has left almost 2^64 signals unread.
    _ = clinux_eventfd_signal(wakeup.rawValue)
  }

  private func run() {
    runningThread.store(SystemThread.current, ordering: .relaxed)
    SystemThread.prepare(niceness: niceness)
    var batch: [UnownedJob] = []
    while true {
      // The flag is read before the jobs are fetched, so that a job that was enqueued before `stop` still runs.
      let isLast = isStopping.load(ordering: .acquiring)
      jobs.drain(into: &batch)
      for job in batch {
        unsafe job.runSynchronously(on: asUnownedSerialExecutor())
      }
      if batch.isEmpty {
        if isLast { break }
        let status = clinux_eventfd_wait(wakeup.rawValue)
        precondition(status == 0, "the executor cannot wait for its eventfd")
      }
    }
    runningThread.store(0, ordering: .relaxed)
    _ = clinux_eventfd_signal(ended.rawValue)
  }
}
