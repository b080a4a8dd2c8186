internal import FoundationEssentials
internal import HTTP
internal import Platform
internal import Primitives
internal import SessionCore
internal import Storage
internal import Wire

/// Leases: the newest request for an attachment is the one that writes.
extension UploadService {
  /// Decides about the lease of an upload.
  func lease(_ upload: Upload, in hosted: SessionHost) async throws(Refusal) -> UploadOpening {
    if let refusal = persister.environment.disk.refusal(now: now) { throw refusal }
    try hosted.session.consumeUploadRate(size: upload.request.headBytes, now: now)
    switch upload.request.kind {
    case .create(let creation):
      return try await create(creation, upload, in: hosted)
    case .resume(let attachment, let offset, let size):
      return try await resume(attachment, at: offset, size: size, upload, in: hosted)
    }
  }

  private func create(
    _ creation: UploadRequest.Creation, _ upload: Upload, in hosted: SessionHost
  ) async throws(Refusal) -> UploadOpening {
    let (session, request) = (hosted.session, upload.request)
    var participant: ParticipantNumber?
    if let token = request.token {
      guard let number = session.number(of: token) else { throw .unknownParticipantToken }
      participant = number
    }
    let attachment = creation.id ?? UUID()
    let fileName = UUID()
    let file = environment.makeFile(fileName, session.id)
    if session.attachment(attachment) == nil {
      // Before the attachment is announced: without room it never existed.
      try await findRoom(for: creation.size, file)
      guard !hosted.isRemoved else { throw .ended }
    }
    if let existing = session.attachment(attachment) {
      guard !creation.isResumable, !existing.isResumable, existing.object.state == .uploading,
        let pending = pendingAttachments[attachment, hosted]
      else {
        // The answer contains an offset, which must be on the disk first.
        if let pending = pendingAttachments[attachment, hosted] { _ = try await offset(of: pending) }
        return .repeated(.created(existing, by: request, expiry(of: existing)))
      }
      return try await restart(creation, existing, pending, upload, in: hosted)
    }
    try checkDataRoom(for: creation.size ?? 0, in: session)
    try session.addAttachment(
      AttachmentDraft(
        id: attachment, file: fileName, name: AttachmentName.sanitised(creation.name),
        contentType: creation.contentType,
        size: creation.size, metadata: creation.metadata, participant: participant,
        isResumable: creation.isResumable, uploadMetadata: creation.uploadMetadata),
      now: now, date: Date(timeIntervalSince1970: Double(WallTime.now().secondsSince1970)))
    persister.reportBytes(of: hosted.stored)
    changed(hosted)
    let pending = PendingAttachment(file)
    pendingAttachments.insert(pending, as: attachment, in: hosted)
    return .lease(try await begin(pending, attachment, creation.size, upload, in: hosted))
  }

  private func findRoom(for size: UInt64?, _ file: UploadFileActor) async throws(Refusal) {
    do throws(UploadError) {
      try await file.findRoom(for: size)
    } catch {
      throw logged(error)
    }
  }

  /// Repeats an upload in one request, whose earlier request may have stalled, unless all its bytes have arrived.
  private func restart(
    _ creation: UploadRequest.Creation, _ existing: Attachment, _ pending: PendingAttachment,
    _ upload: Upload, in hosted: SessionHost
  ) async throws(Refusal) -> UploadOpening {
    let attachment = existing.object.id
    let opening: UploadFileActor.Opening
    pending.restarting += 1
    do throws(UploadError) {
      opening = try await pending.file.start(size: creation.size, checksum: nil)
      pending.restarting -= 1
    } catch .finished {
      pending.restarting -= 1
      // The answer names an attachment that is ready.
      await waitForEnd(of: pending)
      guard let whole = hosted.session.attachment(attachment) else { throw gone(attachment, from: hosted) }
      return .repeated(.created(whole, by: upload.request, expiry(of: whole)))
    } catch {
      pending.restarting -= 1
      guard !pending.isOver else { throw gone(attachment, from: hosted) }
      // The bytes of the earlier request are lost.
      await remove(attachment, from: hosted)
      throw logged(error)
    }
    do throws(Refusal) {
      if !pending.isOver {
        try hosted.session.restartUpload(attachment, size: creation.size, now: now)
        persister.reportBytes(of: hosted.stored)
      }
    } catch {
      // The bytes of the earlier request are lost, and the new ones are refused.
      await remove(attachment, from: hosted)
      throw error
    }
    changed(hosted)
    return .lease(try grant(opening, pending, attachment, upload, in: hosted))
  }

