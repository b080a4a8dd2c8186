package import FoundationEssentials
internal import Primitives
internal import Wire

/// A session that was loaded, and the facts about it that its shell needs.
package struct RestoredSession {
  /// The session. No other code has a reference to it.
  package let session: Session
  /// True if the session was closed completely in this generation of the data folder: epoch, tail and numbers continue.
  package let isClean: Bool
  /// The end of the session; nil when it has not ended.
  package let end: EndRecord?
  /// The last sequence before the first lost record; nil when nothing is lost.
  package let wholeThrough: UInt64?
  /// The attachments that are not ready, in the order in which they were added.
  package let uploads: [RestoredUpload]
  /// The digests of the contents of all attachments.
  package let contents: Set<String>

  /// Returns the records to write after a loss: the opening records, and the end of the session if it has ended.
  package func recordsAfterLoss() -> [SessionRecord] {
    session.openingRecords() + (end.map { [$0.encoded] } ?? [])
  }
}

/// An attachment that was not ready when its session was closed or the gateway crashed.
package struct RestoredUpload: Equatable, Sendable {
  /// The attachment.
  package let id: UUID
  /// The name of the file that its bytes were written to.
  package let file: UUID
  /// True if the upload may continue. Otherwise it is removed, unless it is complete.
  package let isResumable: Bool
  /// The number of bytes, if the client announced it.
  package let size: UInt64?
  /// The SHA-256 of all bytes, if the upload is complete: the attachment is to be finished.
  package let digest: String?

  /// The way in which the shell continues an upload.
  package enum Action: Equatable, Sendable {
    /// The content is in its place: `finishAttachment`.
    case finish
    /// The file has all bytes. It is checked and moved to its place; then `storeContent`, if there was no digest, and
    /// `finishAttachment`.
    case place
    /// The upload waits for more bytes: `uploadFound` with this number of bytes.
    case resume(at: UInt64)
    /// The upload cannot continue, or its file is missing: `removeAttachment`.
    case remove
  }

  /// Decides how the upload continues.
  ///
  /// - Parameters:
  ///   - received: the length of its file; nil if the file is missing.
  ///   - isPlaced: true if the content with its digest is in its place.
  /// - Returns: the action for the shell.
  package func action(received: UInt64?, isPlaced: Bool) -> Action {
    if digest != nil, isPlaced { return .finish }
    let isComplete = received != nil && size == received
    if digest != nil || isResumable && isComplete { return received == nil ? .remove : .place }
    return isResumable ? .resume(at: received ?? 0) : .remove
  }
}

extension SessionRestorer {
  /// The longest time between making the `closed` record and the last change of the file.
  private static let closingSeconds = 2.0
  /// The least bytes of a participant's record in a file.
  private static let participantBytes = 100

