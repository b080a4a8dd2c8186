/// A point in time on the machine's monotonic clock, which never goes back and means nothing elsewhere.
package struct MonotonicTime: Comparable, Hashable, Sendable, BitwiseCopyable {
  /// Nanoseconds since some moment before the machine's start.
  package var nanoseconds: Int64

  /// The point that many nanoseconds on the clock.
  @inlinable
  package init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// Before every other: a deadline of this kind asks for the next turn at once.
  package static let distantPast = MonotonicTime(nanoseconds: .min)

  /// After every other: a deadline of this kind never comes.
  @inlinable
  package static var distantFuture: MonotonicTime { MonotonicTime(nanoseconds: .max) }

  @inlinable
  package static func == (one: MonotonicTime, other: MonotonicTime) -> Bool {
    one.nanoseconds == other.nanoseconds
  }

  @inlinable
  package static func < (one: MonotonicTime, other: MonotonicTime) -> Bool {
    one.nanoseconds < other.nanoseconds
  }

  /// The point that many milliseconds later; wraps instead of trapping.
  @inlinable
  package func adding(milliseconds: Int) -> MonotonicTime {
    MonotonicTime(nanoseconds: nanoseconds &+ Int64(milliseconds) &* 1_000_000)
  }

  /// The point that many seconds later; wraps instead of trapping.
  @inlinable
  package func adding(seconds: Int) -> MonotonicTime {
    adding(milliseconds: seconds * 1000)
  }

  /// The seconds from an earlier point to this one; negative if the other point is later.
  @inlinable
  package func seconds(since earlier: MonotonicTime) -> Double {
    Double(nanoseconds &- earlier.nanoseconds) / 1e9
  }

  /// The point a duration later.
  package static func + (time: MonotonicTime, duration: Duration) -> MonotonicTime {
    MonotonicTime(nanoseconds: time.nanoseconds + duration.wholeNanoseconds)
  }

  /// The point a duration earlier.
  package static func - (time: MonotonicTime, duration: Duration) -> MonotonicTime {
    MonotonicTime(nanoseconds: time.nanoseconds - duration.wholeNanoseconds)
  }

  /// The time from the second point to the first.
  package static func - (end: MonotonicTime, start: MonotonicTime) -> Duration {
    .nanoseconds(end.nanoseconds - start.nanoseconds)
  }
}

extension Duration {
  /// Nanoseconds, the fraction dropped; traps past 292 years.
  package var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}
