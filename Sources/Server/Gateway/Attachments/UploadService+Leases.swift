internal import FoundationEssentials
internal import HTTP
internal import Platform
internal import Primitives
internal import SessionCore
internal import Storage
internal import Wire

/// Leases: only the upload with the newest lease may write to the file of an attachment.
extension UploadService {
  /// Grants the lease to an upload, or returns the answer to a repeated request.
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
    let request = upload.request
    var participant: ParticipantNumber?
    if let token = request.token {
      guard let number = hosted.session.number(of: token) else { throw .unknownParticipantToken }
      participant = number
    }
    let attachment = creation.id ?? UUID()
    let fileName = UUID()
    let file = environment.makeFile(fileName, hosted.id)
    if hosted.session.attachment(attachment) == nil {
      // This check comes before `addAttachment`, so that the members never see an attachment that has no room on the disk.
      try await findRoom(for: creation.size, file)
      guard !hosted.isRemoved else { throw .ended }
    }
    if let existing = hosted.session.attachment(attachment) {
      guard !creation.isResumable, !existing.isResumable, existing.object.state == .uploading,
        let pending = pendingAttachments[attachment, hosted]
      else {
        // The answer contains the upload's offset, so the bytes before this offset must be durable. `offset(of:)` ensures this.
        if let pending = pendingAttachments[attachment, hosted] { _ = try await offset(of: pending) }
        return .repeated(.created(existing, by: request, expiry(of: existing)))
      }
      return try await restart(creation, existing, pending, upload, in: hosted)
    }
    try checkDataRoom(for: creation.size ?? 0, in: hosted)
    try hosted.session.addAttachment(
      AttachmentDraft(
        id: attachment, file: fileName, name: AttachmentName.sanitised(creation.name),
        contentType: creation.contentType,
        size: creation.size, metadata: creation.metadata, participant: participant,
        isResumable: creation.isResumable, uploadMetadata: creation.uploadMetadata),
      now: now, date: Date(timeIntervalSince1970: Double(WallTime.now().secondsSince1970)))
    persister.reportBytes(of: hosted)
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

