package import Primitives

/// The token buckets of one participant, for entries and for bytes. The capacity of each bucket is the number of tokens that it
/// gets in two seconds.
package struct EntryRateLimiter: Sendable {
  /// The refill rates of both buckets. A session shares one value between all participants to save memory.
  package struct Rates: Sendable {
    fileprivate let entries: TokenBucket.Rate
    fileprivate let bytes: TokenBucket.Rate

    /// Creates rates per second. Rates below 1 are raised to 1.
    package init(entriesPerSecond: Int, bytesPerSecond: Int) {
      entries = Self.rate(entriesPerSecond)
      bytes = Self.rate(bytesPerSecond)
    }

    private static func rate(_ perSecond: Int) -> TokenBucket.Rate {
      let perSecond = Double(max(1, perSecond))
      return TokenBucket.Rate(tokensPerSecond: perSecond, capacity: perSecond * 2)
    }
  }

  private var entries: TokenBucket
  private var bytes: TokenBucket

  /// Creates full buckets.
  package init(_ rates: Rates, at now: MonotonicTime) {
    entries = TokenBucket(full: rates.entries, at: now)
    bytes = TokenBucket(full: rates.bytes, at: now)
  }

  /// Takes tokens for `count` entries with `size` bytes in all; takes nothing if one of the buckets has too few.
  ///
  /// An entry larger than a full bucket passes when the bucket is full, and makes the number of tokens negative.
  package mutating func take(_ size: Int, entries count: Int = 1, by rates: Rates, at now: MonotonicTime)
    -> Bool
  {
    entries.refill(by: rates.entries, at: now)
    bytes.refill(by: rates.bytes, at: now)
    guard entries.canConsume(Double(count), by: rates.entries),
      bytes.canConsume(Double(size), by: rates.bytes)
    else {
      return false
    }
    entries.consume(min(Double(count), rates.entries.capacity))
    bytes.consume(Double(size))
    return true
  }

  /// Returns the milliseconds until each bucket has a quarter of its capacity, and the byte bucket has enough for an entry of
  /// `size` bytes; at least 1.
  package func millisecondsUntilQuarter(for size: Int, by rates: Rates) -> Int {
    let delay = max(
      entries.delay(until: max(1, rates.entries.capacity / 4), by: rates.entries),
      bytes.delay(until: max(Double(size), rates.bytes.capacity / 4), by: rates.bytes))
    return max(1, Int(delay.wholeMilliseconds))
  }
}
