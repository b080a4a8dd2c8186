package import FoundationEssentials
internal import Wire
package import Primitives

/// Saving: the records for the store, and the results of writing them.
extension Session {
  /// Returns the records of a new session; none if the session is kept in memory only. They are on disk before a client gets the
  /// session's id. Called once, before the first join.
  package mutating func firstRecords() -> [SessionRecord] {
    guard isByStore else { return [] }
    precondition(participants.nextNumber == 1, "the first records must be made before the first join")
    save.isSessionDirty = false
    save.numbersOnDisk = SaveState.numberBlock
    return [headerRecord.encoded, NumbersRecord(through: save.numbersOnDisk).encoded]
  }

  /// True while something is not on disk yet, including a batch in flight.
  package var hasUnsaved: Bool { hasDirtyState || numbersDue != nil }

  /// True when the whole session is on disk and no participant waits. A session that is closed in this state continues in the
  /// same epoch when it is loaded.
  package var isAtRest: Bool { !hasDirtyState && participants.waiting.isEmpty }

  /// True while a change is not on disk yet. A new block of numbers does not count as a change.
  var hasDirtyState: Bool {
    guard isByStore else { return false }
    return save.inFlight != nil || !presence.changes.isEmpty || save.isSessionDirty || !save.people.isEmpty
      || !save.uploads.isEmpty || !save.consumed.isEmpty || log.hasOpenRun || committed < log.lastSequence
  }

  /// Bytes of the log that are not on disk yet.
  package var unsavedBytes: Int {
    isByStore ? log.unsavedBytes : 0
  }

  /// True while the shell forbids all sessions to grow, because all of them together have too many unsaved bytes.
  package var refusesGrowth: Bool {
    get { growth.refusesUnsaved }
    set { growth.refusesUnsaved = newValue }
  }

  /// Returns the records to write next, about 1 MiB at most; closes the open run.
  ///
  /// The caller reports the result to `didSave` or `didNotSave`. Until then, this function returns nil.
  /// - Parameters:
  ///   - limit: the approximate number of bytes.
  ///   - date: the present time, which is written after the entries; nil to write no time.
  /// - Returns: nil if there are no unsaved records, or a batch is in flight.
  package mutating func takeUnsaved(
    upTo limit: Int = SessionRecord.runBytes, at date: Date? = nil
  ) -> Unsaved? {
    guard save.inFlight == nil, hasUnsaved else { return nil }
    // Records and the entries that announce the same changes are written in one batch.
    announcePresence()
    log.closeRun()
    var records: [SessionRecord] = []
    var batch = SaveState.Batch()
    if save.isSessionDirty {
      records.append(headerRecord.encoded)
      batch.includesSession = true
      save.isSessionDirty = false
    }
    if let due = numbersDue {
      records.append(NumbersRecord(through: due).encoded)
      batch.numbers = due
    }
    var room = limit - records.reduce(0) { $0 + $1.body.count }
    let isWhole = takePeople(&records, &batch, &room) && takeUploads(&records, &batch, &room)
    batch.sequence = committed
    batch.logBytes = log.savedBytes
    // An entry must not be on disk without the record of its sender. The entry of an attachment must not be on disk without the
    // attachment's `upload` record. So entries are added only if the batch contains all changed records.
    if isWhole { takeEntries(&records, &batch, room: room, at: date) }
    save.inFlight = batch
    return Unsaved(
      records: records, byteCount: records.reduce(0) { $0 + $1.body.count }, sequence: batch.sequence)
  }

  /// Records that a batch is on disk: all entries up to its sequence are committed.
  package mutating func didSave(_ unsaved: Unsaved, now: MonotonicTime) {
    guard let batch = save.inFlight else { return }
    save.inFlight = nil
    log.savedBytes = batch.logBytes
    if let numbers = batch.numbers { save.numbersOnDisk = max(save.numbersOnDisk, numbers) }
    for number in batch.people.keys where save.people[number] == nil { save.forgotten[number] = nil }
    for (number, clientSequence) in batch.acknowledged {
      participants[number]?.savedAcknowledged = clientSequence
    }
    if save.failureNotice != nil {
      save.failureNotice = nil
      appendSystem(SystemType.notice, NoticePayload.savedAgain.encoded())
    }
    commits.finishSave(batch.oldestEntry, through: batch.sequence, now: now)
  }

