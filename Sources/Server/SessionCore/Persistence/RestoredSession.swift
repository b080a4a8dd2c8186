package import FoundationEssentials
internal import Primitives
internal import Wire

/// A session that was loaded, and the facts about it that its shell needs.
package final class RestoredSession {
  private var loaded: Session?
  /// True if the session was closed completely in this generation of the data folder. Its epoch, tail and numbers then continue.
  package let isClean: Bool
  /// The end of the session; nil if the session has not ended.
  package let end: EndRecord?
  /// The last sequence before the first lost record; nil when nothing is lost.
  package let wholeThrough: UInt64?
  /// The attachments that are not ready, in the order in which they were added.
  package let uploads: [RestoredUpload]
  /// The digests of the contents of all attachments.
  package let contents: Set<String>

  fileprivate init(
    _ session: consuming Session, isClean: Bool, end: EndRecord?, wholeThrough: UInt64?,
    uploads: [RestoredUpload], contents: Set<String>
  ) {
    loaded = consume session
    self.isClean = isClean
    self.end = end
    self.wholeThrough = wholeThrough
    self.uploads = uploads
    self.contents = contents
  }

  /// Removes and returns the session, for its owner. Called at most once.
  package func takeSession() -> Session {
    guard let session = loaded.take() else { preconditionFailure("a restored session was taken twice") }
    return session
  }

  /// Takes the session out of this object, and returns the records to write if the log has lost records: the opening records, and
  /// the end of the session if it has ended.
  package func recordsAfterLoss() -> [SessionRecord] {
    var session = takeSession()
    return session.openingRecords() + (end.map { [$0.encoded] } ?? [])
  }
}

/// An attachment that was not ready when its session was closed or the gateway crashed.
package struct RestoredUpload: Equatable, Sendable {
  /// The id of the attachment.
  package let id: UUID
  /// The name of the file to which the attachment's bytes were written.
  package let file: UUID
  /// True if the upload may continue. Otherwise the upload is removed, unless all its bytes were received.
  package let isResumable: Bool
  /// The number of bytes, if the client announced it.
  package let size: UInt64?
  /// The SHA-256 of all bytes, if all were received; the attachment then only has to be finished.
  package let digest: String?

  /// The next step of the shell for an interrupted upload.
  package enum Action: Equatable, Sendable {
    /// The content is in its final place: call `finishAttachment`.
    case finish
    /// The file has all bytes. Check the file and move it to its final place. Call `storeContent` if there was no digest. At the
    /// end, call `finishAttachment`.
    case place
    /// The upload waits for more bytes: call `uploadFound` with this number of bytes.
    case resume(at: UInt64)
    /// The upload cannot continue, or its file is missing: call `removeAttachment`.
    case remove
  }

  /// Decides the next step of the shell for this upload.
  ///
  /// - Parameters:
  ///   - received: the length of the upload's file; nil if the file is missing.
  ///   - isPlaced: true if the content with the upload's digest is in its final place.
  /// - Returns: the next step of the shell.
  package func action(received: UInt64?, isPlaced: Bool) -> Action {
    if digest != nil, isPlaced { return .finish }
    let isComplete = received != nil && size == received
    if digest != nil || isResumable && isComplete { return received == nil ? .remove : .place }
    return isResumable ? .resume(at: received ?? 0) : .remove
  }
}

extension SessionRestorer {
  /// The maximum number of seconds between the creation of the `closed` record and the last change of the file.
  private static let closingSeconds = 2.0
  /// The minimum size of a participant's record in a file.
  private static let participantBytes = 100

