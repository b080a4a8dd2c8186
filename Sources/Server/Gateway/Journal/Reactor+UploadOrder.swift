internal import FoundationEssentials
internal import HTTP
internal import SessionCore
internal import Storage
internal import Platform
internal import Primitives
internal import Wire

/// Uploads to this reactor's sessions, from the first byte to the last: who may write, and when an attachment is ready.
extension Reactor {
  /// A request wants to bring bytes.
  func startUpload(
    _ request: UploadRequest, of id: SessionID, by holder: UploadHolder
  ) async -> UploadStart {
    do throws(Refusal) {
      let hosted = try await findOpen(id).get()
      hosted.tasksInHand += 1
      defer { done(with: hosted) }
      if let refusal = shared.disk.refusal(now: now) { throw refusal }
      try hosted.session.consumeUploadRate(size: request.headBytes, now: now)
      switch request.kind {
      case .create(let creation):
        return try await create(creation, request, in: hosted, by: holder)
      case .resume(let attachment, let offset, let size):
        return try await resume(attachment, at: offset, size: size, request, in: hosted, by: holder)
      }
    } catch {
      logger.log(.refused(.upload, error.code, EventSubject(session: id, address: holder.client)))
      return .refused(.problem(error))
    }
  }

  private func create(
    _ creation: UploadRequest.Creation, _ request: UploadRequest, in hosted: Hosted, by holder: UploadHolder
  ) async throws(Refusal) -> UploadStart {
    let session = hosted.session
    var participant: ParticipantNumber?
    if let token = request.token {
      guard let number = session.number(of: token) else { throw .unknownParticipantToken }
      participant = number
    }
    let attachment = creation.id ?? UUID()
    let writer = UploadWriter(of: session.id, shared)
    if session.attachment(attachment) == nil {
      // Before anybody is told of it: what there is no room for was never there.
      try await findRoom(for: creation.size, writer)
      guard !hosted.isRemoved else { throw .ended }
    }
    if let existing = session.attachment(attachment) {
      guard !creation.isResumable, !existing.isResumable, existing.object.state == .uploading,
        let slot = hosted.uploads[attachment]
      else {
        // The answer contains an offset, which must be on the disk first.
        if let slot = hosted.uploads[attachment] { _ = try await standing(of: slot) }
        return .repeated(created(existing, by: request))
      }
      return try await restart(creation, existing, request, slot, in: hosted, by: holder)
    }
    try checkDataRoom(for: creation.size ?? 0, in: session)
    try session.addAttachment(
      AttachmentDraft(
        id: attachment, file: writer.name, name: AttachmentName.sanitised(creation.name),
        contentType: creation.contentType,
        size: creation.size, metadata: creation.metadata, participant: participant,
        isResumable: creation.isResumable, uploadMetadata: creation.uploadMetadata),
      now: now, date: Date(timeIntervalSince1970: Double(WallTime.now().secondsSince1970)))
    persister.reportBytes(of: hosted.stored)
    touchSoon(hosted)
    let slot = UploadSlot(writer)
    hosted.uploads[attachment] = slot
    hosted.hasFiles = true
    return .granted(
      try await open(slot, attachment, creation.size, request.checksum, in: hosted, by: holder))
  }

  private func findRoom(for size: UInt64?, _ writer: UploadWriter) async throws(Refusal) {
    do throws(UploadWriter.Fault) {
      try await writer.findRoom(for: size)
    } catch {
      throw explain(error)
    }
  }

