package import FoundationEssentials
internal import Wire
internal import Primitives

/// A session that was loaded, and what its shell has to know of it.
package struct RestoredSession {
  /// The session; of the one who loaded it alone.
  package let session: Session
  /// It was put away whole in this life of the data folder: its epoch, tail and numbers go on.
  package let isClean: Bool
  /// The end of the session; `nil` when it has not ended.
  package let end: EndRecord?
  /// The last sequence before the first lost record; `nil` when nothing is lost.
  package let wholeThrough: UInt64?
  /// The attachments that are not ready, in the order in which they were added.
  package let uploads: [RestoredUpload]
  /// The digests of all contents that some attachment has.
  package let contents: Set<String>

  /// Returns the records to write after a loss: the records that open the session, and its end if it has ended.
  package func recordsAfterLoss() -> [SessionRecord] {
    session.openingRecords() + (end.map { [$0.encoded] } ?? [])
  }
}

/// An attachment that was not ready when its session was put away or its gateway broke.
package struct RestoredUpload: Equatable, Sendable {
  /// The attachment.
  package let id: UUID
  /// The name of the file in which its bytes arrived.
  package let file: UUID
  /// Whether it may go on; else it is to be removed, unless all bytes have come.
  package let isResumable: Bool
  /// How many bytes there will be, if that was said.
  package let size: UInt64?
  /// The SHA-256 of all bytes, if they have come: the attachment is to be finished.
  package let digest: String?
}

extension SessionRestorer {
  /// How long after its making the record that puts a session away may reach the file.
  private static let closingSeconds = 2.0
  /// The least bytes that a participant's record takes in a file.
  private static let participantBytes = 100

  /// Makes the session, when all records were taken.
  ///
  /// - Parameters:
  ///   - generation: the present life of the data folder.
  ///   - freshEpoch: the session's epoch, unless it was put away whole in this life.
  ///   - folder: the identity of the data folder. A copy of the folder serves no tails of earlier epochs.
  ///   - isWhole: false when the file ends within a record, which may have contained more than any other record.
  ///   - lostTail: the number of lost bytes behind the last record.
  ///   - changed: when its file changed last. Long after it was put away it is another one, of an older time.
  /// - Returns: the session, whose people have the grace time to come back.
  /// - Throws: `RecordError`, when there was no `session` record, or an attachment is none.
  package consuming func finish(
    generation: String, freshEpoch: String, folder: String? = nil, isWhole: Bool = true, lostTail: Int = 0,
    changed: Date? = nil
  ) throws(RecordError) -> sending RestoredSession {
    if lostTail > 0 { skip(lostTail) }
    let isWhole = isWhole && lostBytes == 0
    guard let facts = facts ?? (lostBytes > 0 ? lostFacts : nil) else {
      throw RecordError(.session, .missing)
    }
    let isClean =
      closing.map { closing in
        isWhole && closing.generation == generation && closing.sequence == log.lastSequence
          && changed.map { $0 < closing.at + Self.closingSeconds } ?? true
      } ?? false
    let session = Session(
      id: id, epoch: isClean ? facts.epoch : freshEpoch, activity: facts.activity,
      createdAt: facts.createdAt, limits: limits, now: now, creator: facts.creator, saving: .byStore,
      digest: digest)
    session.activitySetBy = facts.activityBy
    // The lost bytes may have given out another block of numbers, and a number with each participant's record in them.
    let blocks = isWhole ? 0 : 1 + lostBytes / (Self.participantBytes * Int(SaveState.numberBlock))
    session.nextNumber =
      NumbersRecord.highest - min(numbers, NumbersRecord.highest) > UInt64(blocks)
        * UInt64(SaveState.numberBlock)
      ? numbers + ParticipantNumber(blocks) * SaveState.numberBlock + 1 : NumbersRecord.highest + 1
    if isClean, let closing {
      session.nextNumber = max(closing.nextNumber, (people.keys.max() ?? 0) + 1)
    }
    // Not even what is left of a block is given out before the opening records say that the session goes on.
    session.save.numbersOnDisk = session.nextNumber - 1
    session.save.isSessionDirty = !isClean
    session.save.consumedBytes = usedBytes
    try restoreJournal(of: session)
    restorePeople(of: session)
    session.log = log
    session.index = index
    session.snapshotSegments = snapshotSegments
    session.snapshotEnd = snapshotEnd
    session.committed = log.lastSequence
    session.save.savedLogBytes = log.appendedBytes
    session.restoreFillLevels()
    session.folder = folder
    if facts.folder == folder { session.history = history(isClean: isClean, of: facts) }
    if !isClean { announced.restate(in: session) }
    if lostBytes > 0 || facts.isDamaged {
      session.save.lossNotice = .lost
      // In an epoch that continues, the log has the notice already.
      if !isClean { session.appendSystem(SystemType.notice, NoticePayload.lost.encoded()) }
    }
    let uploads = session.journal.inOrder.compactMap { record -> RestoredUpload? in
      guard record.object.state == .uploading else { return nil }
      var digest: String?
      if case .stored(let told) = record.state { digest = told }
      return RestoredUpload(
        id: record.object.id, file: record.file, isResumable: record.isResumable, size: record.object.size,
        digest: digest)
    }
    // SAFETY: the restorer cannot be copied, and is consumed here: nobody else has anything of what it made.
    nonisolated(unsafe) let restored = RestoredSession(
      session: session, isClean: isClean, end: ended, wholeThrough: wholeThrough, uploads: uploads,
      contents: session.journal.digests)
    return unsafe restored
  }

