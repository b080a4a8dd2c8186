internal import Primitives
internal import Wire

/// The send schedule of a session, which obeys the gateway's rate limits and the pauses that the gateway asks for.
struct SendPacer: Sendable {
  /// The burst of this client: three quarters of the gateway's own burst of two seconds. The client's burst is smaller, because
  /// the network may delay entries and deliver them together with later ones.
  private static let burstInSeconds = 1.5

  private var limiter: SendRateLimiter
  /// The end of the pause that the gateway asked for.
  private(set) var pausedUntil: MonotonicTime?
  /// The time at which the rate limit allows the next entry.
  private var throttledUntil: MonotonicTime?

  /// Creates a pacer that allows a whole burst.
  init(_ limits: Limits, now: MonotonicTime) {
    limiter = SendRateLimiter(limits, burstInSeconds: Self.burstInSeconds, now: now)
  }

  /// The next time at which sending may continue; nil when sending is not delayed.
  var deadline: MonotonicTime? {
    guard let pausedUntil, let throttledUntil else { return pausedUntil ?? throttledUntil }
    return min(pausedUntil, throttledUntil)
  }
  /// True when the rate limit delays the next entry.
  var isThrottled: Bool { throttledUntil != nil }

  /// Replaces the limits.
  mutating func update(_ limits: Limits, now: MonotonicTime) { limiter.update(limits, now: now) }

  /// Removes all tokens, after the gateway refused a message because the client exceeded the rate limit.
  mutating func drain(now: MonotonicTime) { limiter.drain(now: now) }

  /// Pauses sending until a time.
  mutating func pause(until time: MonotonicTime) { pausedUntil = time }

  /// Ends the throttling, because the socket has closed.
  mutating func socketLost() { throttledUntil = nil }

  /// Prepares for sending: clears the deadline of the rate limit, and the pause if it has ended.
  ///
  /// - Returns: false while sending is paused.
  mutating func begin(now: MonotonicTime) -> Bool {
    // The deadline is cleared even during a pause, because code that waits for a deadline in the past would wake up again and
    // again.
    throttledUntil = nil
    guard let pausedUntil else { return true }
    guard pausedUntil <= now else { return false }
    self.pausedUntil = nil
    return true
  }

  /// Takes the tokens for a message of `size` bytes. If tokens are missing, takes none, and throttles sending until they are
  /// available.
  ///
  /// - Returns: false when the message has to wait.
  mutating func take(_ size: Int, now: MonotonicTime) -> Bool {
    if limiter.take(size, entries: 1, now: now) { return true }
    throttledUntil = now + limiter.delay(for: size, entries: 1)
    return false
  }

  /// Takes the tokens for an unreliable entry, which is sent now or dropped.
  ///
  /// - Returns: false when the entry has to be dropped.
  mutating func takeUnreliable(_ size: Int, entries count: Int, now: MonotonicTime) -> Bool {
    if let pausedUntil, pausedUntil > now { return false }
    return limiter.take(size, entries: count, now: now)
  }
}
