/// The token bucket of one participant: entries and bytes a second, with a burst of twice that.
package struct RateBucket: Sendable {
  private let entriesPerSecond: Double
  private let bytesPerSecond: Double
  private var entries: Double
  private var bytes: Double
  private var filledAt: Instant

  package init(entriesPerSecond: Int, bytesPerSecond: Int, at now: Instant) {
    self.entriesPerSecond = Double(max(1, entriesPerSecond))
    self.bytesPerSecond = Double(max(1, bytesPerSecond))
    entries = self.entriesPerSecond * 2
    bytes = self.bytesPerSecond * 2
    filledAt = now
  }

  /// Takes one entry of `size` bytes, or the price of `count` entries, or nothing at all when the bucket lacks it.
  /// What is larger than the whole burst passes when the bucket is full, and leaves it in debt.
  package mutating func take(_ size: Int, entries count: Int = 1, at now: Instant) -> Bool {
    let elapsed = now.seconds(since: filledAt)
    if elapsed > 0 {
      entries = min(entriesPerSecond * 2, entries + elapsed * entriesPerSecond)
      bytes = min(bytesPerSecond * 2, bytes + elapsed * bytesPerSecond)
      filledAt = now
    }
    let price = min(Double(count), entriesPerSecond * 2)
    guard entries >= price, bytes >= min(Double(size), bytesPerSecond * 2) else { return false }
    entries -= price
    bytes -= Double(size)
    return true
  }

  /// Milliseconds until a quarter of the burst, and room for one entry of `size` bytes, is there again.
  package func millisecondsUntilQuarter(for size: Int) -> Int {
    let lackingEntries = max(1, entriesPerSecond / 2) - entries
    let lackingBytes = max(min(Double(size), bytesPerSecond * 2), bytesPerSecond / 2) - bytes
    let seconds = max(lackingEntries / entriesPerSecond, lackingBytes / bytesPerSecond)
    return max(1, Int((seconds * 1000).rounded(.up)))
  }
}
