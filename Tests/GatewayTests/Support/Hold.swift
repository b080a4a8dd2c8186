import Glibc
import Platform
import TestSupport

/// Blocks the thread of an executor until `release` is called, so that later calls on this thread wait.
final class Hold: Sendable {
  private let isOver = Guarded(false)

  init(on executor: BlockingExecutor) {
    let busy = Busy(executor)
    Task { await busy.wait(for: self) }
  }

  func release() {
    isOver.withLock { $0 = true }
  }

  private actor Busy {
    private let executor: BlockingExecutor

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    init(_ executor: BlockingExecutor) {
      self.executor = executor
    }

    func wait(for hold: Hold) {
      let deadline = TestTimeout.deadline
      while !hold.isOver.withLock({ $0 }), .now() < deadline { sched_yield() }
    }
  }
}