  /// Records that a batch was not written: its changes are unsaved again. Only the first of several consecutive failures is
  /// announced.
  ///
  /// - Parameters:
  ///   - unsaved: the result of `takeUnsaved`.
  ///   - isFull: true if the disk is full; false for any other fault.
  ///   - now: the present time.
  package mutating func didNotSave(_ unsaved: Unsaved, isFull: Bool, now: MonotonicTime) {
    guard let batch = save.inFlight else { return }
    save.inFlight = nil
    save.restore(batch)
    commits.failSave(batch.oldestEntry)
    for number in batch.senders {
      guard let participant = participants[number] else { continue }
      markAcknowledgedDirty(participant)
    }
    guard save.failureNotice == nil else { return }
    let why = isFull ? "The gateway's disk is full" : "The gateway's disk fails"
    let notice = NoticePayload(
      .storageFull, "\(why): drawings are not saved now, but as soon as possible.")
    save.failureNotice = notice
    appendSystem(SystemType.notice, notice.encoded())
  }

  // MARK: - Changes

  /// Records that a refused entry used up a participant's newest client sequence.
  mutating func markConsumed(_ participant: ParticipantState) {
    guard isByStore else { return }
    save.consumed[participant.number] = SaveState.ConsumedSequence(
      clientSequence: participant.acknowledged, sequence: log.lastSequence)
    markAcknowledgedDirty(participant)
  }

  /// Records that a participant's `acknowledged` changed.
  mutating func markAcknowledgedDirty(_ participant: ParticipantState) {
    guard isByStore, !participant.hasUnsaved else { return }
    participant.hasUnsaved = true
    save.senders.append(participant.number)
  }

  /// True if a new participant number can be assigned: the `numbers` record on disk covers the next number. A number that the
  /// record does not cover could be assigned again after a crash.
  var hasNumber: Bool {
    !isByStore || participants.nextNumber <= save.numbersOnDisk
  }

  /// True while the log must not grow, because too many bytes of this session or of all sessions are unsaved.
  var hasTooManyUnsaved: Bool {
    isByStore && (growth.refusesUnsaved || log.unsavedBytes >= limits.unsavedSessionBytes)
  }

  /// The refusal of entries that make the log grow; nil while the log may grow.
  var growthRefusal: Refusal? {
    guard hasTooManyUnsaved else { return nil }
    let bytes = unsavedBytes
    return .noRoom(
      .storageFull,
      "Drawings cannot be saved now: \(bytes) bytes wait for the gateway's disk. Try again in a moment.",
      limit: limits.unsavedSessionBytes, actual: bytes)
  }

  /// The `session` record of this session.
  var headerRecord: SessionHeaderRecord {
    var record = SessionHeaderRecord(
      id: id, epoch: epoch, history: history.serving(tailsAfter: log.droppedThrough), folder: folder,
      createdAt: createdAt, activity: activity, activityBy: activityState.by, creator: creator)
    record.isDamaged = save.lossNotice != nil
    return record
  }

  /// The end of the next block of participant numbers; nil if the present block has enough unused numbers.
  private var numbersDue: ParticipantNumber? {
    let given = participants.nextNumber - 1
    guard isByStore, save.numbersOnDisk < NumbersRecord.highest,
      save.numbersOnDisk < given + SaveState.numberReserve
    else { return nil }
    return nextBlock
  }

  /// The end of a block of participant numbers that begins with the next unused number.
  var nextBlock: ParticipantNumber {
    min(NumbersRecord.highest, participants.nextNumber - 1 + SaveState.numberBlock)
  }

  // MARK: - Batches

  /// - Returns: true if all changed participants are in the batch.
  private mutating func takePeople(
    _ records: inout [SessionRecord], _ batch: inout SaveState.Batch, _ room: inout Int
  ) -> Bool {
    guard !save.people.isEmpty else { return true }
    // Participants are written in the order of their changes. So participants that left earlier come earlier in the file, and a
    // load that reads too many past participants forgets the first ones.
    for (number, change) in save.people.sorted(by: { $0.value < $1.value }) {
      guard room > 0 else { return false }
      save.people[number] = nil
      guard let record = participants[number]?.record ?? save.forgotten[number] else { continue }
      batch.people[number] = change
      records.append(record.encoded)
      room -= records[records.count - 1].body.count
    }
    return true
  }

