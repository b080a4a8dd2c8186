package import Primitives

/// What one participant may send for now: entries and bytes, each refilled by its rate, each at most twice that.
package struct RateBucket: Sendable {
  /// What a second refills. A session has one for all its buckets: there are as many of these as people.
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

  /// A full one.
  package init(_ rates: Rates, at now: MonotonicTime) {
    entries = rates.entriesPerSecond * 2
    bytes = rates.bytesPerSecond * 2
    filledAt = now
  }

  /// Takes one entry of `size` bytes, or the price of `count` entries, or nothing at all when the bucket lacks it.
  /// What is larger than the whole burst passes when the bucket is full, and leaves it in debt.
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

  /// Milliseconds until a quarter of the burst, and room for one entry of `size` bytes, is there again.
  package func millisecondsUntilQuarter(for size: Int, by rates: Rates) -> Int {
    let lackingEntries = max(1, rates.entriesPerSecond / 2) - entries
    let lackingBytes = max(min(Double(size), rates.bytesPerSecond * 2), rates.bytesPerSecond / 2) - bytes
    let seconds = max(lackingEntries / rates.entriesPerSecond, lackingBytes / rates.bytesPerSecond)
    return max(1, Int((seconds * 1000).rounded(.up)))
  }
}
