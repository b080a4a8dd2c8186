/// A point in time on the machine's monotonic clock. The clock never goes back, and its values have no meaning on
/// another machine.
///
/// Other modules inline its members, because the type is `@usableFromInline`: without that, `@inlinable` has no effect on
/// the members of a `package` type.
@frozen @usableFromInline
package struct MonotonicTime: Comparable, Hashable, Sendable, BitwiseCopyable {
  /// The nanoseconds since an unspecified moment before the machine's start.
  @usableFromInline
  package var nanoseconds: Int64

  /// Creates the point with this number of nanoseconds on the clock.
  @inlinable
  package init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// The earliest possible time. An event loop with this deadline starts its next turn immediately.
  @inlinable
  package static var distantPast: MonotonicTime { MonotonicTime(nanoseconds: .min) }

  /// The latest possible time. A deadline at this time never arrives.
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

  /// Returns the point `milliseconds` later. Wraps on overflow instead of trapping.
  @inlinable
  package func adding(milliseconds: Int) -> MonotonicTime {
    MonotonicTime(nanoseconds: nanoseconds &+ Int64(milliseconds) &* 1_000_000)
  }

  /// Returns the point `seconds` later. Wraps on overflow instead of trapping.
  @inlinable
  package func adding(seconds: Int) -> MonotonicTime {
    adding(milliseconds: seconds * 1000)
  }

  /// Returns the seconds from an earlier point to this one; negative if the other point is later.
  @inlinable
  package func seconds(since earlier: MonotonicTime) -> Double {
    Double(nanoseconds &- earlier.nanoseconds) / 1e9
  }

  /// Returns the point that is later by a duration.
  @inlinable
  package static func + (time: MonotonicTime, duration: Duration) -> MonotonicTime {
    MonotonicTime(nanoseconds: time.nanoseconds + duration.wholeNanoseconds)
  }

  /// Returns the point that is earlier by a duration.
  @inlinable
  package static func - (time: MonotonicTime, duration: Duration) -> MonotonicTime {
    MonotonicTime(nanoseconds: time.nanoseconds - duration.wholeNanoseconds)
  }

  /// Returns the time from the second point to the first.
  @inlinable
  package static func - (end: MonotonicTime, start: MonotonicTime) -> Duration {
    .nanoseconds(end.nanoseconds - start.nanoseconds)
  }
}

extension Duration {
  /// The duration in nanoseconds, without the fraction. Traps if the duration is longer than 292 years.
  @inlinable @inline(__always)
  package var wholeNanoseconds: Int64 {
    // The compiler computes the result for a constant if the function is inlined. Reading `components` instead would be a call of
    // 200 instructions. The 128-bit division takes 100 instructions, but only durations of more than 9 s need it.
    if let attoseconds = Int64(exactly: attoseconds) { return attoseconds / 1_000_000_000 }
    return Int64(attoseconds / 1_000_000_000)
  }

  /// The duration in milliseconds, without the fraction.
  @inlinable
  package var wholeMilliseconds: Int64 {
    Int64(attoseconds / 1_000_000_000_000_000)
  }
}