  /// Makes the session after the last record.
  ///
  /// - Parameters:
  ///   - generation: the present generation of the data folder.
  ///   - freshEpoch: the epoch of the session, unless it was closed completely in this generation.
  ///   - folder: the identity of the data folder. A copy of the folder serves no tails of earlier epochs.
  ///   - isWhole: false when the file ends within a record, which may have contained more than any other record.
  ///   - lostTail: the number of lost bytes behind the last record.
  ///   - changed: the time of the last change of the file. If that is long after the session was closed, the file is another
  ///     one, from a backup.
  /// - Returns: the session; its active participants are within the grace time.
  /// - Throws: `RecordError` when there is no `session` record, or the payload of an attachment is wrong.
  package consuming func finish(
    generation: String, freshEpoch: String, folder: String? = nil, isWhole: Bool = true, lostTail: Int = 0,
    changed: Date? = nil
  ) throws(RecordError) -> sending RestoredSession {
    if lostTail > 0 { skip(lostTail) }
    let isWhole = isWhole && lostBytes == 0
    guard let header = header ?? (lostBytes > 0 ? lostHeader : nil) else {
      throw RecordError(.session, .missing)
    }
    let isClean =
      closing.map { closing in
        isWhole && closing.generation == generation && closing.sequence == log.lastSequence
          && changed.map { $0 < closing.at + Self.closingSeconds } ?? true
      } ?? false
    let session = Session(
      id: id, epoch: isClean ? header.epoch : freshEpoch, activity: header.activity,
      createdAt: header.createdAt, limits: limits, now: now, creator: header.creator, saving: .byStore,
      digest: digest)
    session.activityState = header.activityPayload
    session.participants.nextNumber = nextNumber(isClean: isClean, isWhole: isWhole)
    // The rest of a block is not given out before the opening records are on disk.
    session.save.numbersOnDisk = session.participants.nextNumber - 1
    session.save.isSessionDirty = !isClean
    session.save.consumedBytes = consumedBytes
    try restoreJournal(of: session)
    restoreParticipants(of: session)
    session.log = log
    session.retained = retained
    session.commits.restore(committed: log.lastSequence)
    session.log.savedBytes = log.appendedBytes
    session.restoreFillLevels()
    session.folder = folder
    if header.folder == folder { session.history = history(isClean: isClean, of: header) }
    if !isClean { announced.restate(in: session) }
    if lostBytes > 0 || header.isDamaged {
      session.save.lossNotice = .lost
      // In an epoch that continues, the log has the notice already.
      if !isClean { session.appendSystem(SystemType.notice, NoticePayload.lost.encoded()) }
    }
    let uploads = session.journal.inOrder.compactMap { attachment -> RestoredUpload? in
      guard attachment.object.state == .uploading else { return nil }
      var stored: String?
      if case .stored(let digest) = attachment.state { stored = digest }
      return RestoredUpload(
        id: attachment.object.id, file: attachment.file, isResumable: attachment.isResumable,
        size: attachment.object.size, digest: stored)
    }
    // SAFETY: the restorer cannot be copied and is consumed here, so there is no other reference to anything in the session.
    nonisolated(unsafe) let restored = RestoredSession(
      session: session, isClean: isClean, end: ended, wholeThrough: wholeThrough, uploads: uploads,
      contents: session.journal.digests)
    return unsafe restored
  }

  /// Returns the number of the next new participant.
  private func nextNumber(isClean: Bool, isWhole: Bool) -> ParticipantNumber {
    if isClean, let closing { return max(closing.nextNumber, (participants.keys.max() ?? 0) + 1) }
    // The lost bytes may have given out another block of numbers, and a number with each participant's record in them.
    let blocks = isWhole ? 0 : 1 + lostBytes / (Self.participantBytes * Int(SaveState.numberBlock))
    let left = NumbersRecord.highest - min(numbers, NumbersRecord.highest)
    guard left > UInt64(blocks) * UInt64(SaveState.numberBlock) else { return NumbersRecord.highest + 1 }
    return numbers + ParticipantNumber(blocks) * SaveState.numberBlock + 1
  }

  /// Returns the epochs whose tails are served. They include the epoch that broke off, because its order on disk was read.
  private func history(isClean: Bool, of header: SessionHeaderRecord) -> EpochHistory {
    guard var history = header.history, !isRestored else { return EpochHistory() }
    if isClean {
      history.cap(at: log.lastSequence)
    } else {
      history.end(header.epoch, at: log.lastSequence)
    }
    if let wholeThrough { history.cap(at: wholeThrough) }
    return history
  }

  /// The header of a session whose `session` records are all lost. Its entries remain.
  private var lostHeader: SessionHeaderRecord {
    SessionHeaderRecord(id: id, epoch: "", createdAt: date, activity: .standard, activityBy: 0)
  }

  private func restoreParticipants(of session: Session) {
    for participant in participants.values { participant.savedAcknowledged = participant.acknowledged }
    session.participants.restore(
      participants.values, past: departed.sorted { $0.value < $1.value }.map(\.key))
    session.forgetOldest()
    if session.participants.activeCount > 0 {
      session.emptyPeriod.end()
    } else if let since = closing?.emptySince {
      session.emptyPeriod.restore(since, now: now, date: date)
    }
  }

  private func restoreJournal(of session: Session) throws(RecordError) {
    for (key, entry) in attachments.sorted(by: { $0.value.sequence < $1.value.sequence }) {
      let object = try AttachmentObject(stored: entry.payload.span, key: key)
      session.journal.restore(object, uploadRecord(object.id), at: entry.sequence, now: now)
      let used = session.journal.usedBytes
      guard used <= UploadRecord.largestSum else { throw RecordError(.upload, .numberTooLarge(used)) }
      if let number = object.participant { participants[number]?.hasRetained = true }
    }
  }
}
