internal import CLinux
internal import Synchronization

/// A serial executor with a thread of its own, for actors that block: files, syncs, names to look up.
///
/// Jobs run one after another in the order they came. Those that come after `stop` may never run.
package final class BlockingExecutor: SerialExecutor, Sendable {
  private let name: String
  private let jobs = JobQueue()
  private let bell: OwnedDescriptor
  private let isStopping = Atomic(false)
  private let runningThread = Atomic<UInt>(0)
  private let thread = Guarded<SystemThread?>(nil)

  /// Starts the thread; throws when the system has no descriptor or no thread left.
  package init(name: String) throws(SystemError) {
    self.name = name
    bell = OwnedDescriptor(owning: try SystemError.check("eventfd", clinux_eventfd_create(1)))
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
  }
}