  /// Makes the file of a new attachment. If that fails, the attachment is removed.
  private func begin(
    _ pending: PendingAttachment, _ attachment: UUID, _ size: UInt64?, _ upload: Upload,
    in hosted: SessionHost
  ) async throws(Refusal) -> UploadLease {
    let opening: UploadFileActor.Opening
    do throws(UploadError) {
      opening = try await pending.file.start(size: size, checksum: upload.request.checksum)
    } catch {
      guard !pending.isOver else { throw gone(attachment, from: hosted) }
      await remove(attachment, from: hosted)
      throw logged(error)
    }
    return try grant(opening, pending, attachment, upload, in: hosted)
  }

  private func resume(
    _ attachment: UUID, at offset: UInt64, size: UInt64?, _ upload: Upload, in hosted: SessionHost
  ) async throws(Refusal) -> UploadOpening {
    let request = upload.request
    guard let found = hosted.session.attachment(attachment) else { throw .noAttachment }
    guard found.object.state == .uploading, found.isResumable,
      let pending = pendingAttachments[attachment, hosted]
    else {
      // A client that missed the answer to its last bytes asks without bytes.
      guard offset == found.object.offset, request.bodyLength == 0 else {
        throw .offsetMismatch(found.object.offset)
      }
      return .repeated(.progressed(found, by: request, expiry(of: found)))
    }
    // The offset is checked first: with it, a client recovers.
    let present = try await self.offset(of: pending)
    guard present == offset else { throw .offsetMismatch(present) }
    guard !pending.isOver, let found = hosted.session.attachment(attachment) else {
      return try await resumeAgain(attachment, at: offset, size: size, upload, in: hosted)
    }
    let end = offset + (request.bodyLength ?? 0)
    if let size, let known = found.object.size, size != known { throw .beyondLength(size, length: known) }
    if let size = size ?? found.object.size, end > size { throw .beyondLength(end, length: size) }
    guard end <= UInt64(limits.attachmentBytes) else { throw .tooLarge(end, limit: limits.attachmentBytes) }
    // Refusals come before the present lease is replaced.
    if let size, found.object.size == nil {
      try checkDataRoom(for: size - min(size, found.object.offset), in: hosted.session)
      try hosted.session.setUploadSize(attachment, size, now: now)
      persister.reportBytes(of: hosted.stored)
      changed(hosted)
    }
    let opening: UploadFileActor.Opening
    do throws(UploadError) {
      opening = try await pending.file.begin(at: offset, checksum: request.checksum)
    } catch {
      // Another request sent the last bytes meanwhile: a request without bytes waits until the upload is finished.
      if case .offset(offset) = error, request.bodyLength == 0 {
        await waitForEnd(of: pending)
      }
      guard !pending.isOver else {
        return try await resumeAgain(attachment, at: offset, size: size, upload, in: hosted)
      }
      throw logged(error)
    }
    return .lease(try grant(opening, pending, attachment, upload, in: hosted))
  }

  /// Answers a request whose upload another request finished meanwhile, like a request that arrives now.
  private func resumeAgain(
    _ attachment: UUID, at offset: UInt64, size: UInt64?, _ upload: Upload, in hosted: SessionHost
  ) async throws(Refusal) -> UploadOpening {
    guard !hosted.isRemoved else { throw .ended }
    return try await resume(attachment, at: offset, size: size, upload, in: hosted)
  }

  /// Waits until an attachment with all its bytes is ready or removed.
  private func waitForEnd(of pending: PendingAttachment) async {
    while !pending.isOver {
      await withCheckedContinuation { pending.wait($0) }
    }
  }

