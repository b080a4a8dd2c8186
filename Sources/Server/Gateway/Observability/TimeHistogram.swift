internal import Primitives

/// How many times something took how long: one count for each range of durations, stored in place. Copying it allocates nothing.
package struct TimeHistogram: Sendable {
  /// Where each range ends, in nanoseconds; what took longer than the last is in one more range.
  static let limits: [17 of Int64] = [
    100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000,
    100_000_000,
    250_000_000, 500_000_000, 1_000_000_000, 2_500_000_000, 5_000_000_000, 10_000_000_000, 30_000_000_000,
  ]

  private var counts: [18 of UInt64] = .init(repeating: 0)
  /// All that was counted, in nanoseconds.
  private var sum: UInt64 = 0

  /// Nothing counted.
  package init() {}

  /// Counts one duration; a negative one as none.
  package mutating func count(_ duration: Duration) {
    count(nanoseconds: duration.wholeNanoseconds)
  }

  /// Counts one duration in nanoseconds; a negative one as none.
  package mutating func count(nanoseconds: Int64) {
    let nanoseconds = max(0, nanoseconds)
    var place = 0
    while place < Self.limits.count, nanoseconds > Self.limits[place] { place += 1 }
    counts[place] &+= 1
    sum &+= UInt64(nanoseconds)
  }

  /// How many durations were counted.
  package var total: UInt64 { counts.indices.reduce(0) { $0 &+ counts[$1] } }

  /// What all of them come to, in seconds.
  package var seconds: Double { Double(sum) / 1e9 }

  /// For each limit, in seconds as text, how many durations were within it; without the last, which is `total`.
  package var cumulative: [(limit: String, count: UInt64)] {
    var count: UInt64 = 0
    return Self.limits.indices.map { place in
      count &+= counts[place]
      return (Self.text(ofNanoseconds: Self.limits[place]), count)
    }
  }

  package static func += (total: inout TimeHistogram, part: TimeHistogram) {
    for place in total.counts.indices { total.counts[place] &+= part.counts[place] }
    total.sum &+= part.sum
  }

  /// Whole seconds without a point: `0.0025`, `1`.
  private static func text(ofNanoseconds nanoseconds: Int64) -> String {
    nanoseconds % 1_000_000_000 == 0
      ? "\(nanoseconds / 1_000_000_000)" : "\(Double(nanoseconds) / 1e9)"
  }
}
