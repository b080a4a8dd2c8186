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
