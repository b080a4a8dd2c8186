internal import FoundationEssentials
internal import HTTP
internal import SessionCore
internal import Storage
internal import Wire

/// The changes that an upload makes in its session.
extension UploadService {
  /// Reports the progress of an upload to its session.
  func moved(_ lease: UploadLease, to offset: UInt64) {
    guard lease.isCurrent else { return }
    lease.hosted.session.uploadMoved(lease.attachment, to: offset, now: now)
    changed(lease.hosted)
  }

  /// Reserves room for an upload of unknown size.
  ///
  /// - Returns: the offset up to which room is now reserved.
  func reserve(_ lease: UploadLease, upTo offset: UInt64) throws(Refusal) -> UInt64 {
    guard lease.isCurrent else { throw refusal(for: .superseded, of: lease) }
    try checkDataRoom(for: 0, in: lease.hosted)
    let reserved = try lease.hosted.session.reserveUpload(lease.attachment, upTo: offset)
    persister.reportBytes(of: lease.hosted)
    return reserved
  }

  /// Completes a request after its whole body was written to the file.
  ///
  /// - Returns: the answer.
  func answer(to upload: Upload, _ lease: UploadLease) async -> Answer {
    let (request, file) = (upload.request, lease.pending.file)
    do throws(UploadError) {
      let size = request.isTus ? lease.size : upload.written
      let offset = try await file.endPiece(fencingToken: lease.fencingToken, size: size)
      if request.isTus, offset != lease.size { return await endPiece(lease, by: request, at: offset) }
      let digest = try await file.finish(fencingToken: lease.fencingToken)
      if let expected = request.expectedDigest, expected != digest { logFailure(of: upload, .digestMismatch) }
      return await complete(lease, by: request, sha256: digest, size: offset)
    } catch {
      let refusal = refusal(for: error, of: lease)
      if case .checksum = error, case .create = request.kind {
        await rejectCreation(lease)
      } else if case .checksum(let offset) = error {
        _ = await endPiece(lease, by: request, at: offset)
      } else {
        await end(lease, of: upload)
      }
      logFailure(of: upload, refusal.code)
      return .problem(refusal)
    }
  }

  /// Ends the lease of an interrupted request. The bytes of a resumable upload stay.
  func end(_ lease: UploadLease, of upload: Upload) async {
    let (hosted, pending) = (lease.hosted, lease.pending)
    guard lease.isCurrent, let found = hosted.session.attachment(lease.attachment) else { return }
    pending.upload = nil
    // If `restarting` is not 0, a newer request is emptying the file. No bytes of this request remain, so nothing is left to do.
    guard pending.restarting == 0 else { return }
    guard found.isResumable else {
      await remove(lease.attachment, from: hosted)
      return
    }
    do throws(UploadError) {
      // The file may have all bytes of the attachment although the request is incomplete. In that case, the attachment is
      // completed now.
      if let size = found.object.size, try await pending.file.offset() == size {
        _ = try await pending.file.endPiece(fencingToken: lease.fencingToken, size: size)
        let digest = try await pending.file.finish(fencingToken: lease.fencingToken)
        _ = await complete(lease, by: upload.request, sha256: digest, size: size)
        return
      }
      pause(lease, at: try await pending.file.leave(fencingToken: lease.fencingToken))
    } catch .checksum(let offset) {
      pause(lease, at: offset)
    } catch {
      // The usual cause of this error: a newer request for the same attachment has the lease now. The newer request reports the
      // further progress of the upload.
      _ = logged(error)
      changed(hosted)
    }
  }

  private func pause(_ lease: UploadLease, at offset: UInt64) {
    guard lease.isCurrent else { return }
    lease.hosted.session.uploadPaused(lease.attachment, at: offset, now: now)
    changed(lease.hosted)
  }

