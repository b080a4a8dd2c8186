/// A moment of a clock that never goes back, in nanoseconds since some start. It comes in from outside:
/// nothing in this target reads a clock.
package struct Instant: Comparable, Hashable, Sendable, BitwiseCopyable {
  package var nanoseconds: Int64

  package init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// After every other.
  package static var distantFuture: Instant { Instant(nanoseconds: .max) }

  package static func < (left: Instant, right: Instant) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  package func adding(milliseconds: Int) -> Instant {
    Instant(nanoseconds: nanoseconds &+ Int64(milliseconds) &* 1_000_000)
  }

  package func adding(seconds: Int) -> Instant {
    adding(milliseconds: seconds * 1000)
  }

  /// Seconds from `earlier` to this moment; negative when it lies after.
  package func seconds(since earlier: Instant) -> Double {
    Double(nanoseconds &- earlier.nanoseconds) / 1e9
  }
}
