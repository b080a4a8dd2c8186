internal import FoundationEssentials
internal import SessionCore
internal import Wire

/// Calls to the session about attachments, as the gateway's code for attachment files makes them.
extension SessionShell {
  /// Chooses one of four attachments, and changes it in a way that its state allows. Adds the attachment if it does not exist.
  func changeAttachment(_ program: inout InputReader) {
    let number = UInt64(program.below(4))
    let id = EntryKey(high: 0, low: number).uuid
    let choice = program.byte()
    guard let attachment = session.attachment(id) else { return add(id, choice, &program) }
    guard attachment.object.state == .uploading else {
      if choice & 1 == 0 { _ = session.removeAttachment(id, now: now) }
      return
    }
    let amount = UInt64(program.byte()) << (choice >> 4)
    switch choice & 7 {
    case 0: _ = session.removeAttachment(id, now: now)
    case 1:
      // A refused call has no effect.
      guard (try? session.reserveUpload(id, upTo: amount)) != nil else { return }
      session.uploadMoved(id, to: max(amount, attachment.object.offset), now: now)
    case 2: session.uploadPaused(id, at: min(amount, attachment.object.size ?? amount), now: now)
    case 3: try? session.setUploadSize(id, amount, now: now)  // A refused call has no effect.
    case 4: try? session.restartUpload(id, size: amount, now: now)  // A refused call has no effect.
    default: finish(id, size: attachment.object.size ?? amount, digest: choice >> 4)
    }
  }

  /// Continues, finishes or removes the uploads of a session that was loaded.
  func adopt(_ uploads: [RestoredUpload]) throws {
    for upload in uploads {
      let received = min(upload.size ?? 3, 3)
      switch upload.action(received: received, isPlaced: upload.digest != nil) {
      case .finish:
        try expect(session.storedPlacement(upload.id) != nil, "the content of \(upload.id) has no place")
        _ = session.finishAttachment(upload.id, now: now)
      case .resume, .place: session.uploadFound(upload.id, holding: received, now: now)
      case .remove: _ = session.removeAttachment(upload.id, now: now)
      }
    }
  }

  private func add(_ id: UUID, _ choice: UInt8, _ program: inout InputReader) {
    // A refused call has no effect.
    guard (try? session.consumeUploadRate(size: 10, now: now)) != nil else { return }
    attachmentFiles += 1
    try? session.addAttachment(
      AttachmentDraft(
        id: id, file: EntryKey(high: 7, low: attachmentFiles).uuid, name: "a", contentType: "image/png",
        size: choice & 1 == 0 ? nil : UInt64(program.byte()), metadata: nil,
        participant: choice & 2 == 0 ? nil : 1, isResumable: choice & 4 == 0, uploadMetadata: nil),
      now: now, date: Date(timeIntervalSince1970: 0))  // A refused call has no effect.
  }

  private func finish(_ id: UUID, size: UInt64, digest: UInt8) {
    let digit = String(digest & 15, radix: 16)
    guard session.storeContent(id, digest: String(repeating: digit, count: 64), size: size) != nil else {
      return
    }
    // A gateway moves the file between `storeContent` and `finishAttachment`. A save between these two calls records that the
    // attachment must still be finished.
    if digest & 1 == 0 { _ = session.finishAttachment(id, now: now) }
  }
}