  /// Restarts an upload without tus at offset 0, because the earlier request may have stalled. Without tus, all bytes come in a
  /// single request. If all bytes have already arrived, waits until the attachment is ready and repeats the answer.
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
      // The answer describes the attachment as ready, so the attachment must be ready before the answer is created.
      await waitForEnd(of: pending)
      guard let whole = hosted.session.attachment(attachment) else { throw gone(attachment, from: hosted) }
      return .repeated(.created(whole, by: upload.request, expiry(of: whole)))
    } catch {
      pending.restarting -= 1
      guard !pending.isOver else { throw gone(attachment, from: hosted) }
      // The restart failed. Without tus, a client cannot continue an interrupted upload, so the attachment is removed.
      await remove(attachment, from: hosted)
      throw logged(error)
    }
    do throws(Refusal) {
      if !pending.isOver {
        try hosted.session.restartUpload(attachment, size: creation.size, now: now)
        persister.reportBytes(of: hosted)
      }
    } catch {
      // The restart has emptied the file, and the session refuses the new size. So the attachment cannot be completed, and is
      // removed.
      await remove(attachment, from: hosted)
      throw error
    }
    changed(hosted)
    return .lease(try grant(opening, pending, attachment, upload, in: hosted))
  }

  /// Creates the file of a new attachment, and grants the lease. If the file cannot be created, removes the attachment.
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
      // A client that did not receive the answer to its last bytes may ask again with an empty body.
      guard offset == found.object.offset, request.bodyLength == 0 else {
        throw .offsetMismatch(found.object.offset)
      }
      return .repeated(.progressed(found, by: request, expiry(of: found)))
    }
    // The offset is checked before the sizes, because the refusal of a wrong offset contains the present offset, at which the
    // client can continue.
    let present = try await self.offset(of: pending)
    guard present == offset else { throw .offsetMismatch(present) }
    guard !pending.isOver, let found = hosted.session.attachment(attachment) else {
      return try await resumeAgain(attachment, at: offset, size: size, upload, in: hosted)
    }
    let end = offset + (request.bodyLength ?? 0)
    if let size, let known = found.object.size, size != known { throw .beyondLength(size, length: known) }
    if let size = size ?? found.object.size, end > size { throw .beyondLength(end, length: size) }
    guard end <= UInt64(limits.attachmentBytes) else { throw .tooLarge(end, limit: limits.attachmentBytes) }
    // All checks come before the new lease: a refused request must not end the lease of another upload.
    if let size, found.object.size == nil {
      try checkDataRoom(for: size - min(size, found.object.offset), in: hosted)
      try hosted.session.setUploadSize(attachment, size, now: now)
      persister.reportBytes(of: hosted)
      changed(hosted)
    }
    let opening: UploadFileActor.Opening
    do throws(UploadError) {
      opening = try await pending.file.begin(at: offset, checksum: request.checksum)
    } catch {
      // An error with the same offset as in this request means that the file is complete: another request has sent the last bytes
      // meanwhile. If this request has no body, it waits until the attachment is ready.
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

  /// Handles a request again as if it arrived now, because another request has completed or removed the attachment.
  private func resumeAgain(
    _ attachment: UUID, at offset: UInt64, size: UInt64?, _ upload: Upload, in hosted: SessionHost
  ) async throws(Refusal) -> UploadOpening {
    guard !hosted.isRemoved else { throw .ended }
    return try await resume(attachment, at: offset, size: size, upload, in: hosted)
  }

  /// Waits until an attachment whose bytes have all arrived is ready or removed.
  private func waitForEnd(of pending: PendingAttachment) async {
    while !pending.isOver {
      await withCheckedContinuation { pending.wait($0) }
    }
  }

  /// Gives the lease to an upload, and ends the upload that had the lease before.
  private func grant(
    _ opening: UploadFileActor.Opening, _ pending: PendingAttachment, _ attachment: UUID, _ upload: Upload,
    in hosted: SessionHost
  ) throws(Refusal) -> UploadLease {
    guard !hosted.isRemoved, !pending.isOver, let found = hosted.session.attachment(attachment) else {
      throw gone(attachment, from: hosted)
    }
    // If two requests arrive at the same time, the request with the higher fencing token gets the lease.
    guard opening.fencingToken > pending.fencingToken else { throw .offsetMismatch(opening.offset) }
    let former = pending.upload
    pending.upload = upload
    pending.fencingToken = opening.fencingToken
    if let former {
      // If the requests arrived in another order than they were sent, the former request is the client's present one. The refusal
      // tells this client where to continue. Without tus, a request cannot be continued.
      supersede(former, telling: former.request.isTus ? .offsetMismatch(opening.offset) : nil)
    }
    return UploadLease(
      hosted: hosted, attachment: attachment, pending: pending, fencingToken: opening.fencingToken,
      offset: opening.offset, size: found.object.size)
  }

  /// Returns the offset of an incomplete attachment. If the setting `durability` is `full`, all bytes before this offset are on
  /// the disk.
  func offset(of pending: PendingAttachment) async throws(Refusal) -> UInt64 {
    do throws(UploadError) {
      return try await pending.file.offset()
    } catch {
      throw logged(error)
    }
  }

  /// Checks that the stored data of a session may grow by a number of bytes.
  func checkDataRoom(for bytes: UInt64, in hosted: SessionHost) throws(Refusal) {
    let ledger = persister.environment.ledger
    if let refusal = ledger.refusalOfGrowth(of: hosted.id, adding: Int(clamping: bytes)) { throw refusal }
  }

  /// Returns the refusal of an upload whose attachment or session was removed, or whose attachment was completed by another
  /// request.
  func gone(_ attachment: UUID, from hosted: SessionHost) -> Refusal {
    guard hosted.isRemoved else {
      guard let found = hosted.session.attachment(attachment), found.isResumable else { return .noAttachment }
      return .offsetMismatch(found.object.offset)
    }
    // If the gateway does not store sessions, the upload may have created the session's folder again after the folder was
    // removed.
    if !hosted.isByStore { removeFiles(of: hosted.id) }
    return .ended
  }

  /// Returns the refusal of an upload whose bytes were not written. If the attachment or session was removed, or the attachment
  /// is complete, the refusal says so. Otherwise, it describes the error.
  func refusal(for error: UploadError, of lease: UploadLease) -> Refusal {
    lease.isPending ? logged(error) : gone(lease.attachment, from: lease.hosted)
  }

  /// Returns the date at which an incomplete upload expires; nil if the upload is complete.
  func expiry(of attachment: Attachment) -> HTTPDate? {
    guard attachment.object.state == .uploading else { return nil }
    let left = Double(limits.uploadKeepSeconds) - now.seconds(since: attachment.progressAt)
    return HTTPDate(secondsSinceEpoch: Int(WallTime.now().secondsSince1970) + Int(left.rounded(.up)))
  }
}

extension Answer {
  /// The answer to a request that creates an attachment, or that repeats the creation.
  static func created(_ attachment: Attachment, by request: UploadRequest, _ expiry: HTTPDate?) -> Answer {
    var answer = json(.created, attachment.object.encoded())
    answer.head.fields.append("Location", attachment.object.url)
    if request.isTus {
      answer.head.fields.append("Upload-Offset", "\(attachment.object.offset)")
      if let expiry { answer.head.fields.append("Upload-Expires", expiry.description) }
    }
    return answer
  }

  /// The answer to a request that sent bytes.
  static func progressed(_ attachment: Attachment, by request: UploadRequest, _ expiry: HTTPDate?) -> Answer {
    if case .create = request.kind { return created(attachment, by: request, expiry) }
    var answer = Answer(.noContent, fields: ["Upload-Offset": "\(attachment.object.offset)"])
    if let expiry { answer.head.fields.append("Upload-Expires", expiry.description) }
    return answer
  }

  /// The answer to `HEAD` with tus: the offset, size and metadata of an attachment.
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