  /// Gives an upload the lease, and ends the upload that had it.
  private func grant(
    _ opening: UploadFileActor.Opening, _ pending: PendingAttachment, _ attachment: UUID, _ upload: Upload,
    in hosted: SessionHost
  ) throws(Refusal) -> UploadLease {
    guard !hosted.isRemoved, !pending.isOver, let found = hosted.session.attachment(attachment) else {
      throw gone(attachment, from: hosted)
    }
    // Of two requests at once, the one with the higher token has the lease.
    guard opening.fencingToken > pending.fencingToken else { throw .offsetMismatch(opening.offset) }
    let former = pending.upload
    pending.upload = upload
    pending.fencingToken = opening.fencingToken
    if let former { supersede(former, telling: nil) }
    return UploadLease(
      hosted: hosted, attachment: attachment, pending: pending, fencingToken: opening.fencingToken,
      offset: opening.offset, size: found.object.size)
  }

  /// Returns the offset of an attachment's file; with `full`, the bytes up to it are on the disk.
  func offset(of pending: PendingAttachment) async throws(Refusal) -> UInt64 {
    do throws(UploadError) {
      return try await pending.file.offset()
    } catch {
      throw logged(error)
    }
  }

  /// Checks that a session may grow by a number of bytes.
  func checkDataRoom(for bytes: UInt64, in session: Session) throws(Refusal) {
    let ledger = persister.environment.ledger
    if let refusal = ledger.refusalOfGrowth(of: session.id, adding: Int(clamping: bytes)) { throw refusal }
  }

  /// Returns the refusal of an upload whose attachment or session is gone, or whose attachment another request completed.
  func gone(_ attachment: UUID, from hosted: SessionHost) -> Refusal {
    guard hosted.isRemoved else {
      guard let found = hosted.session.attachment(attachment), found.isResumable else { return .noAttachment }
      return .offsetMismatch(found.object.offset)
    }
    // The upload may have made the folder of a session in memory again.
    if !hosted.session.isByStore { removeFiles(of: hosted.session.id) }
    return .ended
  }

  /// Returns the refusal of bytes that were not written: the end of the attachment or session if that is the cause, else the error.
  func refusal(for error: UploadError, of lease: UploadLease) -> Refusal {
    lease.isPending ? logged(error) : gone(lease.attachment, from: lease.hosted)
  }

  /// Returns the date at which an incomplete upload expires; nil for a complete one.
  func expiry(of attachment: Attachment) -> HTTPDate? {
    guard attachment.object.state == .uploading else { return nil }
    let left = Double(limits.uploadKeepSeconds) - now.seconds(since: attachment.progressAt)
    return HTTPDate(secondsSinceEpoch: Int(WallTime.now().secondsSince1970) + Int(left.rounded(.up)))
  }
}

extension Answer {
  /// The answer to a request that creates an attachment, also when it is repeated.
  static func created(_ attachment: Attachment, by request: UploadRequest, _ expiry: HTTPDate?) -> Answer {
    var answer = json(.created, attachment.object.encoded())
    answer.head.fields.append("Location", attachment.object.url)
    if request.isTus {
      answer.head.fields.append("Upload-Offset", "\(attachment.object.offset)")
      if let expiry { answer.head.fields.append("Upload-Expires", expiry.description) }
    }
    return answer
  }

  /// The answer to a request that brought bytes.
  static func progressed(_ attachment: Attachment, by request: UploadRequest, _ expiry: HTTPDate?) -> Answer {
    if case .create = request.kind { return created(attachment, by: request, expiry) }
    var answer = Answer(.noContent, fields: ["Upload-Offset": "\(attachment.object.offset)"])
    if let expiry { answer.head.fields.append("Upload-Expires", expiry.description) }
    return answer
  }

  /// The answer to tus' `HEAD`: the offset, size and metadata of an attachment.
  static func uploadStatus(_ attachment: Attachment, at offset: UInt64, _ expiry: HTTPDate?) -> Answer {
    var answer = Answer(.ok, fields: ["Upload-Offset": "\(offset)", "Cache-Control": "no-store"])
    if let size = attachment.object.size {
      answer.head.fields.append("Upload-Length", "\(size)")
    } else {
      answer.head.fields.append("Upload-Defer-Length", "1")
    }
    if let metadata = attachment.uploadMetadata { answer.head.fields.append("Upload-Metadata", metadata) }
    if let expiry { answer.head.fields.append("Upload-Expires", expiry.description) }
    return answer
  }
}