  /// A one-request upload comes again, in the place of the one before, which may have stalled; unless that is whole by now.
  private func restart(
    _ creation: UploadRequest.Creation, _ existing: Attachment, _ request: UploadRequest, _ slot: UploadSlot,
    in hosted: Hosted, by holder: UploadHolder
  ) async throws(Refusal) -> UploadStart {
    let attachment = existing.object.id
    let opening: UploadWriter.Opening
    slot.pendingStarts += 1
    do throws(UploadWriter.Fault) {
      opening = try await slot.writer.start(size: creation.size, checksum: nil)
      slot.pendingStarts -= 1
    } catch .finished {
      slot.pendingStarts -= 1
      // Whoever is answered finds it ready.
      await untilOver(slot, of: attachment, in: hosted)
      guard let whole = hosted.session.attachment(attachment) else { throw gone(attachment, from: hosted) }
      return .repeated(created(whole, by: request))
    } catch {
      slot.pendingStarts -= 1
      guard hosted.uploads[attachment] === slot else { throw gone(attachment, from: hosted) }
      // What the first one had brought is gone.
      await remove(attachment, from: hosted)
      throw explain(error)
    }
    do throws(Refusal) {
      if hosted.uploads[attachment] === slot {
        try hosted.session.restartUpload(attachment, size: creation.size, now: now)
        persister.reportBytes(of: hosted.stored)
      }
    } catch {
      // What the first one had brought is gone, and this one may not come.
      await remove(attachment, from: hosted)
      throw error
    }
    touchSoon(hosted)
    return .granted(try await grant(opening, slot, attachment, in: hosted, to: holder))
  }

  /// Opens the file of an upload that begins; when it cannot be made, there is no such attachment.
  private func open(
    _ slot: UploadSlot, _ attachment: UUID, _ size: UInt64?, _ checksum: UploadWriter.PieceChecksum?,
    in hosted: Hosted, by holder: UploadHolder
  ) async throws(Refusal) -> UploadGrant {
    let opening: UploadWriter.Opening
    do throws(UploadWriter.Fault) {
      opening = try await slot.writer.start(size: size, checksum: checksum)
    } catch {
      guard hosted.uploads[attachment] === slot else { throw gone(attachment, from: hosted) }
      await remove(attachment, from: hosted)
      throw explain(error)
    }
    return try await grant(opening, slot, attachment, in: hosted, to: holder)
  }

  private func resume(
    _ attachment: UUID, at offset: UInt64, size: UInt64?, _ request: UploadRequest, in hosted: Hosted,
    by holder: UploadHolder
  ) async throws(Refusal) -> UploadStart {
    guard let found = hosted.session.attachment(attachment) else { throw .noAttachment }
    guard found.object.state == .uploading, found.isResumable, let slot = hosted.uploads[attachment] else {
      // Who missed the answer to the last bytes asks with none whether they came.
      guard offset == found.object.offset, request.bodyLength == 0 else {
        throw .offsetMismatch(found.object.offset)
      }
      return .repeated(progressed(found, by: request))
    }
    // Where it stands comes first: from that a client recovers.
    let present = try await standing(of: slot)
    guard present == offset else { throw .offsetMismatch(present) }
    guard hosted.uploads[attachment] === slot, let found = hosted.session.attachment(attachment) else {
      return try await resumeAnew(attachment, at: offset, size: size, request, in: hosted, by: holder)
    }
    let end = offset + (request.bodyLength ?? 0)
    if let size, let known = found.object.size, size != known { throw .beyondLength(size, length: known) }
    if let size = size ?? found.object.size, end > size { throw .beyondLength(end, length: size) }
    guard end <= UInt64(shared.limits.attachmentBytes) else {
      throw .tooLarge(end, limit: shared.limits.attachmentBytes)
    }
    // What may be refused comes before whoever wrote is overtaken.
    if let size, found.object.size == nil {
      try checkDataRoom(for: size - min(size, found.object.offset), in: hosted.session)
      try hosted.session.setUploadSize(attachment, size, now: now)
      persister.reportBytes(of: hosted.stored)
      touchSoon(hosted)
    }
    let opening: UploadWriter.Opening
    do throws(UploadWriter.Fault) {
      opening = try await slot.writer.begin(at: offset, checksum: request.checksum)
    } catch {
      // Another request sent the last bytes meanwhile: a request without bytes waits until the upload is finished.
      if case .offset(offset) = error, request.bodyLength == 0 {
        await untilOver(slot, of: attachment, in: hosted)
      }
      guard hosted.uploads[attachment] === slot else {
        return try await resumeAnew(attachment, at: offset, size: size, request, in: hosted, by: holder)
      }
      throw explain(error)
    }
    return .granted(try await grant(opening, slot, attachment, in: hosted, to: holder))
  }

