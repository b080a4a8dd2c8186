/// A token bucket: an amount that refills at a constant rate up to a capacity and is reduced by each use.
///
/// A bucket reads no clock and stores neither rate nor capacity, so that thousands of buckets can share one `Rate`. An amount
/// above the capacity can be consumed when the bucket is full; the number of tokens is then negative.
///
/// A limit on one quantity uses `tryConsume`. A limit on several quantities has one bucket for each: `refill` all, check
/// all with `canConsume`, then `consume` from all.
@usableFromInline
package struct TokenBucket: Sendable, BitwiseCopyable {
  /// The refill rate and the capacity of a bucket.
  @usableFromInline
  package struct Rate: Equatable, Sendable, BitwiseCopyable {
    /// The tokens added per second.
    @usableFromInline
    package let tokensPerSecond: Double
    /// The largest number of tokens in the bucket: the size of a burst.
    @usableFromInline
    package let capacity: Double

    /// Creates a rate. Both numbers must be above zero.
    package init(tokensPerSecond: Double, capacity: Double) {
      precondition(tokensPerSecond > 0 && capacity > 0, "the rate and the capacity must be above zero")
      self.tokensPerSecond = tokensPerSecond
      self.capacity = capacity
    }
  }

  /// The number of tokens left. It may be negative.
  @usableFromInline var tokens: Double
  /// The time up to which refills are counted.
  @usableFromInline var refilledAt: MonotonicTime

  /// Creates a full bucket.
  ///
  /// - Parameters:
  ///   - rate: the rate whose capacity fills the bucket.
  ///   - now: the current time; by default `distantPast`, so that the bucket is full at its first use.
  package init(full rate: Rate, at now: MonotonicTime = .distantPast) {
    tokens = rate.capacity
    refilledAt = now
  }

  /// Adds the tokens for the time since the last refill. A time before the last refill changes nothing.
  @inlinable
  package mutating func refill(by rate: Rate, at now: MonotonicTime) {
    guard now.nanoseconds > refilledAt.nanoseconds else { return }
    // The difference to `distantPast` overflows. The bucket is then full.
    let (elapsed, overflows) = now.nanoseconds.subtractingReportingOverflow(refilledAt.nanoseconds)
    let seconds = Double(overflows ? .max : elapsed) / 1e9
    tokens = min(rate.capacity, tokens + seconds * rate.tokensPerSecond)
    refilledAt = now
  }

  /// Returns true if the bucket has `amount` tokens, or if `amount` is above the capacity and the bucket is full. Call
  /// `refill` first.
  @inlinable
  package func canConsume(_ amount: Double, by rate: Rate) -> Bool {
    tokens >= min(amount, rate.capacity)
  }

  /// Removes `amount` tokens, even if the bucket has fewer.
  @inlinable
  package mutating func consume(_ amount: Double) {
    tokens -= amount
  }

  /// Refills the bucket and removes `amount` tokens if there are enough.
  ///
  /// - Returns: false when there are too few tokens; then none are removed.
  @inlinable
  package mutating func tryConsume(_ amount: Double, by rate: Rate, at now: MonotonicTime) -> Bool {
    refill(by: rate, at: now)
    guard canConsume(amount, by: rate) else { return false }
    consume(amount)
    return true
  }

  /// Sets the number of tokens to zero.
  package mutating func empty(at now: MonotonicTime) {
    tokens = 0
    refilledAt = now
  }

  /// Returns the time from the last refill until the bucket has `amount` tokens, rounded up to milliseconds; zero if it has them
  /// now.
  package func delay(until amount: Double, by rate: Rate) -> Duration {
    let missing = min(amount, rate.capacity) - tokens
    guard missing > 0 else { return .zero }
    return .milliseconds(Int64((missing / rate.tokensPerSecond * 1000).rounded(.up)))
  }
}
