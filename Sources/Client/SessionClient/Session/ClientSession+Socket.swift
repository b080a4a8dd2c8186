package import Primitives
internal import Wire

/// Socket events, timers and reconnection.
extension ClientSession {
  /// Handles the successful end of the WebSocket handshake on the socket that the effect `open` requested.
  package mutating func opened(now: MonotonicTime) {
    self.now = now
    guard phase == .opening else { return }
    if wantsToJoin { return sendJoin() }
    phase = .waiting
    silentAt = now + Self.openingTime
    effects.append(.sendControl(.wait(profile.value)))
  }

  /// Sends `join`, with the data to resume if the gateway may know this participant.
  mutating func sendJoin() {
    phase = .joining
    silentAt = now + Self.openingTime
    var resume: Resume?
    if let token = identity.resumeToken {
      // Client sequences that were assigned under another participant number are not valid for the current number.
      resume = Resume(token: token, next: identity.ownsOutbox ? outbox.next : 1)
    }
    if let delivered = position.delivered {
      resume = resume ?? Resume()
      resume?.epoch = delivered.epoch
      resume?.after = delivered.sequence
    }
    profile.recordSentInJoin()
    effects.append(.sendControl(.join(Join(profile: profile.value, resume: resume))))
  }

  /// Records that bytes of any kind arrived. Call this function before the messages in these bytes are handled.
  package mutating func bytesReceived(now: MonotonicTime) {
    self.now = now
    switch phase {
    case .waiting, .catchingUp, .live: silentAt = wantsReading ? now + Self.silence : nil
    case .idle, .opening, .joining, .over: break
    }
  }

  /// Records that the program pauses or resumes reading. Afterwards, read `wantsReading`, which may have changed.
  package mutating func setReading(_ isReading: Bool, now: MonotonicTime) {
    readControl.set(isReading)
    self.now = now
  }

  /// True when the socket is to be read. The program decides with `setReading`, but while an answer of the gateway is expected,
  /// the value is always true. Valid after `takeEffects`.
  package var wantsReading: Bool {
    switch phase {
    // In these phases, the socket is always read: a client needs the answer to its join, and reads a catch-up to the end.
    case .idle, .opening, .waiting, .joining, .catchingUp, .over: true
    case .live:
      // After `leave` no events are reported, so reading cannot overload the program.
      readControl.isWanted || departure != .none || doubtUntil != nil
        // `settle` waits for a mark: a point in the program's messages, which is reached when the gateway confirms all messages
        // before it. The confirmation can arrive only if the socket is read. Otherwise a program that has paused reading and
        // calls `settle` in its event handler would wait forever.
        || !marks.isEmpty && readControl.allowsReadingForMark
    }
  }

  /// Stops the silence timer while the socket is not read.
  mutating func updateReading() {
    let isReading = wantsReading
    guard readControl.update(isReading), phase == .live else { return }
    silentAt = isReading ? now + Self.silence : nil
  }

  /// Records the number of bytes that are queued for the socket but that the kernel has not accepted yet. Call this function
  /// whenever the number falls.
  package mutating func setPendingBytes(_ bytes: Int, now: MonotonicTime) {
    self.now = now
    pendingBytes = max(0, bytes)
  }

  /// Handles the end of the socket.
  package mutating func closed(_ end: SocketEnd, now: MonotonicTime) {
    self.now = now
    switch phase {
    case .idle, .over: return
    case .opening, .waiting, .joining, .catchingUp, .live: socketLost(end)
    }
  }

  // MARK: - Timers

