/// A point in civil time, in UTC. The present civil time jumps when the machine's clock is set.
package struct WallTime: Comparable, Hashable, Sendable, BitwiseCopyable {
  /// The number of nanoseconds since 1970-01-01T00:00:00Z, without leap seconds.
  package var nanosecondsSince1970: Int64

  /// Creates the point in time that is this number of nanoseconds after the beginning of 1970.
  package init(nanosecondsSince1970: Int64) {
    self.nanosecondsSince1970 = nanosecondsSince1970
  }

  /// Creates the point in time that is this number of seconds after the beginning of 1970.
  package init(secondsSince1970: Int64) {
    self.nanosecondsSince1970 = secondsSince1970 * 1_000_000_000
  }

  /// The whole seconds since the beginning of 1970, as in HTTP's `Date`.
  package var secondsSince1970: Int64 {
    // The division rounds down, even before 1970.
    (nanosecondsSince1970 - (nanosecondsSince1970 < 0 ? 999_999_999 : 0)) / 1_000_000_000
  }

  package static func < (one: WallTime, other: WallTime) -> Bool {
    one.nanosecondsSince1970 < other.nanosecondsSince1970
  }

  /// Returns the point in time that is later by a duration.
  package static func + (time: WallTime, duration: Duration) -> WallTime {
    WallTime(nanosecondsSince1970: time.nanosecondsSince1970 + duration.wholeNanoseconds)
  }
}
