internal import FoundationEssentials
internal import SessionCore
internal import Storage
internal import Platform
internal import Wire

/// Uploads that were under way when the process before ended.
extension Reactor {
  /// Takes up the uploads of a session that was opened: those that may go on wait for that, those that are whole are brought to
  /// their end, and the rest is taken back.
  func restoreUploads(_ uploads: [RestoredUpload], _ files: SessionLoader.Files, in hosted: Hosted) {
    for upload in uploads {
      let arrived = files.uploads[upload.file]
      let isPlaced = upload.digest.map { files.contents.contains($0) } ?? false
      let isWhole = upload.size.map { $0 == arrived } ?? false
      if isPlaced {
        _ = hosted.session.finishAttachment(upload.id, now: now)
      } else if upload.digest != nil || (upload.isResumable && isWhole) {
        guard arrived != nil else {
          removeLater(upload.id, from: hosted)
          continue
        }
        bringToItsEnd(upload, in: hosted)
      } else if upload.isResumable {
        hosted.uploads[upload.id] = UploadSlot(writer(of: upload, in: hosted))
        hosted.session.uploadFound(upload.id, holding: arrived ?? 0, now: now)
      } else {
        // Cut short in one request: what had come of it goes too.
        hosted.uploads[upload.id] = UploadSlot(writer(of: upload, in: hosted))
        removeLater(upload.id, from: hosted)
      }
    }
  }

  /// Removes files that nothing in the log names.
  func removeOrphans(_ orphans: [StoredFile], of hosted: Hosted) {
    guard !orphans.isEmpty else { return }
    let id = hosted.session.id
    Task {
      for file in orphans where !hosted.isRemoved {
        do throws(StorageError) {
          switch file.place {
          case .uploads:
            if let name = UUID(uuidString: file.name) {
              try await shared.sessionFiles.discardUpload(name, of: id)
            }
          case .attachments:
            // The same content may have come again meanwhile.
            if !hosted.session.holdsContent(file.name) {
              try await shared.sessionFiles.removeContent(file.name, of: id)
            }
          }
        } catch {
          shared.log(.error, "files not removed", ["session": .session(id), "reason": "\(error)"])
        }
      }
    }
  }

  private func writer(of upload: RestoredUpload, in hosted: Hosted) -> UploadWriter {
    UploadWriter(upload.file, of: hosted.session.id, shared)
  }

  private func removeLater(_ attachment: UUID, from hosted: Hosted) {
    Task { await remove(attachment, from: hosted) }
  }

  /// All bytes were there, but not yet where they belong.
  private func bringToItsEnd(_ upload: RestoredUpload, in hosted: Hosted) {
    let slot = UploadSlot(writer(of: upload, in: hosted))
    slot.isWhole = true
    hosted.uploads[upload.id] = slot
    hosted.tasksInHand += 1
    Task {
      let isReady = await finish(upload, slot, in: hosted)
      if !isReady, hosted.uploads[upload.id] === slot {
        slot.isWhole = false
        await remove(upload.id, from: hosted)
      }
      done(with: hosted)
    }
  }

  private func finish(_ upload: RestoredUpload, _ slot: UploadSlot, in hosted: Hosted) async -> Bool {
    let session = hosted.session
    do {
      let digest = try await slot.writer.finishFound()
      if let told = upload.digest {
        // What is there is not what was there.
        guard digest == told else { return false }
      } else {
        guard let size = upload.size, session.storeContent(upload.id, digest: digest, size: size) != nil
        else {
          return false
        }
        touchSoon(hosted)
        _ = await persister.waitUntilStored(hosted.stored)
      }
      let mark = try await shared.sessionFiles.place(slot.writer.name, as: digest, of: session.id)
      shared.verdicts.notePlaced(ContentID(session: session.id, digest: digest), mark)
    } catch {
      shared.log(.error, "upload not finished", ["session": .session(session.id), "reason": "\(error)"])
      return false
    }
    guard hosted.uploads[upload.id] === slot else { return true }
    hosted.uploads[upload.id] = nil
    slot.end()
    _ = session.finishAttachment(upload.id, now: now)
    counters.values.attachmentsAdded += 1
    return true
  }
}