  /// Answers a request whose upload another request finished meanwhile, as if it arrived now.
  private func resumeAnew(
    _ attachment: UUID, at offset: UInt64, size: UInt64?, _ request: UploadRequest, in hosted: Hosted,
    by holder: UploadHolder
  ) async throws(Refusal) -> UploadStart {
    guard !hosted.isRemoved else { throw .ended }
    return try await resume(attachment, at: offset, size: size, request, in: hosted, by: holder)
  }

  /// Waits until an upload that has all its bytes is ready, or removed.
  private func untilOver(_ slot: UploadSlot, of attachment: UUID, in hosted: Hosted) async {
    while hosted.uploads[attachment] === slot {
      await withCheckedContinuation { slot.wait($0) }
    }
  }

  /// Whoever wrote before writes no more.
  private func grant(
    _ opening: UploadWriter.Opening, _ slot: UploadSlot, _ attachment: UUID, in hosted: Hosted,
    to holder: UploadHolder
  ) async throws(Refusal) -> UploadGrant {
    guard !hosted.isRemoved, hosted.uploads[attachment] === slot,
      let found = hosted.session.attachment(attachment)
    else { throw gone(attachment, from: hosted) }
    // Two that came at once are answered in the order of their turns.
    guard opening.turn > slot.turn else { throw .offsetMismatch(opening.offset) }
    let overtaken = slot.holder
    let turn = slot.turn
    slot.holder = holder
    slot.turn = opening.turn
    if let overtaken {
      await overtaken.reactor.cutUpload(overtaken.connection, of: slot.writer, turn: turn, telling: nil)
      guard hosted.uploads[attachment] === slot else { throw gone(attachment, from: hosted) }
    }
    return UploadGrant(
      attachment: attachment, writer: slot.writer, turn: opening.turn, offset: opening.offset,
      size: found.object.size)
  }

  /// Returns the refusal for a request whose upload is over: the attachment or session is gone, or another request finished it.
  private func gone(_ attachment: UUID, from hosted: Hosted) -> Refusal {
    guard hosted.isRemoved else {
      guard let found = hosted.session.attachment(attachment), found.isResumable else { return .noAttachment }
      return .offsetMismatch(found.object.offset)
    }
    // Without a store nothing of a session is kept: the folder goes that its upload may have made again.
    if shared.store == nil { removeFiles(of: hosted.session.id) }
    return .ended
  }

  /// What a writer is told whose bytes were not taken: that session or attachment is gone, if that is the reason, and else the fault.
  func refusal(for fault: UploadWriter.Fault, of grant: UploadGrant, in id: SessionID) -> Refusal {
    guard let hosted = sessions[id] else { return missing(id) }
    guard hosted.uploads[grant.attachment]?.writer === grant.writer else {
      return gone(grant.attachment, from: hosted)
    }
    return explain(fault)
  }

  /// What a grant is for, unless that is gone or somebody else's by now.
  private func slot(of grant: UploadGrant, in hosted: Hosted) -> UploadSlot? {
    guard let slot = hosted.uploads[grant.attachment], slot.writer === grant.writer,
      slot.turn == grant.turn
    else { return nil }
    return slot
  }

  /// An upload came further.
  func uploadMoved(_ grant: UploadGrant, of id: SessionID, to offset: UInt64) {
    guard let hosted = sessions[id], slot(of: grant, in: hosted) != nil else { return }
    hosted.session.uploadMoved(grant.attachment, to: offset, now: now)
    touchSoon(hosted)
  }

