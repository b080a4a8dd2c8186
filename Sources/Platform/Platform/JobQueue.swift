internal import Synchronization

/// The jobs that Swift's concurrency has enqueued on an executor and that have not run yet, in order.
package final class JobQueue: Sendable {
  private let jobs = Guarded<[UnownedJob]>([])
  /// False while the queue is empty, so that `drain` takes no lock if there are no jobs.
  private let hasJobs = Atomic<Bool>(false)

  /// Creates an empty queue.
  package init() {}

  /// Appends a job. Any thread may call this function.
  package func append(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
    hasJobs.store(true, ordering: .releasing)
  }

  /// Moves all jobs into `batch`. The queue then reuses the former storage of `batch`.
  package func drain(into batch: inout [UnownedJob]) {
    batch.removeAll(keepingCapacity: true)
    guard hasJobs.load(ordering: .acquiring) else { return }
    // The flag is cleared before the jobs are fetched: a job that is appended afterwards sets it again.
    hasJobs.store(false, ordering: .sequentiallyConsistent)
    jobs.withLock { swap(&$0, &batch) }
  }
}
