internal import Primitives
internal import FoundationEssentials
internal import HTTP
internal import SessionCore
internal import Storage
internal import Networking
internal import Platform
internal import Wire

/// The journals of this reactor's sessions. Other reactors call these for requests that landed with them.
extension Reactor {
  /// A content that may be read.
  struct ContentGrant: Sendable {
    let object: AttachmentObject
    let content: ContentID
    /// In bytes.
    let size: UInt64
  }

  /// `GET` of a session's attachments.
  func attachments(of id: SessionID) async -> Result<[AttachmentObject], Refusal> {
    await findToRead(id).map { hosted in
      hosted.session.attachmentObjects.map { object in
        var object = object
        if let digest = object.sha256, shared.verdicts.isDamaged(ContentID(session: id, digest: digest)) {
          object.damaged = true
        }
        return object
      }
    }
  }

  /// `GET` and `HEAD` of an attachment.
  func findContent(_ attachment: UUID, of id: SessionID) async -> Result<ContentGrant, Refusal> {
    do throws(Refusal) {
      let hosted = try await findToRead(id).get()
      guard let found = hosted.session.attachment(attachment) else { throw .noAttachment }
      guard found.object.state == .ready, let digest = found.object.sha256, let size = found.object.size
      else {
        var refusal = Refusal(.notReady, "The attachment is still being uploaded.")
        refusal.offset = found.object.offset
        throw refusal
      }
      let content = ContentID(session: id, digest: digest)
      return .success(ContentGrant(object: found.object, content: content, size: size))
    } catch {
      return .failure(error)
    }
  }

  /// Marks the content of an attachment as damaged.
  ///
  /// - Returns: the refusal; nil when another file took the place of the damaged one meanwhile.
  func noteDamaged(_ finding: ContentFinding, _ grant: ContentGrant) -> Refusal? {
    let id = grant.content.session
    // The file is removed with its last attachment.
    guard let hosted = sessions[id] ?? endedSessions[id],
      hosted.session.attachment(grant.object.id)?.object.sha256 == grant.content.digest
    else { return .noAttachment }
    switch shared.verdicts.noteDamaged(grant.content, finding) {
    case .superseded: return nil
    case .known: break
    case .noted:
      shared.log(
        .error, "attachment damaged",
        [
          "session": .session(id), "attachment": "\(grant.object.id)", "reason": "\(finding.damage)",
        ])
    }
    return .damagedAttachment
  }

  /// Logs an error, and returns the refusal for a content whose file cannot be read.
  func unreadable(_ error: StorageError) -> Refusal {
    shared.log(.error, "attachment not read", ["reason": "\(error)"])
    return error.isOutOfDescriptors
      ? .outOfDescriptors : Refusal(.internal, "The attachment could not be read.")
  }

  /// `HEAD` of an upload.
  func uploadStatus(_ attachment: UUID, of id: SessionID) async -> Answer {
    do throws(Refusal) {
      _ = try await findOpen(id).get()
      let (hosted, found) = try find(attachment, of: id)
      var offset = found.object.offset
      if let slot = hosted.uploads[attachment] { offset = try await standing(of: slot) }
      var answer = Answer(.ok, fields: ["Upload-Offset": "\(offset)", "Cache-Control": "no-store"])
      if let size = found.object.size {
        answer.head.fields.append("Upload-Length", "\(size)")
      } else {
        answer.head.fields.append("Upload-Defer-Length", "1")
      }
      if let metadata = found.uploadMetadata { answer.head.fields.append("Upload-Metadata", metadata) }
      addExpiry(of: found, to: &answer)
      return answer
    } catch {
      return .problem(error)
    }
  }

  /// `DELETE` of an attachment, or of an upload under way.
  func removeAttachment(
    _ attachment: UUID, of id: SessionID, by token: Token?, from address: IPAddress
  ) async -> Answer {
    do throws(Refusal) {
      _ = try await findOpen(id).get()
      let hosted = try find(attachment, of: id).hosted
      hosted.tasksInHand += 1
      defer { done(with: hosted) }
      guard await remove(attachment, from: hosted) else { throw persister.refusalOfUnstored(hosted.stored) }
      logger.log(
        .attachmentRemoved(
          PeerEvent.Upload(session: id, attachment: attachment, address: address),
          by: token.flatMap { hosted.session.number(of: $0) } ?? 0))
      return Answer(.noContent)
    } catch {
      return .problem(error)
    }
  }

  func standing(of slot: UploadSlot) async throws(Refusal) -> UInt64 {
    do throws(UploadWriter.Fault) {
      return try await slot.writer.offset()
    } catch {
      throw explain(error)
    }
  }

  /// What the client is told of a fault; what the disk says is for the operator.
  func explain(_ fault: UploadWriter.Fault) -> Refusal {
    switch fault {
    case .storage(let error):
      shared.log(.error, "upload not written", ["reason": "\(error)"])
    case .reserve(let free, let reserve):
      // Whoever asks again and again must not fill what is left with words about it.
      guard diskWarnedAt.map({ .now() - $0 >= .seconds(60) }) ?? true else { break }
      diskWarnedAt = .now()
      shared.log(
        .warning, "disk nearly full",
        ["free": .number(free), "reserve": .number(reserve), "limit": "diskReserveBytes"])
    case .superseded, .finished, .removed, .offset, .checksum: break
    }
    return fault.refusal
  }

