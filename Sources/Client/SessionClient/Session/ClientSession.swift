package import Primitives
package import Wire

/// A participant's side of a session: who is in it, what is due to be sent, what was told before; no socket, thread or clock.
///
/// It is told what happens and when, and answers with effects, which `takeEffects` gives in their order; after each input,
/// and when `deadline` is there, for nothing happens by itself.
package struct ClientSession: Sendable {
  /// How far it is.
  enum Phase: Equatable {
    /// Nobody has called `join`.
    case idle
    /// A socket was asked for.
    case opening
    /// The others see this participant wait; it may join on the same socket.
    case waiting
    /// `join` is on its way.
    case joining
    /// The gateway took us in, and brings us up to date; `isSnapshot` once it says so with the whole state.
    case catchingUp(isSnapshot: Bool)
    /// What comes now happens now.
    case live
    case over
  }

  /// What becomes of it.
  enum Departure: Equatable {
    case none
    /// Left by the program; what waits goes out until then.
    case leaving(until: MonotonicTime)
    /// `leave` is on its way.
    case left(until: MonotonicTime)
  }

  /// How long `leave` waits for what is still to be said.
  static let leaveTime = Duration.seconds(5)
  /// How long a socket may be silent; the gateway pings every 20 s.
  static let silence = Duration.seconds(45)
  /// How long a socket may take to open, and then the gateway to take us in.
  static let openingTime = Duration.seconds(15)
  /// How long the gateway may take to give us our own entry back after a snapshot.
  static let echoTime = Duration.seconds(2)
  /// How many bytes may wait for the socket.
  static let window = 256 << 10
  /// How many bytes of entries are read for the sake of a mark while the program wants none: 64 MiB.
  static let readingBesides = 64 << 20

  var now: MonotonicTime
  var chance: any RandomNumberGenerator & Sendable
  var effects: [ClientEffect] = []
  var phase = Phase.idle
  /// True once the program asked to join. Before that, the socket only shows the participant as waiting.
  var wantsToJoin = false
  var departure = Departure.none

  // The socket.

  /// On this socket a catch-up has ended: entries may be sent.
  var maySend = false
  /// When the socket counts as broken; nil while nobody reads.
  var silentAt: MonotonicTime?
  /// When the socket that was last asked for is to be opened.
  var opensAt = MonotonicTime.distantPast
  /// The gateway does not want us to come back before.
  var askedUntil = MonotonicTime.distantPast
  /// Whether the program wants more to be read.
  var isReading = true
  /// How many bytes were read besides, since it does not.
  var readBesides = 0
  /// `wantsReading` when it was last looked at.
  var wasReading = true
  /// How many bytes that were given to the socket wait there.
  var unsent = 0
  var reconnecting: ReconnectBackoff

  // Who we are.

  var profile: Profile
  /// How we asked to be shown on this socket, or last said.
  var saidProfile: Profile?
  /// Whether that was said on this socket in a message of its own.
  var hasSaidProfile = false
  var me: Participant?
  /// All that we ever were here.
  var myNumbers: Set<ParticipantNumber> = []
  /// Under which of these what is numbered in the outbox was sent.
  var outboxNumber: ParticipantNumber = 0
  /// Whether the next socket is to join under our token.
  var keepsToken = true
  /// What proves who this participant is; nil before `joined`. It is kept after `leave`.
  package internal(set) var token: Token?
  /// The limits in force: those of the last `joined`, or the defaults before.
  package internal(set) var limits = Limits()

  // Where we are in the order.

  var epoch = ""
  /// The sequence in `afterEpoch` up to which all entries were delivered; nil when there is none.
  var after: UInt64?
  /// The epoch of `after`. It differs from `epoch` only between `joined` and `catchUp` after a crash of the gateway.
  var afterEpoch = ""
  /// Of what place in the order the state is that a snapshot tells.
  var stateSequence: UInt64 = 0
  /// All up to there is on disk, in this epoch.
  var committed: UInt64 = 0
  /// What of each sender was told.
  var told = DeduplicationTable()

  // What the session holds.

  var company = ParticipantList()
  var shelf = AttachmentTable()
  var activity: ActivityPayload?
  var toldHere: [Participant] = []
  var toldWaiting: [Participant] = []
  var toldAttachments: [AttachmentObject] = []
  var toldActivity: ActivityPayload?
  var toldTrouble: String?
  var isAway = false

  // What is to be said.

  var outbox = Outbox()
  var marks: [(id: UInt64, ordinal: UInt64)] = []
  /// Unreliable entries of this turn.
  var fleeting: [UInt8] = []
  var pace: Pace
  /// The gateway asked for a pause until then.
  var pausedUntil: MonotonicTime?
  /// The pace lets the next entry go then.
  var pacedUntil: MonotonicTime?
  /// There was no room for an entry: it goes alone until it is taken.
  var isProbing = false
  var refusalsInRow = 0
  var isUnsettled = false
  /// A snapshot may have left out what would have told that our entries are in the order: if nothing else tells until then,
  /// another socket does.
  var doubtUntil: MonotonicTime?

  /// A side that has not joined.
  ///
  /// - Parameters:
  ///   - profile: how to be shown; the gateway makes up what is missing.
  ///   - chance: spreads those who were cut together.
  ///   - lasting: how long a socket works until the first attempt after it is at once again.
  ///   - now: the time.
  package init(
    profile: Profile, chance: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
    lasting: Duration = .seconds(5), now: MonotonicTime
  ) {
    reconnecting = ReconnectBackoff(lasting: lasting)
    self.profile = profile.sanitised
    self.chance = chance
    self.now = now
    pace = Pace(limits, now: now)
  }

  // MARK: - What the program wants

  /// Connects, and is shown to the others as waiting until `join`. Of that, only the session's end is reported.
  package mutating func waitToJoin(now: MonotonicTime) {
    self.now = now
    guard phase == .idle, !wantsToJoin else { return }
    openSocket(after: .zero)
  }

  /// Joins, on the socket of `waitToJoin` if there is one; a second call does nothing.
  ///
  /// - Parameters:
  ///   - profile: the name and color to be shown, in place of those given to `init`.
  ///   - now: the time.
  package mutating func join(as profile: Profile? = nil, now: MonotonicTime) {
    self.now = now
    guard !wantsToJoin else { return }
    wantsToJoin = true
    if let profile { self.profile = profile.sanitised }
    switch phase {
    case .idle: openSocket(after: .zero)
    case .opening: hurry()
    case .waiting: sayJoin()
    case .joining, .catchingUp, .live, .over: break
    }
  }

  /// Sends what waits and leaves; comes back for that if need be, so that nobody sees it for the grace time. All within 5 s.
  /// `ended(.left)` is told at once.
  package mutating func leave(now: MonotonicTime) {
    self.now = now
    guard phase != .over, departure == .none else { return }
    tell(.ended(.left))
    departure = .leaving(until: now + Self.leaveTime)
    if phase == .idle { return finish() }
    if holdsToken { hurry() }
    goOnLeaving()
  }

  /// Ends the session for everyone, behind what was enqueued before. A refusal for good is told as `trouble`.
  package mutating func end(now: MonotonicTime) {
    say(.end, now: now)
  }

  /// Changes the session's activity for everyone, behind what was enqueued before. A refusal for good is told as `trouble`.
  package mutating func change(_ change: ActivityChange, now: MonotonicTime) {
    say(.activity(change), now: now)
  }

  /// Changes how this participant is shown; what is nil stays.
  package mutating func change(_ profile: Profile, now: MonotonicTime) {
    self.now = now
    // What the gateway would not show it may refuse, or close the socket over.
    let profile = profile.sanitised
    if let name = profile.name { self.profile.name = name }
    if let color = profile.color { self.profile.color = color }
  }

  /// Takes an entry that the gate has passed: a reliable one is kept until it is committed, another is sent now or never.
  package mutating func enqueue(_ entry: OutgoingEntry, now: MonotonicTime) {
    guard entry.isReliable else {
      self.now = now
      return sendFleeting(entry)
    }
    say(.entry(entry), now: now)
  }

  /// Asks for `reached(mark:)` when all that was enqueued before is on the gateway's disk.
  package mutating func mark(_ id: UInt64, now: MonotonicTime) {
    self.now = now
    guard phase != .over else { return }
    marks.append((id, outbox.lastOrdinal))
  }

  private mutating func say(_ content: Outbox.Content, now: MonotonicTime) {
    self.now = now
    guard phase != .over, departure == .none else { return outbox.release(content) }
    outbox.add(content)
    isUnsettled = true
  }

  // MARK: - What is to be done

  /// What is to be done, in this order; each is given once.
  package mutating func takeEffects() -> [ClientEffect] {
    pump()
    noteSettled()
    if case .leaving = departure { goOnLeaving() }
    noteReading()
    defer { effects = [] }
    return effects
  }

  /// How many bytes of reliable entries and changes of the activity it has let go of since it began, counted as `SendGate` counts them.
  package var releasedBytes: Int { outbox.releasedBytes }

  /// Tells it, unless the program has left.
  mutating func tell(_ notice: SessionEvent) {
    guard departure == .none, phase != .over else { return }
    effects.append(.tell(notice))
  }

  private mutating func noteSettled() {
    while let mark = marks.first, (outbox.firstOrdinal ?? .max) > mark.ordinal {
      effects.append(.reached(mark: mark.id))
      marks.removeFirst()
    }
    guard isUnsettled, outbox.isEmpty else { return }
    isUnsettled = false
    tell(.settled)
  }

  // MARK: - The end

  /// Says `leave` when everything else was said, or gives up when there is nothing to say it on.
  mutating func goOnLeaving() {
    guard case .leaving = departure else { return }
    if canLeave {
      // Who waits for the disk is not left in doubt.
      guard marks.isEmpty ? outbox.isAccepted : outbox.isEmpty else { return }
      effects.append(.sendControl(.leave))
      departure = .left(until: now + Self.leaveTime)
    } else if outbox.isEmpty, phase == .opening, !holdsToken {
      // Nobody knows of us.
      finish()
    }
  }

  /// True when the gateway lists this participant on this socket.
  var canLeave: Bool {
    switch phase {
    case .waiting, .catchingUp, .live: true
    case .idle, .opening, .joining, .over: false
    }
  }

  /// Whether there is somebody whom the next socket is to join as.
  private var holdsToken: Bool { keepsToken && token != nil }

  /// Lets go of everything.
  ///
  /// - Parameter closing: whether there may be a socket.
  mutating func finish(closing: Bool = true) {
    guard phase != .over else { return }
    if closing, phase != .idle { effects.append(.close(code: 1000)) }
    phase = .over
    maySend = false
    outbox.clear()
    marks = []
    fleeting = []
    effects.append(.finished)
  }
}
