package import Wire
internal import Primitives

/// What is refused, and what happens to those who do not listen.
extension Session {
  /// How many refusals in a row may be ignored before nothing more is read for a while.
  static let ignoredRefusalsBeforePause: UInt16 = 10

  /// How many bytes of refusals may wait for a subscriber: within one message nothing stops them but this.
  private static let refusalBytes = 131_072

  func refuse(_ subscriber: Subscriber, _ refusal: Refusal, now: MonotonicTime, _ effects: inout [Effect]) {
    effects.append(.refused(connection: subscriber.connection, refusal.code))
    guard subscriber.outboxCount < Self.refusalBytes else {
      var reason = CloseReason.badEntry
      reason.detail = "More refusals than you read."
      close(subscriber, reason, now: now, &effects)
      return
    }
    enqueueControl(subscriber, GatewayControl.error(refusal).encoded())
  }

  /// The bucket is empty: says until when, and pauses or closes who keeps ignoring that.
  func refuseForRate(
    _ record: ParticipantState, _ subscriber: Subscriber, clientSequence: UInt32?, size: Int,
    now: MonotonicTime
  ) -> [Effect] {
    if clientSequence != nil { record.isAwaitingDueEntry = true }
    let retryAfterMs = record.bucket.millisecondsUntilQuarter(for: size, by: rates)
    var refusal = Refusal(
      .rateLimited,
      "Too fast: \(limits.entriesPerSecond) entries and \(limits.bytesPerSecond) bytes a second are taken, twice that in a burst.",
      limit: limits.entriesPerSecond)
    refusal.clientSequence = clientSequence
    refusal.retryAfterMs = UInt64(retryAfterMs)
    var effects: [Effect] = []
    refuse(subscriber, refusal, now: now, &effects)
    countIgnoredRefusal(record, subscriber, retryAfterMs: retryAfterMs, now: now, &effects)
    return effects
  }

  /// Tells everybody, once each, that the session is nearly full of entries or of attachments; once more when it had room
  /// again in between.
  func warnIfNearlyFull() {
    if Self.reachesWarningLevel(&isNearlyFull, UInt64(index.byteCount), of: UInt64(limits.sessionLogBytes)) {
      warn(of: index.byteCount, of: limits.sessionLogBytes) {
        "This session holds \($0) of the \($1) bytes that it can keep."
      }
    }
    let quota = limits.sessionAttachmentBytes
    if Self.reachesWarningLevel(&isJournalNearlyFull, journal.usedBytes, of: UInt64(quota)) {
      warn(of: Int(clamping: journal.usedBytes), of: quota) {
        "This session's attachments take \($0) of the \($1) bytes that they may take."
      }
    }
  }

  /// A session that was loaded is as full as it was: nobody is told again.
  func restoreFillLevels() {
    _ = Self.reachesWarningLevel(&isNearlyFull, UInt64(index.byteCount), of: UInt64(limits.sessionLogBytes))
    _ = Self.reachesWarningLevel(
      &isJournalNearlyFull, journal.usedBytes, of: UInt64(limits.sessionAttachmentBytes))
  }

  /// - Returns: whether four fifths are used, and that is new since it was less than three.
  private static func reachesWarningLevel(_ isNearlyFull: inout Bool, _ used: UInt64, of limit: UInt64)
    -> Bool
  {
    if used * 5 < limit * 3 { isNearlyFull = false }
    guard !isNearlyFull, used > 0, used * 5 >= limit * 4 else { return false }
    isNearlyFull = true
    return true
  }

  private func warn(of actual: Int, of limit: Int, _ words: (Int, Int) -> String) {
    let notice = NoticePayload(
      .sessionQuota, words(actual, limit), limit: UInt64(clamping: limit), actual: UInt64(clamping: actual))
    appendSystem(SystemType.notice, notice.encoded())
  }

  /// Counts a refusal; one that comes before the last one's time was over has been ignored.
  func countIgnoredRefusal(
    _ record: ParticipantState, _ subscriber: Subscriber, retryAfterMs: Int, now: MonotonicTime,
    _ effects: inout [Effect]
  ) {
    defer { record.retryAt = now.adding(milliseconds: retryAfterMs) }
    guard let retryAt = record.retryAt else { return }
    guard now < retryAt else {
      // It waited as it was told to, and was refused again: no fault of its own.
      if record.ignoredRefusals < Self.ignoredRefusalsBeforePause { record.ignoredRefusals = 0 }
      return
    }
    // It is kept over reconnects, which nobody counts: no further than it is looked at.
    record.ignoredRefusals = min(record.ignoredRefusals + 1, Self.ignoredRefusalsBeforePause + 1)
    if record.ignoredRefusals == Self.ignoredRefusalsBeforePause {
      record.wasPaused = true
      effects.append(
        .pauseReading(
          connection: subscriber.connection, until: now.adding(milliseconds: max(1000, retryAfterMs))))
    } else if record.ignoredRefusals > Self.ignoredRefusalsBeforePause {
      close(subscriber, .rateIgnored(retryAfterMs: UInt64(retryAfterMs)), now: now, &effects)
    }
  }

  /// Lets go of a socket that is to be closed: not a leave, the grace time runs.
  func close(_ subscriber: Subscriber, _ reason: CloseReason, now: MonotonicTime, _ effects: inout [Effect]) {
    disconnected(subscriber, pageGone: false, now: now)
    effects.append(.close(connection: subscriber.connection, reason))
  }
}

extension Refusal {
  /// After how long to try again what there is no room for.
  static let noRoomRetryMs = 1000

  /// There is no room now, in memory or on the disk: somebody has to remove something first, or to wait.
  package static func noRoom(_ code: ErrorCode, _ detail: String, limit: Int, actual: Int) -> Refusal {
    var refusal = Refusal(code, detail, limit: limit, actual: actual)
    refusal.retryAfterMs = UInt64(noRoomRetryMs)
    return refusal
  }
}
