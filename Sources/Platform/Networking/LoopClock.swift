internal import Platform
package import Primitives
internal import Synchronization

/// The time of an event loop's current iteration. Reading the clock costs no system call.
///
/// The loop refreshes the clock before the jobs and before the turn of each iteration. While the loop runs, only the loop's
/// thread may read the clock; debug builds check that.
package final class LoopClock: Sendable {
  private let nanoseconds: Atomic<Int64>
  /// The thread of the loop; 0 while the loop does not run.
  private let thread = Atomic<UInt>(0)

  /// Creates a clock with an initial time.
  package init(_ time: MonotonicTime = .now()) {
    nanoseconds = Atomic(time.nanoseconds)
  }

  /// The time of the last refresh.
  package var now: MonotonicTime {
    assert(isOnThread, "the clock of an event loop was read on another thread")
    return MonotonicTime(nanoseconds: nanoseconds.load(ordering: .relaxed))
  }

  private var isOnThread: Bool {
    let thread = thread.load(ordering: .relaxed)
    return thread == 0 || thread == SystemThread.current
  }

  /// Binds the clock to the calling thread, the thread of the loop.
  func bindToThread() {
    thread.store(SystemThread.current, ordering: .relaxed)
  }

  /// Ends the binding to a thread.
  func unbind() {
    thread.store(0, ordering: .relaxed)
  }

  /// Reads the machine's clock.
  package func refresh() {
    set(.now())
  }

  /// Sets the time, for tests of components that read this clock.
  package func set(_ time: MonotonicTime) {
    nanoseconds.store(time.nanoseconds, ordering: .relaxed)
  }
}
