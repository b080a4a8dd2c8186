internal import Primitives
internal import Wire

/// A limit on entries and bytes per second, with a burst of a few seconds.
struct SendRateLimiter: Sendable {
  private let burstInSeconds: Double
  private var entryRate: TokenBucket.Rate
  private var byteRate: TokenBucket.Rate
  private var entries: TokenBucket
  private var bytes: TokenBucket

  /// Creates a limiter that allows a whole burst.
  init(_ limits: Limits, burstInSeconds: Double, now: MonotonicTime) {
    self.burstInSeconds = burstInSeconds
    entryRate = Self.rate(limits.entriesPerSecond, burstInSeconds)
    byteRate = Self.rate(limits.bytesPerSecond, burstInSeconds)
    entries = TokenBucket(full: entryRate, at: now)
    bytes = TokenBucket(full: byteRate, at: now)
  }

  /// The number of entries in a burst.
  var burstEntries: Int { Int(entryRate.capacity) }

  /// Replaces the limits, and keeps the tokens.
  mutating func update(_ limits: Limits, now: MonotonicTime) {
    refill(now)
    entryRate = Self.rate(limits.entriesPerSecond, burstInSeconds)
    byteRate = Self.rate(limits.bytesPerSecond, burstInSeconds)
  }

  /// Removes all tokens.
  mutating func drain(now: MonotonicTime) {
    entries.empty(at: now)
    bytes.empty(at: now)
  }

  /// Takes the tokens for `size` bytes and `count` entries. A size above the burst is allowed when the whole burst is available.
  ///
  /// - Returns: false when tokens are missing; then none are taken.
  mutating func take(_ size: Int, entries count: Int, now: MonotonicTime) -> Bool {
    refill(now)
    guard entries.canConsume(Double(count), by: entryRate), bytes.canConsume(Double(size), by: byteRate)
    else {
      return false
    }
    entries.consume(Double(count))
    bytes.consume(Double(size))
    return true
  }

  /// Returns the time until the tokens for the last refused `take` are available.
  func delay(for size: Int, entries count: Int) -> Duration {
    max(entries.delay(until: Double(count), by: entryRate), bytes.delay(until: Double(size), by: byteRate))
  }

  /// Returns the time until a quarter of the burst is available and the tokens suffice for an entry of `size` bytes; at least 1
  /// ms.
  func delayUntilQuarter(for size: Int) -> Duration {
    let quarter = max(
      entries.delay(until: max(1, entryRate.capacity / 4), by: entryRate),
      bytes.delay(until: max(Double(size), byteRate.capacity / 4), by: byteRate))
    return max(.milliseconds(1), quarter)
  }

  private mutating func refill(_ now: MonotonicTime) {
    entries.refill(by: entryRate, at: now)
    bytes.refill(by: byteRate, at: now)
  }

  private static func rate(_ perSecond: Int, _ burstInSeconds: Double) -> TokenBucket.Rate {
    let perSecond = Double(max(1, perSecond))
    return TokenBucket.Rate(tokensPerSecond: perSecond, capacity: max(1, perSecond * burstInSeconds))
  }
}
