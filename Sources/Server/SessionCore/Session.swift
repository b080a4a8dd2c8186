package import Wire
package import Primitives

package import struct FoundationEssentials.Date

/// Decides what a session does; knows no socket, no clock and no chance.
///
/// It is told what happened (`join`, `receive`, `disconnect`, `endTurn` …) and answers with `Effect`s, in the order in which
/// they are to be performed. What the people in it are sent stands in its log and their subscribers; the shell fetches it piece
/// by piece. A session belongs to one reactor and is used from its thread only.
package final class Session {
  package let id: SessionID
  /// Names this life of the order: sequences of different epochs cannot be compared.
  package let epoch: String
  /// The earlier epochs, and how far tails of them reach.
  package internal(set) var history = EpochHistory()
  /// The identity of its data folder: in a copy of the folder, no tail of an earlier epoch is served.
  package var folder: String?
  package let createdAt: Date
  package let limits: Limits
  /// The pseudonym of the address that created it; nil if that is not counted.
  package let creator: String?
  package internal(set) var activity: Activity
  /// Who set it last; 0 while it is the one that the session began with.
  var activitySetBy: ParticipantNumber = 0
  /// The session that follows this one, and when it was named.
  package internal(set) var successor: (id: SessionID, at: MonotonicTime)?
  package internal(set) var counters = SessionCounters()

  /// One row for each joined socket: the flush loop walks it.
  package internal(set) var members: [Member] = []
  /// What each member is sent besides the log, beside its row.
  package internal(set) var subscribers: [Subscriber] = []

  var log: SegmentLog
  var index = RetentionIndex()
  var snapshotSegments = SnapshotSegments()
  /// Up to where the log has been taken into the base.
  var snapshotEnd: Cursor
  var unreliableBatch = UnreliableBatch()
  /// What is begun in the journal over HTTP, by whomever: creations and pieces cost as entries of one participant do.
  var journalBucket: RateBucket
  /// By what it and everybody's own are refilled.
  let rates: RateBucket.Rates
  var journal: Journal

  var participants: [ParticipantNumber: ParticipantState] = [:]
  var numberByDigest: [TokenDigest: ParticipantNumber] = [:]
  /// Of those who left by saying so: nobody comes back by such a token, but it tells who was here, as long as the session is open.
  var leftByDigest: [TokenDigest: ParticipantNumber] = [:]
  /// Those who left or are gone, oldest first; bounded by `pastParticipants`.
  var past: [ParticipantNumber] = []
  /// Former participants of whom only the names are known, because a snapshot may contain their entries.
  var formerSenders: [ParticipantNumber: Participant] = [:]
  var nextNumber: ParticipantNumber = 1
  var activeCount = 0
  var waitingCount: Int { waitingNumbers.count }
  var colorsInUse: [String: Int] = [:]

  /// What `participants` entry the turn ends with.
  var presence = PresenceChanges()
  private static let manyPeople = 300
  /// How many people one `participants` entry tells of: names may be long, and it shall be 110 KiB at most.
  var peoplePerEntry = Session.manyPeople {
    didSet { roster = Roster(perPart: peoplePerEntry) }
  }
  /// Who is here, ready for those who come.
  var roster = Roster(perPart: Session.manyPeople)
  /// How many `participants` entries the turn has, and the sequence before it.
  var presenceEntries: UInt64 = 0
  var turnBeganAfter: UInt64 = 0
  /// What came of the turn that ended last.
  package internal(set) var turnContent = TurnContent.nothing
  /// Who is to be caught up when the turn ends.
  var catchingUp: [PendingCatchUp] = []
  /// Those who wait.
  var waitingNumbers: [ParticipantNumber] = []
  /// Everybody has been told that the session is nearly full.
  var isNearlyFull = false
  /// Everybody has been told that its attachments are.
  var isJournalNearlyFull = false
  /// What came of a turn's end for the shell to do.
  var outgoing: [Effect] = []
  /// Readers that hold too much of what is no longer current.
  var slowSubscribers: [Subscriber] = []
  /// Counts the flushes: every member is looked at once in each.
  package internal(set) var flushNumber: UInt32 = 0
  /// Those who wait and have been told something, so that the shell sends it.
  var waitersWithOutput: [Subscriber] = []
  /// Graces that run, by deadline.
  var graces: [(until: MonotonicTime, number: ParticipantNumber)] = []

  package internal(set) var committed: UInt64 = 0
  /// Those who sent what no `committed` message has covered yet.
  var awaitingCommitted: [ParticipantNumber] = []
  /// Those to whom this turn's `committed` goes in its unreliable buffer, if they get that.
  var ridingCommitted: Set<ParticipantNumber> = []
  /// When what was appended counts as on disk, and until when the message about it may wait for entries to ride along with.
  var commitDue: MonotonicTime?
  var announceBy: MonotonicTime?

  /// When the last one left, for the session's end of life.
  package internal(set) var emptySince: MonotonicTime? {
    didSet { recordedEmptySince = nil }
  }
  /// True when damaged bytes are kept beside the session's log: then it is kept as long as one that holds something.
  package var keepsDamage = false
  /// The wall time of `emptySince` as a record said it when the session was loaded; nil when the session became empty since.
  var recordedEmptySince: Date?

  /// How often `committed` is told at most, and how long it may wait to ride along with entries.
  static let commitIntervalMs = 100
  static let announceWithinMs = 50

  /// What all sessions together hold in memory, when that is so much that this one must not grow.
  package var memoryPressure: Int? {
    didSet { isGrowthStopped = memoryPressure != nil || dataRefusal != nil }
  }
  /// The refusal of entries that make the session larger, while the data folder or its creator's share is full.
  package var dataRefusal: Refusal? {
    didSet { isGrowthStopped = memoryPressure != nil || dataRefusal != nil }
  }
  /// True while one of the two is set: the only check on the path of an entry.
  private(set) var isGrowthStopped = false

  /// Makes what is retained smaller for those who agreed on it; nil: nobody gets it so.
  package var compressor: MessageCompressor?

  /// True when a store keeps the session on disk. Constant, so that checking it for each entry costs next to nothing.
  let isByStore: Bool
  /// What it owes to the disk.
  var save: SaveState
  /// Tokens are kept as what this makes of them.
  let digest: @Sendable (Token) -> TokenDigest

  /// A new session, with nobody in it.
  ///
  /// - Parameters:
  ///   - id: names it.
  ///   - epoch: names this life of its order.
  ///   - activity: what it is for.
  ///   - createdAt: the present time by the calendar.
  ///   - limits: those in force.
  ///   - now: the present moment.
  ///   - creator: the pseudonym of the address that created it; nil where it is not counted.
  ///   - saving: whether it outlives its process.
  ///   - digest: the first 128 bits of a token's SHA-256.
  package init(
    id: SessionID, epoch: String, activity: Activity, createdAt: Date, limits: Limits, now: MonotonicTime,
    creator: String? = nil, saving: Saving = .inMemory,
    digest: @escaping @Sendable (Token) -> TokenDigest = { TokenDigest(high: $0.high, low: $0.low) }
  ) {
    self.id = id
    self.epoch = epoch
    self.activity = activity
    self.createdAt = createdAt
    self.limits = limits
    self.creator = creator
    log = SegmentLog(tailBytes: limits.catchUpTailBytes)
    snapshotEnd = log.tail
    journal = Journal(keepSeconds: limits.uploadKeepSeconds)
    isByStore = saving == .byStore
    save = SaveState(saving)
    self.digest = digest
    emptySince = now
    rates = RateBucket.Rates(
      entriesPerSecond: limits.entriesPerSecond, bytesPerSecond: limits.bytesPerSecond)
    journalBucket = RateBucket(rates, at: now)
  }

  /// The sequence given last.
  package var sequence: UInt64 { log.lastSequence }
  package var activeParticipantCount: Int { activeCount }
  package var retainedBytes: Int { index.byteCount }
  /// Bytes of the log and of what joiners are caught up from.
  package var logBytes: Int { log.totalBytes + snapshotSegments.byteCount + compressedBytes }
  /// What the base's compressed forms take, as of the last catch-up.
  var compressedBytes = 0

  package var object: SessionObject {
    SessionObject(
      id: id, link: "/s/\(id.text)", activity: activity, createdAt: createdAt,
      participants: activeCount, sequence: sequence)
  }

  /// Whether the token is of somebody who is or was in this session.
  package func isKnown(_ token: Token) -> Bool {
    formerNumber(of: token) != nil
  }

  /// Whose token it is.
  package func number(of token: Token) -> ParticipantNumber? {
    numberByDigest[digest(token)]
  }

  /// Whose token it is, or was until they left: who names a successor just after has this one.
  package func formerNumber(of token: Token) -> ParticipantNumber? {
    let digest = digest(token)
    return numberByDigest[digest] ?? leftByDigest[digest]
  }

  /// When the session's life is over because nobody came back; nil while somebody is in it.
  package var expiresAt: MonotonicTime? {
    guard let emptySince else { return nil }
    let isEmpty = index.byteCount == 0 && !keepsDamage && save.lossNotice == nil
    return emptySince.adding(seconds: isEmpty ? limits.emptySessionKeepSeconds : limits.sessionKeepSeconds)
  }

  /// When `tick` or `expiredUploads` has something to do; nil: not by itself.
  package var nextDeadline: MonotonicTime? {
    var next = commitDue
    for deadline in [announceBy, graces.first?.until, journal.nextDeadline] {
      guard let deadline else { continue }
      next = min(next ?? deadline, deadline)
    }
    return next
  }
}

