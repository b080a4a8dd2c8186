internal import FoundationEssentials
internal import Primitives
internal import SessionCore
internal import Storage
internal import Wire

/// The removal of attachments and their files.
extension UploadService {
  /// Removes an attachment from a session. Also removes the attachment's file, unless another attachment has the same content.
  ///
  /// - Returns: true if the record of the removal is on the disk. Only in this case, the file of a ready attachment is removed.
  @discardableResult
  func remove(_ attachment: UUID, from hosted: SessionHost) async -> Bool {
    let pending = pendingAttachments.remove(attachment, from: hosted)
    pending?.end()
    let removed = hosted.session.removeAttachment(attachment, now: now)
    persister.reportBytes(of: hosted)
    changed(hosted)
    // The upload is ended before the first suspension point, because another attachment with the same id may be added during the
    // suspension.
    if let upload = pending?.upload { supersede(upload, telling: .noAttachment) }
    if let pending, !pending.isWhole { await discard(pending) }
    hosted.tasksInHand += 1
    defer { done(with: hosted) }
    let isSaved = await persister.waitUntilStored(hosted)
    if let digest = removed?.orphanedDigest { await removeOrphan(digest, of: hosted, isSaved: isSaved) }
    return isSaved
  }

  /// Removes the file of a content that no attachment uses any more. If `isSaved` is false, a record on the disk may still refer
  /// to the content. The file then stays until the session is loaded again.
  private func removeOrphan(_ digest: String, of hosted: SessionHost, isSaved: Bool) async {
    // An upload of the same content may have been completed while this removal waited.
    guard isSaved, !hosted.isRemoved, !hosted.session.holdsContent(digest) else { return }
    do throws(StorageError) {
      try await environment.files.removeContent(digest, of: hosted.id)
    } catch {
      logUnremoved(hosted.id, error)
    }
  }

  /// Removes the incomplete uploads of a session that were not continued in time.
  func removeExpired(of hosted: SessionHost) {
    let expired = hosted.session.expiredUploads(now: now)
    guard !expired.isEmpty else { return }
    func remove() async {
      for attachment in expired {
        // A request may have continued this upload while the loop removed other uploads.
        guard let found = hosted.session.attachment(attachment), found.object.state == .uploading,
          now.seconds(since: found.progressAt) >= Double(limits.uploadKeepSeconds)
        else { continue }
        environment.log(.info, "upload expired", ["session": .session(hosted.id)])
        await self.remove(attachment, from: hosted)
      }
    }
    tasks.start(remove)
  }

  // MARK: - The end of a session

  /// Returns true while a request or the gateway works on an upload of a session.
  func isBusy(in hosted: SessionHost) -> Bool { pendingAttachments.isBusy(in: hosted) }

  /// Ends the uploads of a session that is removed.
  ///
  /// - Parameters:
  ///   - hosted: the session.
  ///   - keepsFiles: true if the files stay on the disk. If false, `discardEnded` discards the files of the incomplete uploads
  ///     later.
  func endUploads(of hosted: SessionHost, keepsFiles: Bool) {
    for pending in pendingAttachments.removeAll(of: hosted, keepsFiles: keepsFiles) {
      pending.end()
      if let upload = pending.upload { supersede(upload, telling: .ended) }
    }
  }

  /// Discards the files of the incomplete uploads of an ended session.
  func discardEnded(of id: SessionID) async {
    for pending in pendingAttachments.takeEnded(of: id) { await discard(pending) }
  }

  /// Removes all files of a session.
  func removeFiles(of id: SessionID) {
    func remove() async {
      do throws(StorageError) {
        try await environment.files.removeAll(of: id)
      } catch {
        logUnremoved(id, error)
      }
    }
    tasks.start(remove)
  }

  /// Removes the file of an incomplete attachment.
  func discard(_ pending: PendingAttachment) async {
    do throws(StorageError) {
      try await pending.file.discard()
    } catch {
      environment.log(.error, "upload not removed", ["reason": "\(error)"])
    }
  }

  func logUnremoved(_ id: SessionID, _ error: StorageError) {
    environment.log(.error, "files not removed", ["session": .session(id), "reason": "\(error)"])
  }
}
