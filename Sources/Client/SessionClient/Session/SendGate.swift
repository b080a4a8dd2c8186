internal import SessionCore
package import Primitives
package import Wire

/// Decides at once, under its owner's lock, whether a message is taken: size, type, targets, rate and room in the queue.
package struct SendGate: Sendable {
  /// How many bytes of reliable entries and changes of the activity may wait: 64 MiB.
  package static let queueLimit = 64 << 20
  /// The most bytes of a message type.
  private static let typeLimit = 255

  private var isOpen = false
  private var limits = Limits()
  private var rates: RateBucket.Rates
  private var bucket: RateBucket
  private var taken = 0
  private var letGo = 0

  /// A gate that lets nothing through before `open`.
  package init(now: MonotonicTime) {
    rates = Self.rates(limits)
    bucket = RateBucket(rates, at: now)
  }

  /// From here on messages are taken: `join` was called.
  package mutating func open() {
    isOpen = true
  }

  /// Nothing is taken any more: the session is left or over.
  package mutating func close() {
    isOpen = false
  }

  /// The limits in force, as `joined` says them. A rate that has changed begins with its whole burst.
  package mutating func use(_ limits: Limits, now: MonotonicTime) {
    let isOther =
      limits.entriesPerSecond != self.limits.entriesPerSecond
      || limits.bytesPerSecond != self.limits.bytesPerSecond
    self.limits = limits
    rates = Self.rates(limits)
    if isOther { bucket = RateBucket(rates, at: now) }
  }

  /// Takes an entry, or says why not; what was refused costs nothing.
  ///
  /// - Parameters:
  ///   - entry: what is to be sent.
  ///   - now: the time.
  /// - Returns: whether there is anything to enqueue: nothing goes to nobody.
  /// - Throws: the rule that it breaks, with the limit and the actual value.
  package mutating func admit(_ entry: OutgoingEntry, now: MonotonicTime) throws(AdmissionError) -> Bool {
    guard isOpen else { throw .notJoined }
    // What a binary message cannot hold is refused here too.
    let most = min(limits.messageBytes, ClientEntry.maximumMessageLength - 8_192)
    guard entry.payload.count <= most else { throw .tooLarge(limit: most, actual: entry.payload.count) }
    let typeLength = entry.type.utf8.count
    guard 1...Self.typeLimit ~= typeLength else { throw .typeLength(actual: typeLength) }
    let targets = entry.targets?.count ?? 0
    guard targets <= ClientEntry.maximumTargets else {
      throw .tooManyTargets(limit: ClientEntry.maximumTargets, actual: targets)
    }
    if entry.targets?.isEmpty == true { return false }
    let size = entry.size
    if entry.isReliable { try checkRoom(for: size) }
    try take(size, entries: entry.isReliable ? 1 : 1 + targets / 16, now: now)
    if entry.isReliable { taken += size }
    return true
  }

  /// Takes a change of the activity, or says why not.
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
    try checkRoom(for: size)
    try take(size, entries: 1, now: now)
    taken += size
  }

  /// The session has let go of so many bytes since it began: its `releasedBytes`.
  package mutating func released(_ bytes: Int) {
    letGo = bytes
  }

  /// Whether so many bytes more may wait.
  private func checkRoom(for size: Int) throws(AdmissionError) {
    guard taken - letGo + size <= Self.queueLimit else { throw .queueFull(limit: Self.queueLimit) }
  }

  private mutating func take(_ size: Int, entries: Int, now: MonotonicTime) throws(AdmissionError) {
    guard bucket.take(size, entries: entries, by: rates, at: now) else {
      let wait = bucket.millisecondsUntilQuarter(for: size, by: rates)
      throw .rateLimited(retryAfter: .milliseconds(wait))
    }
  }

  private static func rates(_ limits: Limits) -> RateBucket.Rates {
    RateBucket.Rates(entriesPerSecond: limits.entriesPerSecond, bytesPerSecond: limits.bytesPerSecond)
  }
}
