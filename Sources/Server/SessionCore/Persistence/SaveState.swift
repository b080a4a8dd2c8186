internal import Wire
internal import Primitives

internal import struct FoundationEssentials.UUID

/// The storage of a session: in memory only, or in a store.
package enum Saving: Sendable {
  /// The session is in memory only: an entry counts as committed a short time after it was appended.
  case inMemory
  /// The session is in a store: the store writes the unsaved records, and reports when they are on disk.
  case byStore
}

/// Records of a session that the store appends as a unit: all or none.
package struct Unsaved: Sendable {
  /// The records in their order.
  package let records: [SessionRecord]
  /// The number of bytes of all record bodies together.
  package let byteCount: Int
  /// When the store has written `records`, all entries up to this sequence are on disk.
  package let sequence: UInt64
}

/// The changes of a session that its store has not written yet.
struct SaveState {
  /// The size of a block of participant numbers. If a block has fewer than `numberReserve` unused numbers, the next block is
  /// written to disk.
  static let numberBlock: ParticipantNumber = 4096
  static let numberReserve: ParticipantNumber = 2048

  /// The maximum size of all `used` records in a file together. A session is not compacted before its log in memory has dropped
  /// entries, so without a limit, repeated refusals could enlarge the file of such a session forever.
  static let consumedLimit = 1_048_576

  /// A client sequence that was used up by a refused entry, and the session's sequence at that time.
  struct ConsumedSequence {
    var clientSequence: UInt32
    var sequence: UInt64
  }

  /// A batch that the store is writing.
  struct Batch {
    var sequence: UInt64 = 0
    /// The length of the log in bytes up to the last sequence of the batch.
    var logBytes = 0
    var includesSession = false
    var numbers: ParticipantNumber?
    var people: [ParticipantNumber: UInt64] = [:]
    var uploads: [UUID: UInt64] = [:]
    var consumed: [ParticipantNumber: ConsumedSequence] = [:]
    /// The participants' values of `acknowledged` in the batch.
    var acknowledged: [ParticipantNumber: UInt32] = [:]
    /// The participants whose newest acknowledged sequences are in the batch.
    var senders: [ParticipantNumber] = []
    /// The time of the batch's oldest entry, or an earlier time.
    var oldestEntry = MonotonicTime.distantFuture
  }

  let saving: Saving
  /// True if the session's own record has to be written: the session is new, or its activity or epoch changed.
  var isSessionDirty = true
  /// The changed participants, each with a number that rises with each change.
  var people: [ParticipantNumber: UInt64] = [:]
  /// The unsaved records of participants that were removed from memory.
  var forgotten: [ParticipantNumber: ParticipantRecord] = [:]
  /// The changed attachments, each with a number that rises with each change.
  var uploads: [UUID: UInt64] = [:]
  /// The unsaved client sequences of refused entries.
  var consumed: [ParticipantNumber: ConsumedSequence] = [:]
  /// Bytes of `used` records in the file.
  var consumedBytes = 0
  /// Participants whose newest acknowledged sequences are in no batch yet.
  var senders: [ParticipantNumber] = []
  /// The highest participant number that may be assigned.
  var numbersOnDisk: ParticipantNumber = 0
  /// The opening records that are being written; nil if none are. `numbers` is the last participant number that they reserve;
  /// `includesSession` is true while their `session` record is up to date.
  var opening: (numbers: ParticipantNumber, includesSession: Bool)?
  /// The session's newest sequence when the last slice of a compaction was made.
  var slicedAt: UInt64 = 0
  var inFlight: Batch?
  /// The notice that entries are not saved; nil when saving works.
  var failureNotice: NoticePayload?
  /// The notice that a part of the session was lost on the disk before the load; nil if nothing was lost. Each snapshot contains
  /// this notice.
  var lossNotice: NoticePayload?
  /// True when a snapshot with `lossNotice` was made for a participant.
  var hasSentLossNotice = false
  /// True when the store has damaged bytes of the session's log in extra files.
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

  /// Adds the record of a participant to `forgotten`, if a change of the participant is not on the disk yet. Called when the
  /// participant is removed from memory.
  mutating func keepRecord(ofForgotten participant: ParticipantState) {
    let number = participant.number
    guard people[number] != nil || inFlight?.people[number] != nil else { return }
    forgotten[number] = participant.record
  }

  /// Frees the memory of each table of unsaved changes that is empty.
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

  /// Marks the changes of a failed batch as unsaved again, unless they were replaced by newer changes.
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
