internal import CLinux

/// A point in time on the machine's monotonic clock, which never goes back and means nothing elsewhere.
package struct MonotonicTime: Comparable, Hashable, Sendable, BitwiseCopyable {
  /// Nanoseconds since some moment before the machine's start.
  package var nanoseconds: Int64

  /// The point that many nanoseconds on the clock.
  package init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// Reads the clock.
  package static func now() -> MonotonicTime {
    MonotonicTime(nanoseconds: clinux_monotonic_now())
  }

  /// Before every other: a deadline of this kind asks for the next turn at once.
  package static let distantPast = MonotonicTime(nanoseconds: .min)

  package static func < (one: MonotonicTime, other: MonotonicTime) -> Bool {
    one.nanoseconds < other.nanoseconds
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

/// A point in time as people reckon it, in UTC; may jump when the machine's clock is set.
package struct WallTime: Comparable, Hashable, Sendable, BitwiseCopyable {
  /// Nanoseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
  package var nanosecondsSince1970: Int64

  /// The point that many nanoseconds after 1970 began.
  package init(nanosecondsSince1970: Int64) {
    self.nanosecondsSince1970 = nanosecondsSince1970
  }

  /// The point that many seconds after 1970 began.
  package init(secondsSince1970: Int64) {
    self.nanosecondsSince1970 = secondsSince1970 * 1_000_000_000
  }

  /// Reads the machine's clock.
  package static func now() -> WallTime {
    WallTime(nanosecondsSince1970: clinux_wall_now())
  }

  /// True when the kernel keeps the machine's clock synchronised with a time server; false also where that cannot be read.
  package static var isSynchronised: Bool { clinux_wall_is_synchronised() != 0 }

  /// Whole seconds since 1970 began, as HTTP's `Date` counts them.
  package var secondsSince1970: Int64 {
    // Rounds down before 1970 too.
    (nanosecondsSince1970 - (nanosecondsSince1970 < 0 ? 999_999_999 : 0)) / 1_000_000_000
  }

  package static func < (one: WallTime, other: WallTime) -> Bool {
    one.nanosecondsSince1970 < other.nanosecondsSince1970
  }

  /// The point a duration later.
  package static func + (time: WallTime, duration: Duration) -> WallTime {
    WallTime(nanosecondsSince1970: time.nanosecondsSince1970 + duration.wholeNanoseconds)
  }
}

extension Duration {
  /// Nanoseconds, the fraction dropped; traps past 292 years.
  package var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}
