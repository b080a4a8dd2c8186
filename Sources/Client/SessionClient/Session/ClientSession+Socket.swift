package import Primitives
internal import Wire

/// What the socket does: it opens, is silent, breaks.
extension ClientSession {
  /// The socket that `open` asked for is open: the WebSocket handshake is over.
  package mutating func opened(now: MonotonicTime) {
    self.now = now
    guard phase == .opening else { return }
    if wantsToJoin { return sayJoin() }
    phase = .waiting
    silentAt = now + Self.openingTime
    effects.append(.sendControl(.wait(profile)))
  }

  /// Asks the gateway to let this participant in.
  mutating func sayJoin() {
    phase = .joining
    silentAt = now + Self.openingTime
    var resume: Resume?
    if keepsToken, let token {
      // What was numbered under another name says nothing of this one.
      resume = Resume(token: token, next: outboxNumber == me?.number ? outbox.next : 1)
    }
    if let after {
      resume = resume ?? Resume()
      resume?.epoch = afterEpoch
      resume?.after = after
    }
    saidProfile = profile
    hasSaidProfile = false
    effects.append(.sendControl(.join(Join(profile: profile, resume: resume))))
  }

  /// Bytes came, of whatever kind; before the messages in them.
  package mutating func heard(now: MonotonicTime) {
    self.now = now
    switch phase {
    case .waiting, .catchingUp, .live: silentAt = wantsReading ? now + Self.silence : nil
    case .idle, .opening, .joining, .over: break
    }
  }

  /// The program wants no more to be read, or wants it again. `wantsReading` says what is to be done.
  package mutating func reading(_ isReading: Bool, now: MonotonicTime) {
    self.isReading = isReading
    self.now = now
    readBesides = 0
  }

  /// Whether the socket is to be read: as the program wants it, but whatever it wants where an answer of the gateway is waited for.
  /// To be looked at after `takeEffects`.
  package var wantsReading: Bool {
    switch phase {
    // Half a catch-up is no place to stop at, and nobody is taken in without an answer.
    case .idle, .opening, .waiting, .joining, .catchingUp, .over: true
    case .live:
      // Of what comes after `leave` nothing is told.
      isReading || departure != .none || doubtUntil != nil
        // Who waits for the disk, within the loop that takes what is told, would wait for good.
        || !marks.isEmpty && readBesides < Self.readingBesides
    }
  }

  /// While nobody reads, silence says nothing.
  mutating func noteReading() {
    let isNow = wantsReading
    guard isNow != wasReading else { return }
    wasReading = isNow
    if phase == .live { silentAt = isNow ? now + Self.silence : nil }
  }

  /// So many bytes of what was given to the socket are still to be taken by the kernel; whenever that has become less.
  package mutating func canSend(waiting bytes: Int, now: MonotonicTime) {
    self.now = now
    unsent = max(0, bytes)
  }

  /// The socket is gone.
  package mutating func closed(_ end: SocketEnd, now: MonotonicTime) {
    self.now = now
    switch phase {
    case .idle, .over: return
    case .opening, .waiting, .joining, .catchingUp, .live: lost(end)
    }
  }

  /// Time has passed; to be called when `deadline` is there.
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
      // What was in doubt is in doubt no more.
      doubtUntil = nil
    }
    if let doubtUntil, doubtUntil <= now {
      return lost(.broken("The gateway gives no answer."))
    }
    if let silentAt, silentAt <= now, phase != .over, phase != .idle {
      lost(.broken(phase == .opening ? "The gateway cannot be reached." : "The gateway is silent."))
    }
  }

  /// When `elapsed` is due; nil while nothing is waited for. To be looked at after `takeEffects`.
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
      // Nothing more is sent, whatever that waited for.
      consider(until)
      return first
    }
    if maySend {
      consider(pausedUntil)
      consider(pacedUntil)
      consider(doubtUntil)
    }
    return first
  }

  /// Asks for a socket.
  mutating func openSocket(after wanted: Duration) {
    let delay = reconnecting.next(after: wanted, by: &chance)
    askedUntil = now + min(wanted, ReconnectBackoff.longestWait)
    opensAt = now + delay
    phase = .opening
    silentAt = now + delay + Self.openingTime
    effects.append(.open(after: delay))
  }

  /// Asks for the socket sooner, if that is for later, but not before the gateway wants us.
  mutating func hurry() {
    let soonest = max(now, askedUntil)
    guard phase == .opening, soonest < opensAt else { return }
    opensAt = soonest
    silentAt = soonest + Self.openingTime
    effects.append(.open(after: soonest - now))
  }

  /// The gateway said what no gateway says.
  mutating func fault() {
    reconnecting.breaks(now: now)
    reconnecting.noteFault(now: now)
    // A tail that is wrong each time is no way back.
    if reconnecting.isRepeating { after = nil }
    lost(.broken("The gateway said something that this program does not understand."))
  }

  /// This socket is done with: another one, or the end.
  mutating func lost(_ end: SocketEnd) {
    let wasIn = phase != .opening && phase != .joining
    reconnecting.breaks(now: now)
    maySend = false
    unsent = 0
    fleeting = []
    pacedUntil = nil
    isProbing = false
    doubtUntil = nil
    outbox.lost()
    if case .left = departure { return finish(closing: false) }
    switch CloseAction(end, wasJoined: me != nil) {
    case .end(let reason):
      // While waiting, only the session's end is reported. `join` will report any other fault.
      guard wantsToJoin || departure != .none || reason == .ended else {
        phase = .idle
        return
      }
      tell(.ended(reason))
      return finish(closing: false)
    case .reconnectAsNew:
      keepsToken = false
      goAway(wasIn, why: nil)
      openSocket(after: .zero)
    case .reconnect(let wanted, let why):
      goAway(wasIn, why: why)
      openSocket(after: wanted)
    }
    if case .leaving = departure { goOnLeaving() }
  }

  private mutating func goAway(_ wasIn: Bool, why: String?) {
    if me != nil, !isAway {
      isAway = true
      tell(.away)
    }
    // A socket that worked and broke is no trouble; one that does not come about is, and some that all break soon.
    guard wantsToJoin, !wasIn || reconnecting.isShortLived, let why, why != toldTrouble else { return }
    toldTrouble = why
    tell(.trouble(why))
  }
}
