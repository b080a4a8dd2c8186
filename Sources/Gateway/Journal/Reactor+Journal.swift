internal import FoundationEssentials
internal import HTTP
internal import SessionCore
internal import Storage
internal import Transport
internal import Wire

/// The journals of this reactor's sessions. Other reactors call these for requests that landed with them.
extension Reactor {
  /// A content that may be read.
  struct ContentGrant: Sendable {
    let object: AttachmentObject
    let digest: String
  }

  /// What came of the wish to read.
  enum ContentStart: Sendable {
    case granted(ContentGrant)
    case refused(Answer)
  }

  /// `GET` of a session's attachments.
  func attachments(of id: SessionID) -> Result<[AttachmentObject], Refusal> {
    now = .now()
    return hosted(id).map { $0.session.attachmentObjects }
  }

  /// `GET` and `HEAD` of an attachment.
  func findContent(_ attachment: UUID, of id: SessionID) -> ContentStart {
    now = .now()
    do throws(Refusal) {
      let found = try find(attachment, of: id).attachment
      guard found.object.state == .ready, let digest = found.object.sha256 else {
        var refusal = Refusal(.notReady, "The attachment is still being uploaded.")
        refusal.offset = found.object.offset
        throw refusal
      }
      return .granted(ContentGrant(object: found.object, digest: digest))
    } catch {
      return .refused(.problem(error))
    }
  }

  /// `HEAD` of an upload.
  func uploadStatus(_ attachment: UUID, of id: SessionID) async -> Answer {
    now = .now()
    do throws(Refusal) {
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
  func removeAttachment(_ attachment: UUID, of id: SessionID) async -> Answer {
    now = .now()
    do throws(Refusal) {
      let hosted = try find(attachment, of: id).hosted
      await remove(attachment, from: hosted)
      shared.log(.info, "attachment removed", ["session": .session(id), "attachment": "\(attachment)"])
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
  func remove(_ attachment: UUID, from hosted: Hosted) async {
    let slot = hosted.uploads.removeValue(forKey: attachment)
    let removed = hosted.session.removeAttachment(attachment, now: instant)
    touchSoon(hosted)
    // The file thread is asked before anything is waited for: the same id, and the same content, may come again at once.
    if let slot, !slot.isWhole {
      await discard(slot)
    } else if let digest = removed?.orphanedDigest {
      do throws(StorageError) {
        try await shared.sessionFiles.removeContent(digest, of: hosted.session.id)
      } catch {
        noteNotRemoved(hosted.session.id, error)
      }
    }
    if let slot { await cutHolder(of: slot, telling: .noAttachment) }
  }

  /// Ends the request that writes to an upload.
  private func cutHolder(of slot: UploadSlot, telling refusal: Refusal) async {
    guard let holder = slot.holder else { return }
    await holder.reactor.cutUpload(
      holder.connection, of: slot.writer, turn: slot.turn, telling: refusal)
  }

  /// Uploads that nobody went on with.
  func removeExpiredUploads(of hosted: Hosted) {
    let expired = hosted.session.expiredUploads(now: instant)
    guard !expired.isEmpty else { return }
    Task {
      for attachment in expired {
        // While others were removed, somebody may have taken it up again.
        guard let found = hosted.session.attachment(attachment), found.object.state == .uploading,
          instant.seconds(since: found.progressAt) >= Double(shared.limits.uploadKeepSeconds)
        else { continue }
        shared.log(.info, "upload expired", ["session": .session(hosted.session.id)])
        await remove(attachment, from: hosted)
      }
    }
  }

  /// The session is over: so are its uploads, and nobody reads its files any more.
  func removeJournal(of hosted: Hosted) {
    let slots = hosted.uploads.values
    hosted.uploads = [:]
    guard hosted.hasFiles else { return }
    Task {
      for slot in slots { await cutHolder(of: slot, telling: .ended) }
      for slot in slots where !slot.isWhole { await discard(slot) }
      removeFiles(of: hosted.session.id)
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

  func hosted(_ id: SessionID) -> Result<Hosted, Refusal> {
    sessions[id].map { .success($0) } ?? .failure(missing(id))
  }

  func find(
    _ attachment: UUID, of id: SessionID
  ) throws(Refusal) -> (hosted: Hosted, attachment: Attachment) {
    let hosted = try hosted(id).get()
    guard let found = hosted.session.attachment(attachment) else { throw .noAttachment }
    return (hosted, found)
  }

  var syncsFiles: Bool { shared.configuration.durability == .full }

  /// Something was said to a session by what is no event of the loop.
  func touchSoon(_ hosted: Hosted) {
    guard !hosted.isRemoved else { return }
    touch(hosted)
    loop.wake()
  }
}
