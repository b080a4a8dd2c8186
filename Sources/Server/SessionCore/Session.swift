package import Primitives
package import Wire

package import struct FoundationEssentials.Date

/// The rules of a session, without a socket, a clock or randomness.
///
/// Functions receive events (`join`, `receive`, `disconnected`, `endTurn` …) and return `Effect`s. The code that calls these
/// functions (the shell) has the sockets, files and timers. It performs the effects in the order in which they are returned. The
/// log and the subscribers contain the bytes for the participants; the shell fetches these bytes in pieces. A session cannot be
/// copied: one object of the shell owns it.
package struct Session: ~Copyable {
  package let id: SessionID
  /// The name of the present epoch. Sequences of different epochs cannot be compared.
  package let epoch: String
  /// The earlier epochs, each with the last sequence after which a client of that epoch can continue with a tail.
  package internal(set) var history = EpochHistory()
  /// The identity of the data folder. A copy of the folder has another identity. So a client of an earlier epoch gets a snapshot
  /// there, not a tail.
  package var folder: String?
  package let createdAt: Date
  package let limits: Limits
  /// The pseudonym of the address that created the session; nil if sessions per address are not counted.
  package let creator: String?
  /// The activity, and the number of the participant that set it. The number is 0 for the activity that the session was created
  /// with.
  var activityState: ActivityPayload
  /// The successor of this session, and the time at which it was chosen.
  package internal(set) var successor: (id: SessionID, at: MonotonicTime)?
  var counters = SessionCounters()

  /// One row per joined socket, used by the flush loop.
  package internal(set) var members: [Member] = []
  /// The subscriber of each row in `members`.
  package internal(set) var subscribers: [Subscriber] = []
  /// The participant of each row in `members`, so that receiving an entry needs no lookup of its sender.
  var memberStates: [ParticipantState] = []
  /// The number of flushes so far. Each flush visits every member once.
  package internal(set) var flushNumber: UInt32 = 0

  var log: SegmentLog
  var retained: RetainedState
  var unreliableBatch = UnreliableBatch()
  var journal: Journal
  /// The refill rates for the rate limiters of participants and of the journal.
  let rates: EntryRateLimiter.Rates

  var participants: ParticipantTable
  var presence = PresenceTracker()
  var commits: CommitNotifier
  var turn = TurnSummary()
  /// Subscribers whose catch-up begins at the end of the turn.
  var catchingUp: [PendingCatchUp] = []

  var emptyPeriod: EmptyPeriod

  var growth = GrowthGate()
  /// The compressor for snapshots; nil if no snapshot is sent compressed.
  package var compressor: MessageCompressor?

  /// Makes this struct address-only, so that function calls pass it by reference. Without this property, each call of a function
  /// that does not change the struct would copy its memory, which would take 200 instructions.
  private let addressOnly: any Sendable = ()

  /// True when the session is in a store on disk. Each entry reads this value, so it is a constant, which is fast to read.
  package let isByStore: Bool
  /// The changes that the store has not written yet.
  var save: SaveState

  /// Creates a new session without participants.
  ///
  /// - Parameters:
  ///   - id: the session's id.
  ///   - epoch: the name of the first epoch.
  ///   - activity: the first activity.
  ///   - createdAt: the present wall time.
  ///   - limits: the limits in force.
  ///   - now: the present time.
  ///   - creator: the pseudonym of the address that created the session; nil if sessions per address are not counted.
  ///   - saving: the storage of the session: in memory only, or in a store.
  ///   - digest: returns the first 128 bits of a token's SHA-256.
  package init(
    id: SessionID, epoch: String, activity: Activity, createdAt: Date, limits: Limits, now: MonotonicTime,
    creator: String? = nil, saving: Saving = .inMemory,
    digest: @escaping @Sendable (Token) -> TokenDigest = { TokenDigest(high: $0.high, low: $0.low) }
  ) {
    self.id = id
    self.epoch = epoch
    self.createdAt = createdAt
    self.limits = limits
    self.creator = creator
    activityState = ActivityPayload(activity: activity, by: 0)
    log = SegmentLog(tailBytes: limits.catchUpTailBytes)
    retained = RetainedState(firstSegment: log.firstSegment)
    participants = ParticipantTable(pastLimit: limits.pastParticipants, digest: digest)
    isByStore = saving == .byStore
    commits = CommitNotifier(isByStore: saving == .byStore)
    save = SaveState(saving)
    emptyPeriod = EmptyPeriod(since: now)
    rates = EntryRateLimiter.Rates(
      entriesPerSecond: limits.entriesPerSecond, bytesPerSecond: limits.bytesPerSecond)
    journal = Journal(keepSeconds: limits.uploadKeepSeconds, EntryRateLimiter(rates, at: now))
  }

  package var activity: Activity { activityState.activity }
  /// The sequence of the newest entry.
  package var sequence: UInt64 { log.lastSequence }
  /// The last committed sequence.
  package var committed: UInt64 { commits.committed }
  /// The beginning of the period without active participants; nil while there are active participants.
  package var emptySince: MonotonicTime? { emptyPeriod.since }
  package var activeParticipantCount: Int { participants.activeCount }
  package var retainedBytes: Int { retained.index.byteCount }
  /// The number of bytes of the log and of the snapshot segments.
  package var logBytes: Int { log.totalBytes + retained.totalBytes }
  /// The kind of content of the turn that ended last.
  package var turnContent: TurnContent { turn.content }

  /// The memory of all sessions in bytes, if memory is short and this session must not grow; else nil.
  package var memoryPressure: Int? {
    get { growth.memoryPressure }
    set { growth.memoryPressure = newValue }
  }

  /// True when the store has damaged bytes of the session's log. Such a session is kept for `sessionKeepSeconds` after the last
  /// participant has left, even if the session has no content.
  package var keepsDamage: Bool {
    get { save.keepsDamage }
    set { save.keepsDamage = newValue }
  }

  /// The refusal of entries that make the session larger; set while the data folder is full, or the session's creator has used up
  /// its share of the folder.
  package var dataRefusal: Refusal? {
    get { growth.dataRefusal }
    set { growth.dataRefusal = newValue }
  }

  package var object: SessionObject {
    SessionObject(
      id: id, link: "/s/\(id.text)", activity: activity, createdAt: createdAt,
      participants: participants.activeCount, sequence: sequence)
  }

  /// Returns true for the token of a present or past participant.
  package func isKnown(_ token: Token) -> Bool {
    formerNumber(of: token) != nil
  }

  /// Returns the participant that may resume with a token.
  package func number(of token: Token) -> ParticipantNumber? {
    participants.number(of: token)
  }

  /// Returns the participant with a token, even if the participant left: a participant that left may still request a successor.
  package func formerNumber(of token: Token) -> ParticipantNumber? {
    participants.formerNumber(of: token)
  }

  /// The time at which the session expires if no participant comes back; nil while the session has active participants.
  package var expiresAt: MonotonicTime? {
    emptySince?.adding(
      seconds: limits.keepSeconds(
        retainedBytes: retainedBytes, isDamaged: save.keepsDamage || save.lossNotice != nil))
  }

  /// The session's deadlines.
  package var deadlines: SessionDeadlines {
    SessionDeadlines(
      next: nextDeadline, expiry: emptySince == nil ? nil : expiresAt,
      isUnused: participants.activeCount == 0 && members.isEmpty && participants.waiting.isEmpty)
  }

  /// The next time at which `tick` or `expiredUploads` has work to do; nil if there is none.
  package var nextDeadline: MonotonicTime? {
    var next = commits.nextDeadline
    for deadline in [participants.nextDeadline, journal.nextDeadline] {
      guard let deadline else { continue }
      next = min(next ?? deadline, deadline)
    }
    return next
  }
}

/// The members of a session, and the bytes that a flush sends to them.
package struct SessionFlush: ~Copyable {
  package var members: [Member] = []
  /// The number of the flush.
  package let number: UInt32
  /// The last segment of the log. The cursors of the members at the tail are at its end.
  package let tail: Segment
  /// This turn's unreliable frames for all members at the tail.
  package let unreliableFrames: [UInt8]
  package let unreliableEntryCount: Int
  /// True if the turn has unreliable frames that target single members.
  package let hasTargetedFrames: Bool
}

/// One joined socket: all values that the flush loop needs, in 32 bytes.
package struct Member: Sendable, BitwiseCopyable {
  /// The reasons for which the flush loop does not send the tail to a member.
  package struct Flags: OptionSet, Sendable, BitwiseCopyable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// The kernel accepts no more bytes until it reports the socket as writable.
    package static var blocked: Flags { Flags(rawValue: 1) }
    /// The subscriber has pending bytes of its own, or its cursor is not in the log.
    package static var special: Flags { Flags(rawValue: 2) }
  }

  package let connection: UInt64
  package var cursor: Cursor
  package let participant: ParticipantNumber
  /// The number of the last flush that visited the member.
  package var flush: UInt32
  package var flags: Flags
}