  /// Returns the epochs of which tails are served. They include the epoch that broke off, because its order on disk was read.
  private func history(isClean: Bool, of facts: SessionHeaderRecord) -> EpochHistory {
    guard var history = facts.history, !isRestored else { return EpochHistory() }
    if isClean {
      history.cap(at: log.lastSequence)
    } else {
      history.end(facts.epoch, at: log.lastSequence)
    }
    if let wholeThrough { history.cap(at: wholeThrough) }
    return history
  }

  /// The facts of a session whose `session` records are all lost. Its entries remain.
  private var lostFacts: SessionHeaderRecord {
    SessionHeaderRecord(id: id, epoch: "", createdAt: date, activity: .standard, activityBy: 0)
  }

  private func restorePeople(of session: Session) {
    for record in people.values {
      record.savedAcknowledged = record.acknowledged
      session.participants[record.number] = record
      if let digest = record.digest { session.numberByDigest[digest] = record.number }
      guard case .away(let until) = record.presence else { continue }
      session.activeCount += 1
      session.colorsInUse[record.color, default: 0] += 1
      session.graces.append((until, record.number))
    }
    session.graces.sort { ($0.until, $0.number) < ($1.until, $1.number) }
    session.past = gone.sorted { $0.value < $1.value }.map(\.key)
    session.forgetOldest()
    session.emptySince = session.activeCount > 0 ? nil : now
    if session.activeCount == 0, let since = closing?.emptySince {
      session.emptySince = now.adding(seconds: -Int(max(0, min(date.timeIntervalSince(since), 1e9))))
      session.recordedEmptySince = since
    }
  }

  private func restoreJournal(of session: Session) throws(RecordError) {
    for (key, told) in attachments.sorted(by: { $0.value.sequence < $1.value.sequence }) {
      let object = try AttachmentObject(stored: told.payload.span, key: key)
      session.journal.restore(object, facts(object.id), at: told.sequence, now: now)
      let used = session.journal.usedBytes
      guard used <= UploadRecord.largestSum else { throw RecordError(.upload, .numberTooLarge(used)) }
      if let number = object.participant { people[number]?.hasRetained = true }
    }
  }
}
