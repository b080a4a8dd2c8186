package import FoundationEssentials
package import Wire
package import Primitives

/// Closing, ending and opening a session.
extension Session {
  /// Returns the record that closes the session. It becomes the last record of the session's file.
  ///
  /// After a load, the session continues in the same epoch only if `isAtRest` was true when this record was made. So before this
  /// call, the caller removes all waiting participants and saves all changes.
  /// - Parameters:
  ///   - generation: the present generation of the data folder.
  ///   - now: the present time by the monotonic clock.
  ///   - date: the present wall time.
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

  /// Returns the record that ends the session for all participants.
  ///
  /// - Parameters:
  ///   - number: the participant that ends the session; nil if the session expires.
  ///   - date: the present wall time.
  /// - Returns: an `end` record.
  package func endRecord(by number: ParticipantNumber?, date: Date) -> SessionRecord {
    EndRecord(at: date, by: number).encoded
  }

  /// Returns the records to write after a load: the session with its present epoch, and a new block of numbers. No new number is
  /// assigned before these records are on disk.
  package mutating func openingRecords() -> [SessionRecord] {
    let numbers = nextBlock
    save.opening = (numbers, includesSession: true)
    return [headerRecord.encoded, NumbersRecord(through: numbers).encoded]
  }

  /// Confirms that the records returned by `openingRecords` are on disk.
  package mutating func didSaveOpening() {
    guard let opening = save.opening else { return }
    save.opening = nil
    save.numbersOnDisk = max(save.numbersOnDisk, opening.numbers)
    if opening.includesSession { save.isSessionDirty = false }
  }

  /// Handles a failure to write `openingRecords`: the next batch contains these records, and no new number is assigned before
  /// that batch is on disk.
  package mutating func didNotSaveOpening() {
    guard let opening = save.opening else { return }
    save.opening = nil
    if opening.includesSession { save.isSessionDirty = true }
  }

  /// Returns the wall time since which the session has had no active participants; nil while it has active participants.
  package func emptySinceDate(now: MonotonicTime, date: Date) -> Date? {
    emptyPeriod.date(now: now, date: date)
  }
}
