internal import Primitives

/// A histogram of durations. The buckets are stored inline, so that a copy needs no allocation.
package struct TimeHistogram: Sendable {
  /// The upper bounds of the buckets in nanoseconds. One additional bucket counts the durations above the last bound.
  static let limits: [17 of Int64] = [
    100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000,
    100_000_000,
    250_000_000, 500_000_000, 1_000_000_000, 2_500_000_000, 5_000_000_000, 10_000_000_000, 30_000_000_000,
  ]

  private var counts: [18 of UInt64] = .init(repeating: 0)
  /// The sum of all durations in nanoseconds.
  private var sum: UInt64 = 0

  /// Creates an empty histogram.
  package init() {}

  /// Counts one duration. A negative duration counts as zero.
  package mutating func count(_ duration: Duration) {
    count(nanoseconds: duration.wholeNanoseconds)
  }

  /// Counts one duration in nanoseconds. A negative duration counts as zero.
  package mutating func count(nanoseconds: Int64) {
    let nanoseconds = max(0, nanoseconds)
    var bucket = 0
    while bucket < Self.limits.count, nanoseconds > Self.limits[bucket] { bucket += 1 }
    counts[bucket] &+= 1
    sum &+= UInt64(nanoseconds)
  }

  /// The number of all counted durations.
  package var total: UInt64 { counts.indices.reduce(0) { $0 &+ counts[$1] } }

  /// The sum of all durations in seconds.
  package var seconds: Double { Double(sum) / 1e9 }

  /// The number of durations up to each bound, with the bound in seconds as text. The bucket without a bound (`+Inf`) is not
  /// included, because its cumulative number is `total`.
  package var cumulative: [(limit: String, count: UInt64)] {
    var count: UInt64 = 0
    return Self.limits.indices.map { bucket in
      count &+= counts[bucket]
      return (Self.text(ofNanoseconds: Self.limits[bucket]), count)
    }
  }

  package static func += (total: inout TimeHistogram, part: TimeHistogram) {
    for bucket in total.counts.indices { total.counts[bucket] &+= part.counts[bucket] }
    total.sum &+= part.sum
  }

  /// Returns a duration in seconds as text, such as `0.0025`. Whole seconds have no decimal point: `1`.
  private static func text(ofNanoseconds nanoseconds: Int64) -> String {
    nanoseconds % 1_000_000_000 == 0
      ? "\(nanoseconds / 1_000_000_000)" : "\(Double(nanoseconds) / 1e9)"
  }
}
