internal import Platform
package import Primitives
internal import Synchronization

/// The time of an event loop's present iteration. Reading it costs no system call.
///
/// The loop refreshes it before the jobs and before the turn of each iteration. Any thread may read it.
package final class LoopClock: Sendable {
  private let nanoseconds: Atomic<Int64>

  /// Creates a clock that shows a time.
  package init(_ time: MonotonicTime = .now()) {
    nanoseconds = Atomic(time.nanoseconds)
  }

  /// The time of the last refresh.
  package var now: MonotonicTime { MonotonicTime(nanoseconds: nanoseconds.load(ordering: .relaxed)) }

  /// Reads the machine's clock.
  package func refresh() {
    set(.now())
  }

  /// Sets the time, for tests of components that read this clock.
  package func set(_ time: MonotonicTime) {
    nanoseconds.store(time.nanoseconds, ordering: .relaxed)
  }
}
