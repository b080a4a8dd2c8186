package import FoundationEssentials
package import Wire
package import Primitives

/// How a session is put away, ended, and opened again.
extension Session {
  /// The record with which the session is put away: the last of its file.
  ///
  /// The session continues from this record in the same epoch only if `isAtRest`. So remove all participants and save unsaved
  /// changes first.
  /// - Parameters:
  ///   - generation: the present life of the data folder.
  ///   - now: the present time by the monotonic clock.
  ///   - date: the same by the wall clock.
  /// - Returns: a `closed` record.
  package func closedRecord(generation: String, now: MonotonicTime, date: Date) -> SessionRecord {
    var record = ClosedRecord(
      generation: isAtRest ? generation : nil, at: date, nextNumber: participants.nextNumber,
      title: activity.title,
      createdAt: createdAt, emptySince: emptySinceDate(now: now, date: date), sequence: log.lastSequence,
      people: participants.count - participants.waiting.count, retainedBytes: retainedBytes,
      attachments: journal.records.count, attachmentBytes: journal.usedBytes)
    record.isDamaged = save.lossNotice != nil && !save.hasSentLossNotice
    return record.encoded
  }

  /// The record with which the session ends for everyone.
  ///
  /// - Parameters:
  ///   - number: who ends it; nil when nobody came back to it.
  ///   - date: the present time.
  /// - Returns: an `end` record.
  package func endRecord(by number: ParticipantNumber?, date: Date) -> SessionRecord {
    EndRecord(at: date, by: number).encoded
  }

  /// The records that follow a load: the session with the epoch in force, and a new block of numbers. They are to be on disk
  /// before a new number is given out.
  package func openingRecords() -> [SessionRecord] {
    let numbers = nextBlock
    save.opening = (numbers, includesSession: true)
    return [headerRecord.encoded, NumbersRecord(through: numbers).encoded]
  }

  /// The records of `openingRecords` are on disk.
  package func didSaveOpening() {
    guard let opening = save.opening else { return }
    save.opening = nil
    save.numbersOnDisk = max(save.numbersOnDisk, opening.numbers)
    if opening.includesSession { save.isSessionDirty = false }
  }

  /// Handles a failure to write `openingRecords`: the records are due with the next batch, and no number is given out before.
  package func didNotSaveOpening() {
    guard let opening = save.opening else { return }
    save.opening = nil
    if opening.includesSession { save.isSessionDirty = true }
  }

  /// Returns the wall time since which the session has had no active participants; nil while it has some.
  package func emptySinceDate(now: MonotonicTime, date: Date) -> Date? {
    emptyPeriod.date(now: now, date: date)
  }
}
