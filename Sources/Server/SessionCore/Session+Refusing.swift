package import Wire
internal import Primitives

/// Refusals, and the consequences of ignoring them.
extension Session {
  /// The number of consecutive ignored refusals after which the gateway pauses reading from the participant's socket.
  static let ignoredRefusalsBeforePause: UInt16 = 10

  /// The maximum number of bytes of refusals in an outbox. This is the only limit on the refusals that one message of a client
  /// causes.
  private static let refusalBytes = 131_072

  mutating func refuse(
    _ subscriber: Subscriber, _ refusal: Refusal, now: MonotonicTime, _ effects: inout [Effect]
  ) {
    effects.append(.refused(connection: subscriber.connection, refusal.code))
    guard subscriber.outboxCount < Self.refusalBytes else {
      var reason = CloseReason.badEntry
      reason.detail = "The client does not read: its unread refusals have reached \(Self.refusalBytes) bytes."
      close(subscriber, reason, now: now, &effects)
      return
    }
    enqueueControl(subscriber, GatewayControl.error(refusal).encoded())
  }

  /// Refuses an entry or control message because the token bucket is empty. Pauses or closes a socket that keeps ignoring such
  /// refusals.
  mutating func refuseForRate(
    _ participant: ParticipantState, _ subscriber: Subscriber, clientSequence: UInt32?, size: Int,
    now: MonotonicTime
  ) -> [Effect] {
    if clientSequence != nil { participant.isAwaitingDueEntry = true }
    let retryAfterMs = participant.rateLimiter.millisecondsUntilQuarter(for: size, by: rates)
    var refusal = Refusal(
      .rateLimited,
      "Too fast: at most \(limits.entriesPerSecond) entries and \(limits.bytesPerSecond) bytes a second, twice that in a burst.",
      limit: limits.entriesPerSecond)
    refusal.clientSequence = clientSequence
    refusal.retryAfterMs = UInt64(retryAfterMs)
    var effects: [Effect] = []
    refuse(subscriber, refusal, now: now, &effects)
    countIgnoredRefusal(participant, subscriber, retryAfterMs: retryAfterMs, now: now, &effects)
    return effects
  }

  /// Warns all participants once when the session is nearly full of entries or of attachments. Warns again only if the use has
  /// fallen below three fifths of the quota in the meantime.
  mutating func warnIfNearlyFull() {
    if retained.fillLevel.reachesWarning(UInt64(retainedBytes), of: UInt64(limits.sessionLogBytes)) {
      warn(of: retainedBytes, of: limits.sessionLogBytes) {
        "This session has \($0) of the \($1) bytes that it can store."
      }
    }
    let quota = limits.sessionAttachmentBytes
    if journal.fillLevel.reachesWarning(journal.usedBytes, of: UInt64(quota)) {
      warn(of: Int(clamping: journal.usedBytes), of: quota) {
        "This session's attachments take \($0) of the \($1) bytes that they may take."
      }
    }
  }

  /// Sets the fill levels of a loaded session without a warning, because nothing has changed.
  mutating func restoreFillLevels() {
    _ = retained.fillLevel.reachesWarning(UInt64(retainedBytes), of: UInt64(limits.sessionLogBytes))
    _ = journal.fillLevel.reachesWarning(journal.usedBytes, of: UInt64(limits.sessionAttachmentBytes))
  }

  private mutating func warn(of actual: Int, of limit: Int, _ words: (Int, Int) -> String) {
    let notice = NoticePayload(
      .sessionQuota, words(actual, limit), limit: UInt64(clamping: limit), actual: UInt64(clamping: actual))
    appendSystem(SystemType.notice, notice.encoded())
  }

  /// Counts a refusal as ignored if the participant is refused again before the retry time of the first refusal.
  mutating func countIgnoredRefusal(
    _ participant: ParticipantState, _ subscriber: Subscriber, retryAfterMs: Int, now: MonotonicTime,
    _ effects: inout [Effect]
  ) {
    defer { participant.retryAt = now.adding(milliseconds: retryAfterMs) }
    guard let retryAt = participant.retryAt else { return }
    guard now < retryAt else {
      // The participant was refused again, but it had waited until the retry time. So it did not ignore the previous refusal.
      if participant.ignoredRefusals < Self.ignoredRefusalsBeforePause { participant.ignoredRefusals = 0 }
      return
    }
    // Reconnects do not reset the count, so it would overflow without a maximum. The maximum is the highest value that the code
    // below distinguishes.
    participant.ignoredRefusals = min(participant.ignoredRefusals + 1, Self.ignoredRefusalsBeforePause + 1)
    if participant.ignoredRefusals == Self.ignoredRefusalsBeforePause {
      participant.wasPaused = true
      effects.append(
        .pauseReading(
          connection: subscriber.connection, until: now.adding(milliseconds: max(1000, retryAfterMs))))
    } else if participant.ignoredRefusals > Self.ignoredRefusalsBeforePause {
      close(subscriber, .rateLimitExceeded(retryAfterMs: UInt64(retryAfterMs)), now: now, &effects)
    }
  }

  /// Removes a socket from the members, and lets the shell close the socket. The participant does not leave: its grace time
  /// begins.
  mutating func close(
    _ subscriber: Subscriber, _ reason: CloseReason, now: MonotonicTime, _ effects: inout [Effect]
  ) {
    disconnected(subscriber, pageGone: false, now: now)
    effects.append(.close(connection: subscriber.connection, reason))
  }
}

extension Refusal {
  /// The time in milliseconds after which a client may retry an entry that was refused for lack of room in memory or on disk.
  static let noRoomRetryMs = 1000

  /// A refusal for lack of room in memory or on disk: a participant has to remove something, or wait.
  package static func noRoom(_ code: ErrorCode, _ detail: String, limit: Int, actual: Int) -> Refusal {
    var refusal = Refusal(code, detail, limit: limit, actual: actual)
    refusal.retryAfterMs = UInt64(noRoomRetryMs)
    return refusal
  }
}