  /// Handles the timers that have elapsed. The caller calls this function at the time `deadline`.
  package mutating func elapsed(now: MonotonicTime) {
    self.now = now
    switch departure {
    case .none: break
    case .leaving(let until) where until <= now:
      if canLeave { effects.append(.sendControl(.leave)) }
      return finish()
    case .left(let until) where until <= now: return finish()
    case .leaving: break
    case .left:
      // No entry of this participant is in doubt any more: the gateway accepted all of them before `leave` was sent.
      doubtUntil = nil
    }
    if let doubtUntil, doubtUntil <= now {
      return socketLost(.broken("The gateway does not answer."))
    }
    if let silentAt, silentAt <= now, phase != .over, phase != .idle {
      socketLost(
        phase == .opening ? .unreachable("The gateway cannot be reached.") : .broken("The gateway is silent.")
      )
    }
  }

  /// The time at which to call `elapsed`; nil without a timer. Valid after `takeEffects`.
  package var deadline: MonotonicTime? {
    guard phase != .over, phase != .idle else { return nil }
    var first = silentAt
    func consider(_ time: MonotonicTime?) {
      if let time { first = min(first ?? time, time) }
    }
    switch departure {
    case .none: break
    case .leaving(let until): consider(until)
    case .left(let until):
      // No more messages are sent, so the timers for sending do not matter.
      consider(until)
      return first
    }
    if maySend {
      consider(pacer.deadline)
      consider(doubtUntil)
    }
    return first
  }

  // MARK: - Reconnection

  /// Requests a socket. The delay is at least the one that the gateway asked for. `isReachable` is false if no connection could be
  /// established.
  mutating func openSocket(after wanted: Duration, isReachable: Bool = true) {
    let delay = backoff.schedule(after: wanted, isReachable: isReachable, now: now, using: &generator)
    phase = .opening
    silentAt = now + delay + Self.openingTime
    effects.append(.open(after: delay))
  }

  /// Moves the scheduled connection attempt to the earliest time that the gateway allows.
  mutating func expediteSocket() {
    guard phase == .opening, let delay = backoff.expedite(now: now) else { return }
    silentAt = now + delay + Self.openingTime
    effects.append(.open(after: delay))
  }

  /// Reconnects after an invalid message of the gateway.
  mutating func protocolViolation() {
    backoff.recordLoss(now: now)
    backoff.recordFault(now: now)
    // After repeated violations, the client requests a snapshot instead of a tail (the missed entries).
    if backoff.hasRepeatedFaults { position.requireSnapshot() }
    socketLost(.broken("The gateway sent a message that this program does not understand."))
  }

  /// Replaces the current socket by another one, or ends the session.
  mutating func socketLost(_ end: SocketEnd) {
    let wasIn = phase != .opening && phase != .joining
    backoff.recordLoss(now: now)
    maySend = false
    pendingBytes = 0
    unreliableBatch = []
    pacer.socketLost()
    isProbing = false
    doubtUntil = nil
    outbox.socketLost()
    if case .left = departure { return finish(closing: false) }
    switch CloseAction(end, wasJoined: identity.participant != nil) {
    case .end(let reason):
      // Before `join`, only the session's end is reported. Other failures are reported when `join` connects again.
      guard wantsToJoin || departure != .none || reason == .ended else {
        phase = .idle
        return
      }
      report(.ended(reason))
      return finish(closing: false)
    case .reconnectAsNew:
      identity.discardToken()
      reportAway(wasIn, cause: nil)
      openSocket(after: .zero)
    case .reconnect(let wanted, let cause):
      let isReachable = if case .unreachable = end { false } else { true }
      reportAway(wasIn, cause: cause)
      openSocket(after: wanted, isReachable: isReachable)
    }
    if case .leaving = departure { continueLeaving() }
  }

  private mutating func reportAway(_ wasIn: Bool, cause: String?) {
    if identity.participant != nil, !isAway {
      isAway = true
      report(.away)
    }
    // `trouble` is reported if a connection cannot be established, or after several short-lived connections in a row.
    guard wantsToJoin, !wasIn || backoff.isShortLived, let cause, cause != reportedTrouble else { return }
    reportedTrouble = cause
    report(.trouble(cause))
  }
}