  // MARK: - Removal

  /// Takes an attachment out of a session, with its file if that was the last of its content.
  ///
  /// - Returns: whether it is on the disk that it is gone; the file of one that was ready goes only then.
  @discardableResult
  func remove(_ attachment: UUID, from hosted: Hosted) async -> Bool {
    let slot = hosted.uploads.removeValue(forKey: attachment)
    slot?.end()
    let removed = hosted.session.removeAttachment(attachment, now: now)
    persister.reportBytes(of: hosted.stored)
    touchSoon(hosted)
    // Who writes is stopped before anything is waited for: the same id may come again at once.
    if let slot, !slot.isWhole { await discard(slot) }
    if let slot { await cutHolder(of: slot, telling: .noAttachment) }
    hosted.tasksInHand += 1
    defer { done(with: hosted) }
    let isSaved = await persister.waitUntilStored(hosted.stored)
    if let digest = removed?.orphanedDigest { await removeOrphan(digest, of: hosted, isSaved: isSaved) }
    return isSaved
  }

  /// Removes a content that nothing refers to. While the disk may still say that something does, it stays; when the session is
  /// opened the next time, it is looked for.
  private func removeOrphan(_ digest: String, of hosted: Hosted, isSaved: Bool) async {
    // The same content may have come again meanwhile.
    guard isSaved, !hosted.isRemoved, !hosted.session.holdsContent(digest) else { return }
    do throws(StorageError) {
      try await shared.sessionFiles.removeContent(digest, of: hosted.session.id)
    } catch {
      noteNotRemoved(hosted.session.id, error)
    }
  }

  /// Ends the request that writes to an upload.
  private func cutHolder(of slot: UploadSlot, telling refusal: Refusal) async {
    guard let holder = slot.holder else { return }
    await holder.reactor.cutUpload(
      holder.connection, of: slot.writer, turn: slot.turn, telling: refusal)
  }

  /// Uploads that nobody went on with.
  func removeExpiredUploads(of hosted: Hosted) {
    let expired = hosted.session.expiredUploads(now: now)
    guard !expired.isEmpty else { return }
    Task {
      for attachment in expired {
        // While others were removed, somebody may have taken it up again.
        guard let found = hosted.session.attachment(attachment), found.object.state == .uploading,
          now.seconds(since: found.progressAt) >= Double(shared.limits.uploadKeepSeconds)
        else { continue }
        shared.log(.info, "upload expired", ["session": .session(hosted.session.id)])
        await remove(attachment, from: hosted)
      }
    }
  }

  /// The session is over: so are its uploads, and nobody reads its files any more.
  func removeJournal(of hosted: Hosted) {
    let uploads = cutUploads(of: hosted)
    guard hosted.hasFiles else { return }
    Task {
      await uploads.value
      removeFiles(of: hosted.session.id)
    }
  }

  /// Nothing that is still arriving is waited for any more.
  @discardableResult
  func cutUploads(of hosted: Hosted) -> Task<Void, Never> {
    let slots = hosted.uploads.values
    hosted.uploads = [:]
    for slot in slots { slot.end() }
    return Task {
      for slot in slots { await cutHolder(of: slot, telling: .ended) }
      for slot in slots where !slot.isWhole { await discard(slot) }
    }
  }

  func removeFiles(of id: SessionID) {
    Task {
      do throws(StorageError) {
        try await shared.sessionFiles.removeSession(id)
      } catch {
        noteNotRemoved(id, error)
      }
    }
  }

  func discard(_ slot: UploadSlot) async {
    do throws(StorageError) {
      try await slot.writer.discard()
    } catch {
      shared.log(.error, "upload not removed", ["reason": "\(error)"])
    }
  }

  private func noteNotRemoved(_ id: SessionID, _ error: StorageError) {
    shared.log(.error, "files not removed", ["session": .session(id), "reason": "\(error)"])
  }

  // MARK: - Finding

  /// A session whose attachments may be read: one that has ended too.
  private func findToRead(_ id: SessionID) async -> Result<Hosted, Refusal> {
    switch await find(id) {
    case .open(let hosted), .ended(let hosted): .success(hosted)
    case .none(let refusal): .failure(refusal)
    }
  }

  /// An attachment of a session that is in use.
  func find(
    _ attachment: UUID, of id: SessionID
  ) throws(Refusal) -> (hosted: Hosted, attachment: Attachment) {
    guard let hosted = sessions[id] else { throw missing(id) }
    guard let found = hosted.session.attachment(attachment) else { throw .noAttachment }
    return (hosted, found)
  }

  /// Something was said to a session by what is no event of the loop.
  func touchSoon(_ hosted: Hosted) {
    guard !hosted.isRemoved else { return }
    touch(hosted)
  }
}
