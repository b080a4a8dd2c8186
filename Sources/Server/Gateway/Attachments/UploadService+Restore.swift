internal import FoundationEssentials
internal import SessionCore
internal import Storage
internal import Wire

/// Uploads that were incomplete when the previous process ended.
extension UploadService {
  /// Restores the incomplete uploads of a session that was loaded. `RestoredUpload.action` decides what is done with each upload.
  func restore(_ uploads: [RestoredUpload], _ files: SessionLoader.Files, in hosted: SessionHost) {
    for upload in uploads {
      let received = files.uploads[upload.file]
      let isPlaced = upload.digest.map { files.contents.contains($0) } ?? false
      switch upload.action(received: received, isPlaced: isPlaced) {
      case .finish:
        _ = hosted.session.finishAttachment(upload.id, now: now)
      case .place:
        place(upload, in: hosted)
      case .resume(let offset):
        pendingAttachments.insert(pending(upload, in: hosted), as: upload.id, in: hosted)
        hosted.session.uploadFound(upload.id, holding: offset, now: now)
      case .remove:
        // An upload without tus cannot continue after a restart, but its incomplete file may still exist. The upload is added as
        // pending, because `remove` discards the file of a pending upload.
        if upload.digest == nil {
          pendingAttachments.insert(pending(upload, in: hosted), as: upload.id, in: hosted)
        }
        func remove() async {
          await self.remove(upload.id, from: hosted)
        }
        tasks.start(remove)
      }
    }
  }

  /// Removes the orphaned files of a session: the files that no record of the session names.
  func removeOrphans(_ orphans: [StoredFile], of hosted: SessionHost) {
    guard !orphans.isEmpty else { return }
    let id = hosted.id
    func remove() async {
      for file in orphans where !hosted.isRemoved {
        do throws(StorageError) {
          switch file.place {
          case .uploads:
            if let name = UUID(uuidString: file.name) {
              try await environment.files.discardUpload(name, of: id)
            }
          case .attachments:
            // An upload of the same content may have been completed since the orphaned files were listed.
            if !hosted.session.holdsContent(file.name) {
              try await environment.files.removeContent(file.name, of: id)
            }
          }
        } catch {
          logUnremoved(id, error)
        }
      }
    }
    tasks.start(remove)
  }

  private func pending(_ upload: RestoredUpload, in hosted: SessionHost) -> PendingAttachment {
    PendingAttachment(environment.makeFile(upload.file, hosted.id))
  }

  /// Completes an attachment whose bytes are all in the file of its upload.
  private func place(_ upload: RestoredUpload, in hosted: SessionHost) {
    let pending = pending(upload, in: hosted)
    pending.isWhole = true
    pendingAttachments.insert(pending, as: upload.id, in: hosted)
    hosted.tasksInHand += 1
    func place() async {
      let isReady = await finish(upload, pending, in: hosted)
      if !isReady, !pending.isOver {
        pending.isWhole = false
        await remove(upload.id, from: hosted)
      }
      done(with: hosted)
    }
    tasks.start(place)
  }

  private func finish(
    _ upload: RestoredUpload, _ pending: PendingAttachment, in hosted: SessionHost
  ) async -> Bool {
    let id = hosted.id
    do {
      let digest = try await pending.file.finishFound()
      if let stored = upload.digest {
        // If the digests differ, the file has changed after its digest was stored.
        guard digest == stored else { return false }
      } else {
        guard let size = upload.size,
          hosted.session.storeContent(upload.id, digest: digest, size: size) != nil
        else { return false }
        changed(hosted)
        _ = await persister.waitUntilStored(hosted)
      }
      let mark = try await environment.files.place(pending.file.name, as: digest, of: id)
      environment.verdicts.notePlaced(ContentID(session: id, digest: digest), mark)
    } catch {
      environment.log(
        .error, "upload not finished", ["session": .session(id), "reason": "\(error)"])
      return false
    }
    guard !pending.isOver else { return true }
    pendingAttachments.remove(upload.id, from: hosted)
    pending.end()
    _ = hosted.session.finishAttachment(upload.id, now: now)
    counters.values.attachmentsAdded += 1
    return true
  }
}
