internal import Wire
internal import Primitives

internal import struct FoundationEssentials.UUID

/// The place in which a session is kept.
package enum Saving: Sendable {
  /// Memory only: an entry counts as committed a short time after it was appended.
  case inMemory
  /// A store writes the unsaved records, and reports when they are on disk.
  case byStore
}

/// Records of a session that the store appends together, or not at all.
package struct Unsaved: Sendable {
  /// The records in their order.
  package let records: [SessionRecord]
  /// Bytes of their bodies.
  package let byteCount: Int
  /// Entries up to this sequence are on disk when the records are.
  package let sequence: UInt64
}

/// The changes of a session that its store has not written yet.
struct SaveState {
  /// The numbers in a block, and the least numbers that are left when the next block is written.
  static let numberBlock: ParticipantNumber = 4096
  static let numberReserve: ParticipantNumber = 2048

  /// The most bytes of `used` records in a file: refused entries grow no log that a compaction could shorten.
  static let consumedLimit = 1_048_576

  /// A client sequence that was consumed without an entry, and the session's sequence at that time.
  struct ConsumedSequence {
    var clientSequence: UInt32
    var sequence: UInt64
  }

  /// A batch that the store is writing.
  struct Batch {
    var sequence: UInt64 = 0
    /// Bytes of the log up to its sequence.
    var logBytes = 0
    var includesSession = false
    var numbers: ParticipantNumber?
    var people: [ParticipantNumber: UInt64] = [:]
    var uploads: [UUID: UInt64] = [:]
    var consumed: [ParticipantNumber: ConsumedSequence] = [:]
    /// The values of `acknowledged` in it.
    var acknowledged: [ParticipantNumber: UInt32] = [:]
    /// The participants whose newest acknowledged sequences are in it.
    var senders: [ParticipantNumber] = []
    /// The time of its oldest entry, at the earliest.
    var oldestEntry = MonotonicTime.distantFuture
  }

  let saving: Saving
  /// True if the session's own record is to be written: it is new, or has another activity or epoch.
  var isSessionDirty = true
  /// The participants to write, with a count that rises with each change.
  var people: [ParticipantNumber: UInt64] = [:]
  /// The records of participants to write that are forgotten in memory.
  var forgotten: [ParticipantNumber: ParticipantRecord] = [:]
  /// The attachments to write, with the same count.
  var uploads: [UUID: UInt64] = [:]
  /// Consumed client sequences to write.
  var consumed: [ParticipantNumber: ConsumedSequence] = [:]
  /// Bytes of `used` records in the file.
  var consumedBytes = 0
  /// Participants whose newest acknowledged sequences are in no batch.
  var senders: [ParticipantNumber] = []
  /// Numbers up to this one may be given out.
  var numbersOnDisk: ParticipantNumber = 0
  /// The opening records that are not on disk yet: the end of a block, and true while the session's own record in them is
  /// current.
  var opening: (numbers: ParticipantNumber, includesSession: Bool)?
  /// The session's sequence at the last slice of a compaction.
  var slicedAt: UInt64 = 0
  var inFlight: Batch?
  /// The notice that entries are not saved, until they are.
  var failureNotice: NoticePayload?
  /// The notice in each snapshot if a part of the session was lost on the disk before the session was opened.
  var lossNotice: NoticePayload?
  /// True when a participant was sent a snapshot with the notice of the loss.
  var hasSentLossNotice = false
  /// True when damaged bytes are kept beside the session's log.
  var keepsDamage = false

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

  /// Keeps the record of a participant that is forgotten in memory, if a change of it is not saved yet.
  mutating func keepRecord(ofForgotten participant: ParticipantState) {
    let number = participant.number
    guard people[number] != nil || inFlight?.people[number] != nil else { return }
    forgotten[number] = participant.record
  }

  /// Frees the memory of changes that are saved.
  mutating func releaseRoom() {
    if people.isEmpty { people = [:] }
    if uploads.isEmpty { uploads = [:] }
    if consumed.isEmpty { consumed = [:] }
    if senders.isEmpty { senders = [] }
  }

  /// Records that the session's own record has to be written again.
  mutating func markSessionDirty() {
    isSessionDirty = true
    opening?.includesSession = false
  }

  mutating func markDirty(upload id: UUID) {
    guard isByStore else { return }
    changes += 1
    uploads[id] = changes
  }

  /// Makes the changes of a failed batch unsaved again, unless newer ones are.
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
    "The gateway's disk lost a part of this session: some drawings may be missing, and some erased ones may be back."
  )
}