  /// - Returns: true if all changed attachments are in the batch.
  private mutating func takeUploads(
    _ records: inout [SessionRecord], _ batch: inout SaveState.Batch, _ room: inout Int
  ) -> Bool {
    guard !save.uploads.isEmpty else { return true }
    for (id, change) in save.uploads.sorted(by: { $0.value < $1.value }) {
      guard room > 0 else { return false }
      save.uploads[id] = nil
      guard let record = journal.uploadRecord(id) else { continue }
      batch.uploads[id] = change
      records.append(record.encoded)
      room -= records[records.count - 1].body.count
    }
    return true
  }

  private mutating func takeEntries(
    _ records: inout [SessionRecord], _ batch: inout SaveState.Batch, room: Int, at date: Date?
  ) {
    if let run = log.run(after: committed, upTo: max(room, 1)) {
      batch.sequence = run.lastSequence
      batch.oldestEntry = commits.beginSave(isComplete: run.lastSequence == log.lastSequence)
      batch.logBytes += run.logBytes
      records.append(SessionRecord(kind: .run, body: run.body))
      log.addRecordBytes(run.body.count, at: run.lastSequence)
      // The record of the time follows its run. A compaction copies all records from a certain run on, so it copies that run's
      // time, too.
      if let date {
        let time = TimeRecord(date).encoded
        records.append(time)
        log.addRecordBytes(time.body.count, at: run.lastSequence)
      }
      if run.lastSequence < log.lastSequence { batch.acknowledged = Self.clientSequences(in: run.body) }
    }
    if batch.sequence == log.lastSequence {
      batch.senders = save.senders
      save.senders = []
      batch.acknowledged.reserveCapacity(batch.senders.count)
      for number in batch.senders {
        guard let participant = participants[number] else { continue }
        participant.hasUnsaved = false
        batch.acknowledged[number] = participant.acknowledged
      }
    }
    // The record of a refused client sequence must not be on disk before the entries that preceded the refusal.
    guard !save.consumed.isEmpty else { return }
    let used = save.consumed.filter { $0.value.sequence <= batch.sequence }
    guard !used.isEmpty else { return }
    for (number, item) in used {
      save.consumed[number] = nil
      batch.acknowledged[number] = max(batch.acknowledged[number] ?? 0, item.clientSequence)
    }
    // When the `used` records in the file have reached `consumedLimit`, no further ones are written. Nothing is lost: when the
    // client of a refused entry returns, the `next` in its `join` raises `acknowledged` again (rule S16).
    guard save.consumedBytes < SaveState.consumedLimit else { return }
    save.consumedBytes += 8 * used.count
    batch.consumed = used
    let pairs = used.sorted { $0.key < $1.key }.map {
      ConsumedSequencesRecord.Pair(number: $0.key, clientSequence: $0.value.clientSequence)
    }
    records.append(ConsumedSequencesRecord(pairs).encoded)
  }

  /// Returns the highest client sequence of each sender in a new run.
  private static func clientSequences(in body: [UInt8]) -> [ParticipantNumber: UInt32] {
    var highest: [ParticipantNumber: UInt32] = [:]
    var frames = RunFrames()
    do throws(RecordError) {
      while let frame = try frames.next(in: body.span) {
        var at = frame.entries.lowerBound
        while at < frame.entries.upperBound {
          let entry = try GatewayEntry.parse(body.span, at: at, before: frame.entries.upperBound, of: .run)
          if entry.sender != 0 { highest[entry.sender] = entry.clientSequence }
          at = entry.end
        }
      }
    } catch {
      preconditionFailure("a run that this session has encoded cannot be parsed: \(error)")
    }
    return highest
  }
}

extension NoticePayload {
  /// The notice that the gateway can save entries again. It follows a `storageFull` notice.
  static var savedAgain: NoticePayload { NoticePayload(.saved, "Drawings are saved again.") }
}