  /// An upload of unknown length comes further than the quota was asked for.
  /// - Returns: up to where it has room.
  func reserveUpload(_ grant: UploadGrant, of id: SessionID, upTo offset: UInt64) throws(Refusal) -> UInt64 {
    guard let hosted = sessions[id], slot(of: grant, in: hosted) != nil else {
      throw refusal(for: .superseded, of: grant, in: id)
    }
    try checkDataRoom(for: 0, in: hosted.session)
    let reserved = try hosted.session.reserveUpload(grant.attachment, upTo: offset)
    persister.reportBytes(of: hosted.stored)
    return reserved
  }

  /// Checks that a session may grow by a number of bytes.
  private func checkDataRoom(for bytes: UInt64, in session: Session) throws(Refusal) {
    if let refusal = shared.ledger.refusalOfGrowth(of: session.id, adding: Int(clamping: bytes)) {
      throw refusal
    }
  }

  /// A writer is gone before the end of its request: what it brought with tus stays.
  func uploadCut(_ grant: UploadGrant, of id: SessionID, by request: UploadRequest) async {
    guard let hosted = sessions[id], let slot = slot(of: grant, in: hosted),
      let found = hosted.session.attachment(grant.attachment)
    else { return }
    slot.holder = nil
    // Somebody begins it anew: nothing is left of this one.
    guard slot.pendingStarts == 0 else { return }
    guard found.isResumable else {
      await remove(grant.attachment, from: hosted)
      return
    }
    do throws(UploadWriter.Fault) {
      // Cut between the last byte and the end of the request: there is nothing left to wait for.
      if let size = found.object.size, try await slot.writer.offset() == size {
        _ = try await slot.writer.endPiece(turn: grant.turn, size: size)
        let digest = try await slot.writer.finish(turn: grant.turn)
        _ = await completeUpload(grant, of: id, by: request, sha256: digest, size: size)
        return
      }
      pause(grant, at: try await slot.writer.leave(turn: grant.turn), in: hosted)
    } catch .checksum(let offset) {
      pause(grant, at: offset, in: hosted)
    } catch {
      // Overtaken meanwhile, as a rule: then the newer one tells how far it is.
      _ = explain(error)
      touchSoon(hosted)
    }
  }

  private func pause(_ grant: UploadGrant, at offset: UInt64, in hosted: Hosted) {
    guard slot(of: grant, in: hosted) != nil else { return }
    hosted.session.uploadPaused(grant.attachment, at: offset, now: now)
    touchSoon(hosted)
  }

  /// A piece came whole, and more is to come.
  func uploadPieceEnded(
    _ grant: UploadGrant, of id: SessionID, by request: UploadRequest, at offset: UInt64
  ) async -> Answer {
    do throws(Refusal) {
      let hosted = try find(grant.attachment, of: id).hosted
      guard let slot = slot(of: grant, in: hosted) else { throw UploadWriter.Fault.superseded.refusal }
      slot.holder = nil
      hosted.session.uploadMoved(grant.attachment, to: offset, now: now)
      touchSoon(hosted)
      if request.changesRecords {
        // Who is told where to go on finds it there after a crash.
        guard await persister.waitUntilStored(hosted.stored) else {
          throw persister.refusalOfUnstored(hosted.stored)
        }
      }
      return progressed(try find(grant.attachment, of: id).attachment, by: request)
    } catch {
      return .problem(error)
    }
  }

  /// What came with a creation is not what it should be: there is no such attachment.
  func rejectCreation(_ grant: UploadGrant, of id: SessionID) async {
    guard let hosted = sessions[id], let slot = slot(of: grant, in: hosted) else { return }
    slot.holder = nil
    await remove(grant.attachment, from: hosted)
  }

