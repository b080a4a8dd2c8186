/// The jobs that Swift's concurrency has handed to an executor and that have not run yet, in their order.
final class JobQueue: Sendable {
  private let jobs = Guarded<[UnownedJob]>([])

  /// Puts a job at the end; any thread may.
  func put(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }

  /// Takes all jobs at once, giving an empty array's room in return.
  func take(into batch: inout [UnownedJob]) {
    batch.removeAll(keepingCapacity: true)
    jobs.withLock { swap(&$0, &batch) }
  }
}