  /// Builds the session from the records that were read.
  ///
  /// - Parameters:
  ///   - generation: the present generation of the data folder.
  ///   - freshEpoch: the epoch of the session; not used if the session was closed completely in this generation.
  ///   - folder: the identity of the data folder. A copy of the folder has another identity. So clients of earlier epochs get
  ///     snapshots there, not tails.
  ///   - isWhole: false when the file ends within a record; the missing part may have contained any change.
  ///   - lostTail: the number of lost bytes after the last record.
  ///   - changed: the time of the last change of the file. If the file changed more than two seconds after the session was
  ///     closed, the file comes from a backup.
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
    var session = Session(
      id: id, epoch: isClean ? header.epoch : freshEpoch, activity: header.activity,
      createdAt: header.createdAt, limits: limits, now: now, creator: header.creator, saving: .byStore,
      digest: digest)
    session.activityState = header.activityPayload
    session.participants.nextNumber = nextNumber(isClean: isClean, isWhole: isWhole)
    // This value allows no new participant number. New numbers are assigned only after the opening records, which reserve a block
    // of numbers, are on disk.
    session.save.numbersOnDisk = session.participants.nextNumber - 1
    session.save.isSessionDirty = !isClean
    session.save.consumedBytes = consumedBytes
    try restoreJournal(of: &session)
    restoreParticipants(of: &session)
    session.log = log
    // The first joiner needs a snapshot of the whole log. The entries are copied here, because a load runs on a separate thread,
    // where the copy delays no reactor.
    if ended == nil { retained.update(from: log) }
    session.retained = retained
    session.commits.restore(committed: log.lastSequence)
    session.log.savedBytes = log.appendedBytes
    session.restoreFillLevels()
    session.folder = folder
    if header.folder == folder { session.history = history(isClean: isClean, of: header) }
    if !isClean { announced.restate(in: &session) }
    if lostBytes > 0 || header.isDamaged {
      session.save.lossNotice = .lost
      // If the epoch continues (`isClean`), the log already contains the notice of the lost records.
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
    let contents = session.journal.digests
    // SAFETY: the restorer is not copyable and this call consumes it, so no other reference to its parts exists.
    nonisolated(unsafe) let restored = RestoredSession(
      session, isClean: isClean, end: ended, wholeThrough: wholeThrough, uploads: uploads, contents: contents)
    return unsafe restored
  }

  /// Returns the number of the next new participant.
  private func nextNumber(isClean: Bool, isWhole: Bool) -> ParticipantNumber {
    if isClean, let closing { return max(closing.nextNumber, (participants.keys.max() ?? 0) + 1) }
    // The lost records may have reserved more blocks of numbers, and participants may have got numbers of these blocks.
    let blocks = isWhole ? 0 : 1 + lostBytes / (Self.participantBytes * Int(SaveState.numberBlock))
    let left = NumbersRecord.highest - min(numbers, NumbersRecord.highest)
    guard left > UInt64(blocks) * UInt64(SaveState.numberBlock) else { return NumbersRecord.highest + 1 }
    return numbers + ParticipantNumber(blocks) * SaveState.numberBlock + 1
  }

  /// Returns the earlier epochs whose clients can continue with a tail. After a crash, these include the epoch that the crash
  /// interrupted, because the entries of this epoch were read from disk.
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

  /// A substitute header for a session whose `session` records are all lost, so that its entries can still be read.
  private var lostHeader: SessionHeaderRecord {
    SessionHeaderRecord(id: id, epoch: "", createdAt: date, activity: .standard, activityBy: 0)
  }

  private func restoreParticipants(of session: inout Session) {
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

  private func restoreJournal(of session: inout Session) throws(RecordError) {
    for (key, entry) in attachments.sorted(by: { $0.value.sequence < $1.value.sequence }) {
      let object = try AttachmentObject(stored: entry.payload.span, key: key)
      session.journal.restore(object, uploadRecord(object.id), at: entry.sequence, now: now)
      let used = session.journal.usedBytes
      guard used <= UploadRecord.largestSum else { throw RecordError(.upload, .numberTooLarge(used)) }
      if let number = object.participant { participants[number]?.hasRetained = true }
    }
  }
}
