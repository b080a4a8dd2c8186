internal import Wire
internal import Primitives

internal import struct FoundationEssentials.UUID

/// Whether a session outlives its process.
package enum Saving: Sendable {
  /// Memory is its disk: what is appended counts as committed a moment later.
  case inMemory
  /// A store is given what it has unsaved, and says when that is on disk.
  case byStore
}

/// What a session gives to its store at one time: records that go behind one another, or not at all.
package struct Unsaved: Sendable {
  /// In the order in which they must stand.
  package let records: [SessionRecord]
  /// Bytes of their bodies.
  package let byteCount: Int
  /// Every entry up to this one is on disk when the records are.
  package let sequence: UInt64
}

/// What a session has told its store, and what it still has to.
struct SaveState {
  /// How many numbers a block holds, and how few may be left of one.
  static let numberBlock: ParticipantNumber = 4096
  static let numberReserve: ParticipantNumber = 2048

  /// How many bytes of `used` records a file may have: entries that are refused make no log that could be compacted.
  static let consumedLimit = 1_048_576

  /// A client sequence that was used up without an entry, and the session's sequence then.
  struct ConsumedSequence {
    var clientSequence: UInt32
    var sequence: UInt64
  }

  /// What is being written.
  struct Batch {
    var sequence: UInt64 = 0
    /// Bytes of the log up to there.
    var logBytes = 0
    var includesSession = false
    var numbers: ParticipantNumber?
    var people: [ParticipantNumber: UInt64] = [:]
    var uploads: [UUID: UInt64] = [:]
    var consumed: [ParticipantNumber: ConsumedSequence] = [:]
    /// What is on disk of the client sequences of some.
    var acknowledged: [ParticipantNumber: UInt32] = [:]
    /// Of whom all that they sent is in it.
    var senders: [ParticipantNumber] = []
    /// The time of its oldest entry, at the earliest.
    var oldestEntry = MonotonicTime.distantFuture
  }

  let saving: Saving
  /// The session itself is to be told: it is new, or has another activity or epoch.
  var isSessionDirty = true
  /// Who is to be told of, with a count that rises with each change.
  var people: [ParticipantNumber: UInt64] = [:]
  /// Who is to be told of, and is no longer known here.
  var forgotten: [ParticipantNumber: ParticipantRecord] = [:]
  /// Which attachments are to be told of, likewise.
  var uploads: [UUID: UInt64] = [:]
  /// What was used up and is not told yet.
  var consumed: [ParticipantNumber: ConsumedSequence] = [:]
  /// Bytes of what was used up that the file has.
  var consumedBytes = 0
  /// Who sent something that was not yet given away.
  var senders: [ParticipantNumber] = []
  /// Bytes of the log that are on disk.
  var savedLogBytes = 0
  /// Numbers up to this one may be given out.
  var numbersOnDisk: ParticipantNumber = 0
  /// What `openingRecords` gave and is not on disk yet: the end of a block, and the session as it still is.
  var opening: (numbers: ParticipantNumber, includesSession: Bool)?
  /// The session's sequence when a slice for a compaction was made last.
  var slicedAt: UInt64 = 0
  var inFlight: Batch?
  /// What people were told when what is drawn could not be saved, until it is.
  var failureNotice: NoticePayload?
  /// The notice in each snapshot if a part of the session was lost on the disk before the session was opened.
  var lossNotice: NoticePayload?
  /// True when a participant was sent a snapshot with the notice of the loss.
  var hasSentLossNotice = false
  /// The whole gateway holds too much that is not saved.
  var refusesGrowth = false

  private var changes: UInt64 = 0

  init(_ saving: Saving) {
    self.saving = saving
  }

  var isByStore: Bool { saving == .byStore }

  mutating func markDirty(participant number: ParticipantNumber) {
    guard isByStore else { return }
    changes += 1
    people[number] = changes
  }

  /// Somebody is no longer known here; what became of them is still to be told.
  mutating func keepRecord(ofForgotten participant: ParticipantState) {
    let number = participant.number
    guard people[number] != nil || inFlight?.people[number] != nil else { return }
    forgotten[number] = participant.record
  }

  /// Gives back the room of what was owed and is not any more.
  mutating func releaseRoom() {
    if people.isEmpty { people = [:] }
    if uploads.isEmpty { uploads = [:] }
    if consumed.isEmpty { consumed = [:] }
    if senders.isEmpty { senders = [] }
  }

  /// The session has another activity.
  mutating func markSessionDirty() {
    isSessionDirty = true
    opening?.includesSession = false
  }

  mutating func markDirty(upload id: UUID) {
    guard isByStore else { return }
    changes += 1
    uploads[id] = changes
  }

  /// What was to be written is not: it is due again, unless something newer is.
  mutating func restore(_ batch: Batch) {
    if batch.includesSession { isSessionDirty = true }
    people.merge(batch.people) { max($0, $1) }
    uploads.merge(batch.uploads) { max($0, $1) }
    consumed.merge(batch.consumed) { newer, _ in newer }
  }
}

extension NoticePayload {
  /// The notice that a part of the session was lost.
  static let lost = NoticePayload(
    .damaged,
    "Some of this session was lost on the gateway's disk: what was drawn may be missing, and what was erased may be back."
  )
}
