internal import Synchronization

/// The jobs that Swift's concurrency has handed to an executor and that have not run yet, in their order.
package final class JobQueue: Sendable {
  private let jobs = Guarded<[UnownedJob]>([])
  /// Spares a turn the lock when there are none.
  private let hasJobs = Atomic<Bool>(false)

  /// Creates an empty queue.
  package init() {}

  /// Puts a job at the end; any thread may.
  package func put(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
    hasJobs.store(true, ordering: .releasing)
  }

  /// Takes all jobs at once, giving an empty array's room in return.
  package func take(into batch: inout [UnownedJob]) {
    batch.removeAll(keepingCapacity: true)
    guard hasJobs.load(ordering: .acquiring) else { return }
    // Before the jobs are fetched: what is put meanwhile sets it again.
    hasJobs.store(false, ordering: .sequentiallyConsistent)
    jobs.withLock { swap(&$0, &batch) }
  }
}
