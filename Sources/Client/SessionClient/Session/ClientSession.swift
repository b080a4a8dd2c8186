package import Primitives
package import Wire

/// The state machine of one participant in a session: membership, pending sends, and received entries. It has no
/// socket, thread or clock.
///
/// Inputs come with the current time; `takeEffects` returns the resulting effects in order. The owner calls `takeEffects` after
/// each input, and `elapsed` at `deadline`, because the session has no timers of its own.
package struct ClientSession: Sendable {
  /// The progress of the session.
  enum Phase: Equatable {
    /// `join` was not called.
    case idle
    /// The session has requested a socket, which is not open yet.
    case opening
    /// The gateway lists the participant as waiting. The participant can join on the same socket.
    case waiting
    /// `join` was sent.
    case joining
    /// The gateway accepted the join and sends the catch-up. `isSnapshot` is true after the gateway has announced a snapshot (the
    /// whole state).
    case catchingUp(isSnapshot: Bool)
    /// The catch-up is complete. The entries that arrive now are new entries of the participants.
    case live
    case over
  }

  /// The progress of `leave`.
  enum Departure: Equatable {
    case none
    /// The program called `leave`. Pending messages are sent until this time.
    case leaving(until: MonotonicTime)
    /// `leave` was sent. The session finishes at this time at the latest.
    case left(until: MonotonicTime)
  }

  /// The maximum time for which `leave` waits for pending messages.
  static let leaveTime = Duration.seconds(5)
  /// The time without a received byte after which a socket counts as broken. The gateway sends a ping or a heartbeat at least every 20 s.
  static let silence = Duration.seconds(35)
  /// The time limit for opening a socket. The gateway's answer to `join` has the same time limit, counted from the opening of the
  /// socket.
  static let openingTime = Duration.seconds(15)
  /// The time after a snapshot within which the gateway must send back one of this client's unanswered entries.
  static let echoTime = Duration.seconds(2)
  /// The limit of bytes that are queued for the socket. While more bytes are queued, no further messages are sent.
  static let window = 256 << 10

  var now: MonotonicTime
  var generator: any RandomNumberGenerator & Sendable
  var effects: [ClientEffect] = []
  var phase = Phase.idle
  /// True after the program asked to join. Before that, the gateway lists the participant as waiting while the client has an open
  /// socket.
  var wantsToJoin = false
  var departure = Departure.none

  // The socket.

  /// True after a catch-up has ended on this socket. Entries may be sent only while this is true.
  var maySend = false
  /// The time at which the socket counts as broken; nil while reading is paused.
  var silentAt: MonotonicTime?
  /// The number of bytes that are queued for the socket but that the kernel has not accepted yet.
  var pendingBytes = 0
  var readControl = ReadControl()
  var backoff: ReconnectBackoff

  // The participant and its position in the session.

  var profile: LocalProfile
  var identity = LocalIdentity()
  var position = SessionPosition()
  /// The limits in force: the default limits until the first `joined`, then the limits in the last `joined`.
  package internal(set) var limits = Limits()

  // The tables of received entries.

  var deduplication = DeduplicationTable()
  var state = SessionState()
  var reportedTrouble: String?
  var isAway = false

  // The messages to send.

  var outbox = Outbox()
  var marks: [(id: UInt64, ordinal: UInt64)] = []
  /// Unreliable entries since the last `takeEffects`.
  var unreliableBatch: [UInt8] = []
  var pacer: SendPacer
  /// True after a refusal for lack of space: until an entry is accepted, only one entry at a time is sent.
  var isProbing = false
  /// The number of refusals for lack of space since the last accepted entry.
  var spaceRefusals = 0
  var isUnsettled = false
  /// The time by which the gateway must have sent back an entry of this client. Otherwise the client opens a new socket. Nil if
  /// the client does not wait for an entry to be sent back. The client waits after a snapshot: a snapshot may omit an entry of
  /// this client, and then does not show whether the gateway accepted the entry.
  var doubtUntil: MonotonicTime?

  /// Creates a session before its join.
  ///
  /// - Parameters:
  ///   - profile: the name and color to show. The gateway chooses a missing name or color.
  ///   - generator: the source of random jitter for reconnects.
  ///   - stableAfter: the minimum working time of a socket. After two sockets in a row that worked for a shorter time, the
  ///     client waits before it reconnects.
  ///   - now: the current time.
  package init(
    profile: Profile, generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
    stableAfter: Duration = .seconds(5), now: MonotonicTime
  ) {
    backoff = ReconnectBackoff(stableAfter: stableAfter)
    self.profile = LocalProfile(profile)
    self.generator = generator
    self.now = now
    pacer = SendPacer(limits, now: now)
  }

  /// The token of this participant; nil before `joined`. It is kept after `leave`.
  package var token: Token? { identity.token }

  // MARK: - Requests of the program

  /// Connects. The participant is listed as waiting until `join`. Before the join only the session's end is reported.
  package mutating func waitToJoin(now: MonotonicTime) {
    self.now = now
    guard phase == .idle, !wantsToJoin else { return }
    openSocket(after: .zero)
  }

  /// Joins, on the socket of `waitToJoin` if there is one. A second call has no effect.
  ///
  /// - Parameters:
  ///   - profile: the name and color to show, instead of those given to `init`.
  ///   - now: the current time.
  package mutating func join(as profile: Profile? = nil, now: MonotonicTime) {
    self.now = now
    guard !wantsToJoin else { return }
    wantsToJoin = true
    if let profile { self.profile.replace(profile) }
    switch phase {
    case .idle: openSocket(after: .zero)
    case .opening: expediteSocket()
    case .waiting: sendJoin()
    case .joining, .catchingUp, .live, .over: break
    }
  }

  /// Sends pending messages and leaves, within 5 s. Without a connection, the session reconnects to send `leave`, because
  /// otherwise the other participants would see this participant until the gateway's grace time for lost connections ends.
  /// `ended(.left)` is reported immediately.
  package mutating func leave(now: MonotonicTime) {
    self.now = now
    guard phase != .over, departure == .none else { return }
    report(.ended(.left))
    departure = .leaving(until: now + Self.leaveTime)
    if phase == .idle { return finish() }
    if identity.resumeToken != nil { expediteSocket() }
    continueLeaving()
  }

  /// Ends the session for everyone, after the messages that were enqueued earlier. A permanent refusal is reported as `trouble`.
  package mutating func end(now: MonotonicTime) {
    add(.end, now: now)
  }

  /// Changes the session's activity for everyone, after the messages that were enqueued earlier. A permanent refusal is reported
  /// as `trouble`.
  package mutating func change(_ change: ActivityChange, now: MonotonicTime) {
    add(.activity(change), now: now)
  }

  /// Changes the name or color of this participant; nil keeps the current one.
  package mutating func change(_ profile: Profile, now: MonotonicTime) {
    self.now = now
    self.profile.merge(profile)
  }

  /// Enqueues an entry that `SendGate` admitted. A reliable entry is kept until it is committed. An unreliable entry is sent now
  /// or dropped.
  package mutating func enqueue(_ entry: OutgoingEntry, now: MonotonicTime) {
    guard entry.isReliable else {
      self.now = now
      return sendUnreliable(entry)
    }
    add(.entry(entry), now: now)
  }

  /// Requests the effect `reached(mark:)`, which follows when all earlier messages are on the gateway's disk.
  package mutating func mark(_ id: UInt64, now: MonotonicTime) {
    self.now = now
    guard phase != .over else { return }
    marks.append((id, outbox.lastOrdinal))
  }

  private mutating func add(_ content: Outbox.Content, now: MonotonicTime) {
    self.now = now
    guard phase != .over, departure == .none else { return outbox.release(content) }
    outbox.add(content)
    isUnsettled = true
  }

  // MARK: - Effects

  /// Returns the effects since the last call, in order.
  package mutating func takeEffects() -> [ClientEffect] {
    sendPending()
    reportSettled()
    if case .leaving = departure { continueLeaving() }
    updateReading()
    defer { effects = [] }
    return effects
  }

  /// The number of bytes of all released reliable entries and activity changes, as counted by `SendGate`.
  package var releasedBytes: Int { outbox.releasedBytes }

  /// Reports an event, unless the program has left.
  mutating func report(_ event: SessionEvent) {
    guard departure == .none, phase != .over else { return }
    effects.append(.notify(event))
  }

  private mutating func reportSettled() {
    while let mark = marks.first, (outbox.firstOrdinal ?? .max) > mark.ordinal {
      effects.append(.reached(mark: mark.id))
      marks.removeFirst()
    }
    guard isUnsettled, outbox.isEmpty else { return }
    isUnsettled = false
    report(.settled)
  }

  // MARK: - The end

  /// Sends `leave` as soon as the gateway has accepted all messages. Finishes without `leave` if the gateway does not know the
  /// participant.
  mutating func continueLeaving() {
    guard case .leaving = departure else { return }
    if canLeave {
      // If a mark is pending (see `mark(_:now:)`), `leave` waits until all messages are on the gateway's disk. Otherwise, `leave`
      // waits only until the gateway has accepted all messages.
      guard marks.isEmpty ? outbox.isAccepted : outbox.isEmpty else { return }
      effects.append(.sendControl(.leave))
      departure = .left(until: now + Self.leaveTime)
    } else if outbox.isEmpty, phase == .opening, identity.resumeToken == nil {
      finish()
    }
  }

  /// True while the current socket makes the gateway list this participant as active or waiting.
  var canLeave: Bool {
    switch phase {
    case .waiting, .catchingUp, .live: true
    case .idle, .opening, .joining, .over: false
    }
  }

  /// Releases all queued items and ends the session.
  ///
  /// - Parameter closing: false if the socket has already closed.
  mutating func finish(closing: Bool = true) {
    guard phase != .over else { return }
    if closing, phase != .idle { effects.append(.close(code: 1000)) }
    phase = .over
    maySend = false
    outbox.clear()
    marks = []
    unreliableBatch = []
    effects.append(.finished)
  }
}