/// What a turn has for everybody.
package enum TurnContent: Equatable, Sendable {
  case nothing
  /// Only who came and went.
  case presence
  /// What must not wait.
  case entries(withPresence: Bool)
}

/// One joined socket: all that the flush loop needs of it, 32 bytes.
package struct Member: Sendable, BitwiseCopyable {
  /// Why the flush loop must not just send the tail to it.
  package struct Flags: OptionSet, Sendable, BitwiseCopyable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// The kernel takes no more until it says so.
    package static var blocked: Flags { Flags(rawValue: 1) }
    /// Something other than the log is due, or the cursor is not in the log.
    package static var special: Flags { Flags(rawValue: 2) }
  }

  package let connection: UInt64
  package var cursor: Cursor
  package let participant: ParticipantNumber
  /// The flush in which it was looked at last.
  package var flush: UInt32
  package var flags: Flags
}

/// Somebody who is to be caught up when the turn ends.
struct PendingCatchUp {
  var subscriber: Subscriber
  var start = Start.snapshot

  enum Start {
    /// Exactly the entries behind a sequence.
    case tail(after: UInt64)
    case snapshot
    /// A snapshot with all entries behind a sequence in it: the client has seen those up to there, and more of an order that is
    /// no longer in force.
    case snapshotWithEntries(after: UInt64)
  }
}