  /// All bytes have come: the attachment is ready once its file lies where it belongs.
  func completeUpload(
    _ grant: UploadGrant, of id: SessionID, by request: UploadRequest, sha256 digest: String, size: UInt64
  ) async -> Answer {
    guard let hosted = sessions[id], let slot = slot(of: grant, in: hosted) else {
      return .problem(refusal(for: .superseded, of: grant, in: id))
    }
    if case .create(let creation) = request.kind, let wanted = creation.sha256, wanted != digest {
      slot.holder = nil
      await remove(grant.attachment, from: hosted)
      return .problem(
        Refusal(.digestMismatch, "What arrived has the SHA-256 \(digest), not the one that came with it."))
    }
    guard hosted.session.storeContent(grant.attachment, digest: digest, size: size) != nil else {
      return .problem(.noAttachment)
    }
    persister.reportBytes(of: hosted.stored)
    slot.isWhole = true
    hosted.tasksInHand += 1
    defer {
      slot.end()
      done(with: hosted)
    }
    touchSoon(hosted)
    // What the file will be called is on the disk before it is: after a crash between, it is found.
    _ = await persister.waitUntilStored(hosted.stored)
    guard hosted.uploads[grant.attachment] === slot else {
      await discard(slot)
      return .problem(gone(grant.attachment, from: hosted))
    }
    do throws(StorageError) {
      let mark = try await shared.sessionFiles.place(slot.writer.name, as: digest, of: id)
      shared.verdicts.notePlaced(ContentID(session: id, digest: digest), mark)
    } catch {
      // With a session its folder goes, whoever is about to put something there.
      guard !hosted.isRemoved else { return .problem(gone(grant.attachment, from: hosted)) }
      shared.log(.error, "attachment not stored", ["session": .session(id), "reason": "\(error)"])
      if hosted.uploads[grant.attachment] === slot {
        slot.holder = nil
        await remove(grant.attachment, from: hosted)
      }
      return .problem(UploadWriter.Fault.storage(error).refusal)
    }
    guard hosted.uploads[grant.attachment] === slot else {
      return .problem(gone(grant.attachment, from: hosted))
    }
    hosted.uploads[grant.attachment] = nil
    guard hosted.session.finishAttachment(grant.attachment, now: now) != nil,
      let found = hosted.session.attachment(grant.attachment)
    else { return .problem(.noAttachment) }
    touchSoon(hosted)
    logger.log(
      .uploadCompleted(PeerEvent.Upload(session: id, attachment: grant.attachment, address: nil), bytes: size)
    )
    // Whoever is told that it is there finds it there after a crash.
    guard await persister.waitUntilStored(hosted.stored) else {
      return .problem(persister.refusalOfUnstored(hosted.stored))
    }
    return progressed(found, by: request)
  }

  // MARK: - Answers

  /// What a creation is answered with, the first time and every other.
  private func created(_ attachment: Attachment, by request: UploadRequest) -> Answer {
    var answer = Answer.json(.created, attachment.object.encoded())
    answer.head.fields.append("Location", attachment.object.url)
    if request.isTus {
      answer.head.fields.append("Upload-Offset", "\(attachment.object.offset)")
      addExpiry(of: attachment, to: &answer)
    }
    return answer
  }

  /// What a request that brought bytes is answered with.
  private func progressed(_ attachment: Attachment, by request: UploadRequest) -> Answer {
    if case .create = request.kind { return created(attachment, by: request) }
    var answer = Answer(.noContent, fields: ["Upload-Offset": "\(attachment.object.offset)"])
    addExpiry(of: attachment, to: &answer)
    return answer
  }

  func addExpiry(of attachment: Attachment, to answer: inout Answer) {
    guard attachment.object.state == .uploading else { return }
    let left = Double(shared.limits.uploadKeepSeconds) - now.seconds(since: attachment.progressAt)
    let date = Int(WallTime.now().secondsSince1970) + Int(left.rounded(.up))
    answer.head.fields.append("Upload-Expires", HTTPDate(secondsSinceEpoch: date).description)
  }
}
