internal import Primitives

/// The delay before each connection attempt. The first attempt has no delay. Later delays grow exponentially. They have jitter,
/// so that clients that lost their connections at the same time do not reconnect at the same time.
struct ReconnectBackoff: Sendable {
  /// The longest delay that the gateway may ask for.
  static let longestWait = Duration.seconds(60)
  private static let first = 0.1
  private static let longest = 10.0
  /// The longest delay while the gateway cannot be reached. It is short, so that the client is back soon after an outage.
  private static let longestUnreachable = 4.0
  /// The number of short-lived sockets in a row that is reported as trouble.
  private static let shortLivedLimit = 3

  /// The minimum working time of a socket. A socket that works for a shorter time counts as short-lived.
  private let stableAfter: Duration
  private var attempt = 0
  private var worksSince: MonotonicTime?
  private var shortLivedSockets = 0
  private var faults = 0
  private var lastFault: MonotonicTime?
  /// The time of the scheduled connection attempt.
  private var opensAt = MonotonicTime.distantPast
  /// The end of the delay that the gateway asked for.
  private var notBefore = MonotonicTime.distantPast

  /// Creates a backoff without failures.
  ///
  /// - Parameter stableAfter: the minimum working time of a socket. A socket that works for a shorter time counts as short-lived.
  ///   After two short-lived sockets in a row, the client waits before it reconnects. Without this wait, a gateway that accepts
  ///   each connection and closes it soon would get attempts without a pause.
  init(stableAfter: Duration = .seconds(5)) {
    self.stableAfter = stableAfter
  }

  /// True when several sockets in a row worked for only a short time.
  var isShortLived: Bool { shortLivedSockets == Self.shortLivedLimit }

  /// True when the gateway repeatedly violated the protocol.
  var hasRepeatedFaults: Bool { faults > 1 }

  /// Records that the current socket works: the gateway lists the participant as waiting, or a catch-up is complete.
  mutating func recordSuccess(now: MonotonicTime) { worksSince = now }

  /// Records that the socket has closed. If the socket worked for at least `stableAfter`, the next attempt is immediate.
  /// After a short-lived socket, the next attempt is immediate only if the socket before it was not short-lived.
  mutating func recordLoss(now: MonotonicTime) {
    guard let since = worksSince else { return }
    worksSince = nil
    shortLivedSockets = now - since >= stableAfter ? 0 : min(shortLivedSockets + 1, Self.shortLivedLimit)
    if shortLivedSockets <= 1 { attempt = 0 }
  }

  /// Records a protocol violation by the gateway. The next attempt is delayed: an immediate attempt may lead to the same
  /// violation.
  mutating func recordFault(now: MonotonicTime) {
    if let lastFault, now - lastFault > .seconds(60) { faults = 0 }
    lastFault = now
    faults = min(faults + 1, 10)
    attempt = max(attempt, faults + 2)
  }

  /// Schedules the next attempt.
  ///
  /// - Parameters:
  ///   - wanted: the delay that the gateway asked for.
  ///   - isReachable: false if no connection to the gateway could be established.
  ///   - now: the current time.
  ///   - generator: the source of the jitter.
  /// - Returns: the delay before the attempt.
  mutating func schedule(
    after wanted: Duration, isReachable: Bool = true, now: MonotonicTime,
    using generator: inout some RandomNumberGenerator
  ) -> Duration {
    let longest = isReachable ? Self.longest : Self.longestUnreachable
    let delay = nextDelay(after: wanted, atMost: longest, using: &generator)
    notBefore = now + min(wanted, Self.longestWait)
    opensAt = now + delay
    return delay
  }

  /// Moves the scheduled attempt to the earliest time that the gateway allows.
  ///
  /// - Returns: the new delay; nil when the attempt is not earlier than before.
  mutating func expedite(now: MonotonicTime) -> Duration? {
    let soonest = max(now, notBefore)
    guard soonest < opensAt else { return nil }
    opensAt = soonest
    return soonest - now
  }

  private mutating func nextDelay(
    after wanted: Duration, atMost longest: Double, using generator: inout some RandomNumberGenerator
  ) -> Duration {
    defer { attempt = min(attempt + 1, 30) }
    let jitter = Double.random(in: 0.5...1, using: &generator)
    let asked = max(.zero, min(wanted, Self.longestWait))
    guard attempt > 0 else {
      // The gateway asks all clients for the same delay. Jitter of up to half a second spreads the attempts of the clients.
      return asked + .milliseconds(Int64(1000 * min(0.5, asked / .seconds(1)) * jitter))
    }
    let seconds = min(longest, Self.first * Double(1 << min(attempt - 1, 10))) * jitter
    return asked + .milliseconds(Int64(seconds * 1000))
  }
}
