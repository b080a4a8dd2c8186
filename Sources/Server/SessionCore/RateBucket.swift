package import Primitives

/// The entries and bytes that one participant may send now. Each is refilled at its rate, up to the amount of two seconds.
package struct RateBucket: Sendable {
  /// The refill per second. A session has one for all buckets, because there is a bucket per participant.
  package struct Rates: Sendable {
    fileprivate let entriesPerSecond: Double
    fileprivate let bytesPerSecond: Double

    package init(entriesPerSecond: Int, bytesPerSecond: Int) {
      self.entriesPerSecond = Double(max(1, entriesPerSecond))
      self.bytesPerSecond = Double(max(1, bytesPerSecond))
    }
  }

  private var entries: Double
  private var bytes: Double
  private var filledAt: MonotonicTime

  /// A full bucket.
  package init(_ rates: Rates, at now: MonotonicTime) {
    entries = rates.entriesPerSecond * 2
    bytes = rates.bytesPerSecond * 2
    filledAt = now
  }

  /// Takes one entry of `size` bytes, or the price of `count` entries; takes nothing if the bucket has less.
  ///
  /// An entry larger than a full bucket passes when the bucket is full, and leaves it in debt.
  package mutating func take(_ size: Int, entries count: Int = 1, by rates: Rates, at now: MonotonicTime)
    -> Bool
  {
    let elapsed = now.seconds(since: filledAt)
    if elapsed > 0 {
      entries = min(rates.entriesPerSecond * 2, entries + elapsed * rates.entriesPerSecond)
      bytes = min(rates.bytesPerSecond * 2, bytes + elapsed * rates.bytesPerSecond)
      filledAt = now
    }
    let price = min(Double(count), rates.entriesPerSecond * 2)
    guard entries >= price, bytes >= min(Double(size), rates.bytesPerSecond * 2) else { return false }
    entries -= price
    bytes -= Double(size)
    return true
  }

  /// The milliseconds until the bucket has a quarter of its capacity and room for an entry of `size` bytes.
  package func millisecondsUntilQuarter(for size: Int, by rates: Rates) -> Int {
    let lackingEntries = max(1, rates.entriesPerSecond / 2) - entries
    let lackingBytes = max(min(Double(size), rates.bytesPerSecond * 2), rates.bytesPerSecond / 2) - bytes
    let seconds = max(lackingEntries / rates.entriesPerSecond, lackingBytes / rates.bytesPerSecond)
    return max(1, Int((seconds * 1000).rounded(.up)))
  }
}
