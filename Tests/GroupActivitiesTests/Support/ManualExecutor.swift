import Synchronization

/// An executor that runs its jobs only when the test calls it, on the test's thread.
final class ManualExecutor: SerialExecutor, TaskExecutor {
  private let jobs = Mutex<[UnownedJob]>([])

  /// The number of queued jobs.
  var jobCount: Int { jobs.withLock { $0.count } }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }

  /// Runs all jobs, including jobs that are added during this call, on the actor of this executor. The oldest job runs first.
  func runActorJobs() {
    while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
      unsafe job.runSynchronously(on: asUnownedSerialExecutor())
    }
  }

  /// Runs all jobs, including jobs that are added during this call, outside any actor. The newest job runs first: a pool of
  /// threads may use this order too.
  func runTaskJobs() {
    while let job = jobs.withLock({ $0.popLast() }) {
      unsafe job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }

  func asUnownedSerialExecutor() -> UnownedSerialExecutor { unsafe UnownedSerialExecutor(ordinary: self) }
  func asUnownedTaskExecutor() -> UnownedTaskExecutor { unsafe UnownedTaskExecutor(ordinary: self) }
}

/// An actor whose jobs run only when the test runs them, with a list of recorded elements.
actor ManualReader {
  let executor = ManualExecutor()
  private let received = Mutex<[String]>([])

  /// The recorded elements.
  nonisolated var elements: [String] { received.withLock { $0 } }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Calls a closure on the actor.
  func perform(_ body: @Sendable (isolated ManualReader) async -> Void) async {
    await body(self)
  }

  func record(_ element: String) {
    received.withLock { $0.append(element) }
  }

  /// Runs the jobs of readers and all other jobs, until every reader waits or has ended.
  static func run(_ readers: [ManualReader], and otherJobs: ManualExecutor) {
    while otherJobs.jobCount + readers.reduce(0, { $0 + $1.executor.jobCount }) > 0 {
      otherJobs.runTaskJobs()
      for reader in readers { reader.executor.runActorJobs() }
    }
  }
}
