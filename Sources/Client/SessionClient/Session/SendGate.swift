package import Primitives
package import Wire

/// The admission control for sends: size, type, targets, rate and queue space. The functions never block. The gate's owner calls
/// them under its own lock.
package struct SendGate: Sendable {
  /// The maximum number of queued bytes of reliable entries and activity changes: 64 MiB.
  package static let queueLimit = 64 << 20
  /// The maximum length of a message type in bytes.
  private static let typeLimit = 255
  /// The maximum burst that the gateway accepts: the amount that the full rate allows in this number of seconds.
  private static let burstInSeconds = 2.0

  private var isOpen = false
  private var limits = Limits()
  private var limiter: SendRateLimiter
  private var admittedBytes = 0
  private var releasedBytes = 0

  /// Creates a closed gate.
  package init(now: MonotonicTime) {
    limiter = SendRateLimiter(limits, burstInSeconds: Self.burstInSeconds, now: now)
  }

  /// Opens the gate when the program joins the session.
  package mutating func open() {
    isOpen = true
  }

  /// Closes the gate, because the participant left or the session is over.
  package mutating func close() {
    isOpen = false
  }

  /// Sets the limits from `joined`. After a change of the rate, a whole burst is available.
  package mutating func use(_ limits: Limits, now: MonotonicTime) {
    let hasOtherRate =
      limits.entriesPerSecond != self.limits.entriesPerSecond
      || limits.bytesPerSecond != self.limits.bytesPerSecond
    self.limits = limits
    if hasOtherRate { limiter = SendRateLimiter(limits, burstInSeconds: Self.burstInSeconds, now: now) }
  }

  /// Admits an entry. A rejected entry does not count toward the rate.
  ///
  /// - Parameters:
  ///   - entry: the entry to be sent.
  ///   - now: the current time.
  /// - Returns: false for an empty list of targets: there is nothing to enqueue.
  /// - Throws: the violated rule, with the limit and the actual value.
  package mutating func admit(_ entry: OutgoingEntry, now: MonotonicTime) throws(AdmissionError) -> Bool {
    guard isOpen else { throw .notJoined }
    // An entry must also fit into one binary message.
    let payloadLimit = min(limits.messageBytes, ClientEntry.maximumMessageLength - 8_192)
    guard entry.payload.count <= payloadLimit else {
      throw .tooLarge(limit: payloadLimit, actual: entry.payload.count)
    }
    let typeLength = entry.type.utf8.count
    guard 1...Self.typeLimit ~= typeLength else { throw .typeLength(actual: typeLength) }
    let targets = entry.targets?.count ?? 0
    guard targets <= ClientEntry.maximumTargets else {
      throw .tooManyTargets(limit: ClientEntry.maximumTargets, actual: targets)
    }
    if entry.targets?.isEmpty == true { return false }
    let size = entry.size
    if entry.isReliable { try checkQueue(for: size) }
    try take(size, entries: entry.isReliable ? 1 : 1 + targets / 16, now: now)
    if entry.isReliable { admittedBytes += size }
    return true
  }

  /// Admits a change of the activity.
  ///
  /// - Throws: `tooLarge` for a payload over 16 KiB of JSON or a title over 128 scalars; `notJoined`, `queueFull`,
  ///   `rateLimited`.
  package mutating func admit(_ change: ActivityChange, now: MonotonicTime) throws(AdmissionError) {
    guard isOpen else { throw .notJoined }
    do throws(WireError) {
      try Activity.standard.applying(change).validate()
    } catch {
      switch error {
      case .payloadTooLarge(let limit, let actual), .textLength(_, let limit, let actual):
        throw .tooLarge(limit: limit, actual: actual)
      default: break
      }
    }
    let size = change.size
    try checkQueue(for: size)
    try take(size, entries: 1, now: now)
    admittedBytes += size
  }

  /// Records the total number of bytes that the session has released: its `releasedBytes`.
  package mutating func released(_ bytes: Int) {
    releasedBytes = bytes
  }

  private func checkQueue(for size: Int) throws(AdmissionError) {
    guard admittedBytes - releasedBytes + size <= Self.queueLimit else {
      throw .queueFull(limit: Self.queueLimit)
    }
  }

  private mutating func take(_ size: Int, entries: Int, now: MonotonicTime) throws(AdmissionError) {
    // Like the gateway, the gate charges at most a whole burst for a message with many targets.
    guard limiter.take(size, entries: min(entries, limiter.burstEntries), now: now) else {
      throw .rateLimited(retryAfter: limiter.delayUntilQuarter(for: size))
    }
  }
}