  /// Ends a request that sent one complete piece of an attachment, when more pieces are still missing.
  private func endPiece(_ lease: UploadLease, by request: UploadRequest, at offset: UInt64) async -> Answer {
    let hosted = lease.hosted
    do throws(Refusal) {
      guard !hosted.isRemoved else { throw .ended }
      guard hosted.session.attachment(lease.attachment) != nil else { throw .noAttachment }
      guard lease.isCurrent else { throw UploadError.superseded.refusal }
      lease.pending.upload = nil
      hosted.session.uploadMoved(lease.attachment, to: offset, now: now)
      changed(hosted)
      if request.changesRecords {
        // The client gets the answer only after the session's records, which include this upload, are safe from a crash.
        guard await persister.waitUntilStored(hosted) else {
          throw persister.refusalOfUnstored(hosted)
        }
      }
      guard !hosted.isRemoved else { throw .ended }
      guard let found = hosted.session.attachment(lease.attachment) else { throw .noAttachment }
      return .progressed(found, by: request, expiry(of: found))
    } catch {
      return .problem(error)
    }
  }

  /// Removes a new attachment because the bytes in the request that created it do not match their checksum.
  private func rejectCreation(_ lease: UploadLease) async {
    guard lease.isCurrent else { return }
    lease.pending.upload = nil
    await remove(lease.attachment, from: lease.hosted)
  }

  /// Completes an attachment whose bytes have all arrived. The attachment becomes ready after its file was moved to the final
  /// folder.
  private func complete(
    _ lease: UploadLease, by request: UploadRequest, sha256 digest: String, size: UInt64
  ) async -> Answer {
    let (hosted, pending) = (lease.hosted, lease.pending)
    guard lease.isCurrent else { return .problem(refusal(for: .superseded, of: lease)) }
    if let expected = request.expectedDigest, expected != digest {
      pending.upload = nil
      await remove(lease.attachment, from: hosted)
      return .problem(
        Refusal(
          .digestMismatch, "The received bytes have the SHA-256 \(digest), which is not the announced digest."
        ))
    }
    guard hosted.session.storeContent(lease.attachment, digest: digest, size: size) != nil else {
      return .problem(.noAttachment)
    }
    persister.reportBytes(of: hosted)
    pending.isWhole = true
    hosted.tasksInHand += 1
    defer {
      pending.end()
      done(with: hosted)
    }
    changed(hosted)
    // The record with the digest must be on the disk before the file is renamed to the digest. So the next process finds the file
    // even after a crash between these two steps.
    _ = await persister.waitUntilStored(hosted)
    guard lease.isPending else {
      await discard(pending)
      return .problem(gone(lease.attachment, from: hosted))
    }
    do throws(StorageError) {
      let mark = try await environment.files.place(pending.file.name, as: digest, of: hosted.id)
      environment.verdicts.notePlaced(ContentID(session: hosted.id, digest: digest), mark)
    } catch {
      // If the session was removed, its folder does not exist any more, and the error is expected.
      guard !hosted.isRemoved else { return .problem(gone(lease.attachment, from: hosted)) }
      environment.log(
        .error, "attachment not stored", ["session": .session(hosted.id), "reason": "\(error)"])
      if lease.isPending {
        pending.upload = nil
        await remove(lease.attachment, from: hosted)
      }
      return .problem(UploadError.storage(error).refusal)
    }
    guard lease.isPending else { return .problem(gone(lease.attachment, from: hosted)) }
    pendingAttachments.remove(lease.attachment, from: hosted)
    guard hosted.session.finishAttachment(lease.attachment, now: now) != nil,
      let found = hosted.session.attachment(lease.attachment)
    else { return .problem(.noAttachment) }
    changed(hosted)
    logger.log(
      .uploadCompleted(
        PeerEvent.Upload(session: hosted.id, attachment: lease.attachment, address: nil), bytes: size)
    )
    // A client that got a success answer must find the attachment even after a crash.
    guard await persister.waitUntilStored(hosted) else {
      return .problem(persister.refusalOfUnstored(hosted))
    }
    return .progressed(found, by: request, expiry(of: found))
  }
}

extension UploadRequest {
  /// The SHA-256 that the whole attachment must match, in lowercase hexadecimal; nil if the request has none.
  fileprivate var expectedDigest: String? {
    if case .create(let creation) = kind { creation.sha256 } else { nil }
  }
}
