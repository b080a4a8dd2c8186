package import Wire
package import Primitives

package import struct FoundationEssentials.Date
package import struct FoundationEssentials.UUID

/// Attachments: how they come, grow and go, in the order and in the quota. Their files are the shell's.
///
/// All that is told of an attachment is a system entry under its id, so catch-up and order hold for attachments as for ink.
extension Session {
  /// The attachment of that id.
  package func attachment(_ id: UUID) -> Attachment? {
    journal.records[id].map { record in
      Attachment(
        object: record.object, isResumable: record.isResumable, uploadMetadata: record.uploadMetadata,
        progressAt: record.progressAt)
    }
  }

  /// All attachments in the order in which they were added.
  package var attachmentObjects: [AttachmentObject] { journal.inOrder.map(\.object) }

  /// Counts the beginning of a creation or of a piece, for which everybody may have to be told something.
  ///
  /// - Parameters:
  ///   - size: bytes of metadata that come with it.
  ///   - now: the present moment.
  /// - Throws: `rate-limited` with `retryAfterMs`, when the session's journal was busier than one participant may be;
  ///   `storage-full` when too much waits for the disk.
  package func consumeUploadRate(size: Int, now: MonotonicTime) throws(Refusal) {
    if let refusal = growthRefusal { throw refusal }
    guard let retryAfterMs = journal.consumeRate(size, by: rates, at: now) else { return }
    var refusal = Refusal(
      .rateLimited,
      "Too fast: \(limits.entriesPerSecond) uploads or pieces of them a second are begun in a session, twice that in a burst.",
      limit: limits.entriesPerSecond)
    refusal.retryAfterMs = UInt64(retryAfterMs)
    throw refusal
  }

  /// Adds an attachment whose bytes are still to come, and reserves those that were announced.
  ///
  /// The id must not be in use.
  /// - Throws: `attachment-too-large`, or `session-quota` when there are as many attachments, bytes of them or retained bytes as
  ///   there may be; with `limit` and `actual`. `storage-full` when too much waits for the disk.
  package func addAttachment(_ draft: AttachmentDraft, now: MonotonicTime, date: Date) throws(Refusal) {
    precondition(journal.records[draft.id] == nil, "an attachment's id is given once")
    let object = AttachmentObject(
      id: draft.id, name: draft.name, contentType: draft.contentType, size: draft.size, sha256: nil,
      metadata: draft.metadata, participant: draft.participant, state: .uploading, offset: 0, createdAt: date,
      url: "/api/sessions/\(id.text)/attachments/\(draft.id.uuidString)")
    try journal.check(size: draft.size ?? 0, reserved: 0, limits: limits)
    guard journal.records.count < limits.attachmentsPerSession else {
      throw Refusal(
        .sessionQuota,
        "This session may have \(limits.attachmentsPerSession) attachments, and has as many. Remove one first.",
        limit: limits.attachmentsPerSession, actual: journal.records.count)
    }
    let payload = object.encoded()
    guard retainedBytes + storedLength(payload) <= limits.sessionLogBytes else {
      throw Refusal(
        .sessionQuota,
        "This session keeps at most \(limits.sessionLogBytes) bytes, and holds \(retainedBytes). Remove something first.",
        limit: limits.sessionLogBytes, actual: retainedBytes)
    }
    if let refusal = growthRefusal { throw refusal }
    // Whoever added it is told of before it, and stays known as long as it does.
    if let number = draft.participant { participants[number]?.hasRetained = true }
    announcePresence()
    let sequence = appendUnderKey(.replace, draft.id, isSystem: true, payload)
    journal.add(object, draft, at: sequence, now: now)
    save.markDirty(upload: draft.id)
  }

  /// An upload in one request begins anew, in its own place.
  ///
  /// - Throws: `not-found` when there is no such upload; `attachment-too-large` and `session-quota` as `addAttachment`, and then
  ///   nothing has changed.
  package func restartUpload(_ id: UUID, size: UInt64?, now: MonotonicTime) throws(Refusal) {
    let (_, upload) = try upload(id)
    try journal.check(size: size ?? 0, reserved: upload.reserved, limits: limits)
    journal.setSize(id, size)
    journal.setOffset(id, to: 0, now: now)
    announce(id)
  }

  /// The size of an upload becomes known after its creation.
  ///
  /// - Throws: `not-found` when there is no such upload; `bad-request` when another size is known already, or more has arrived;
  ///   `attachment-too-large` and `session-quota` as `addAttachment`. Then nothing has changed.
  package func setUploadSize(_ id: UUID, _ size: UInt64, now: MonotonicTime) throws(Refusal) {
    let (record, upload) = try upload(id)
    if let known = record.object.size {
      guard known == size else {
        throw refusal(.badRequest, "This upload has \(known) bytes, as was said before.", known, size)
      }
      return
    }
    guard size >= record.object.offset else {
      throw refusal(
        .badRequest, "Of this upload more than \(size) bytes have arrived.", record.object.offset, size)
    }
    try journal.check(size: size, reserved: upload.reserved, limits: limits)
    journal.setSize(id, size)
    journal.setOffset(id, to: record.object.offset, now: now)
    announce(id)
  }

  /// Makes sure that an upload may hold `total` bytes.
  ///
  /// One of unknown length reserves in steps of 8 MiB, cut to what an attachment and the session may have.
  /// - Returns: how many bytes are reserved for it: `total` or more.
  /// - Throws: `not-found` when there is no such upload; `bad-request` beyond the size that was announced; `attachment-too-large`
  ///   and `session-quota` as `addAttachment`.
  package func reserveUpload(_ id: UUID, upTo total: UInt64) throws(Refusal) -> UInt64 {
    let (record, upload) = try upload(id)
    guard total > upload.reserved else { return upload.reserved }
    if let size = record.object.size {
      throw refusal(.badRequest, "This upload has \(size) bytes, as was said before.", size, total)
    }
    try journal.check(size: total, reserved: upload.reserved, limits: limits)
    let step = Journal.reservationStep
    let free = UInt64(clamping: limits.sessionAttachmentBytes) - (journal.usedBytes - upload.reserved)
    let reserved = min((total + step - 1) / step * step, UInt64(clamping: limits.attachmentBytes), free)
    journal.reserve(id, reserved)
    return reserved
  }

  /// So many bytes of an upload have arrived: told to everybody at the tail, at most four times a second, the newest at last.
  package func uploadMoved(_ id: UUID, to offset: UInt64, now: MonotonicTime) {
    journal.recordProgress(id, to: offset, now: now)
  }

  /// Who wrote a resumable upload is gone: everybody is told where it stands, unless they know.
  package func uploadPaused(_ id: UUID, at offset: UInt64, now: MonotonicTime) {
    guard let (_, upload) = journal.upload(id) else { return }
    journal.setOffset(id, to: offset, now: now)
    if upload.announcedOffset != offset || upload.sentOffset != offset { announce(id) }
  }

  /// All bytes of an upload have arrived: counts them instead of what was reserved.
  ///
  /// - Returns: what is to be done with its file; `nil` when the attachment was removed meanwhile.
  package func storeContent(_ id: UUID, digest: String, size: UInt64) -> ContentPlacement? {
    guard let placement = journal.store(id, digest: digest, size: size) else { return nil }
    save.markDirty(upload: id)
    return placement
  }

  /// What is to be done with the file of an attachment whose bytes had all come before the session was loaded: the same that
  /// `storeContent` said then. The file may be in its place already.
  ///
  /// - Returns: nil when it is no such attachment.
  package func storedPlacement(_ id: UUID) -> ContentPlacement? {
    journal.placement(id)
  }

  /// The file of an upload was found after the session was loaded: so many bytes are there, and the quota counts them.
  /// Everybody is told, unless that is what they know.
  package func uploadFound(_ id: UUID, holding bytes: UInt64, now: MonotonicTime) {
    guard let (_, upload) = journal.upload(id) else { return }
    if upload.reserved < bytes { journal.reserve(id, bytes) }
    uploadPaused(id, at: bytes, now: now)
  }

  /// The file of an attachment is in its place: everybody is told that it is ready, however full the session is.
  ///
  /// - Returns: the attachment; `nil` when it was removed meanwhile.
  package func finishAttachment(_ id: UUID, now: MonotonicTime) -> AttachmentObject? {
    guard let object = journal.finish(id) else { return nil }
    announce(id)
    return object
  }

  /// Removes an attachment, with what clients keep under its id.
  ///
  /// - Returns: what that means for its file; `nil` when there is no such attachment.
  package func removeAttachment(_ id: UUID, now: MonotonicTime) -> RemovedAttachment? {
    guard let removed = journal.remove(id) else { return nil }
    appendUnderKey(.remove, id, isSystem: true, [])
    appendUnderKey(.remove, id, isSystem: false, [])
    return removed
  }

  /// The uploads that made no progress for `uploadKeepSeconds`, each told of once: the shell removes them. To be asked
  /// whenever `tick` is told the time.
  package func expiredUploads(now: MonotonicTime) -> [UUID] {
    journal.expired(now: now)
  }

  /// Who joins in this turn is told in the order how far uploads are: progress is retained by nothing.
  func announceOffsets(now: MonotonicTime) {
    guard !catchingUp.isEmpty, journal.hasUploads else { return }
    for (id, offset) in journal.unannouncedOffsets {
      journal.setOffset(id, to: offset, now: now)
      announce(id)
    }
  }

  /// Puts what is to be told of uploads in this turn among its unreliable entries.
  func sendProgress(now: MonotonicTime) {
    guard journal.hasProgress else { return }
    for payload in journal.takeProgress(now: now) {
      var entry: [UInt8] = []
      GatewayEntry.append(
        to: &entry, flags: .system, sequence: 0, sender: 0, clientSequence: 0,
        type: Array(AttachmentProgressPayload.type.utf8).span, payload: payload.encoded().span)
      unreliableBatch.addSystem(entry)
    }
  }

  // MARK: - Entries

  /// Tells everybody how an attachment is now.
  private func announce(_ id: UUID) {
    guard let record = journal.records[id] else { return }
    appendUnderKey(.replace, id, isSystem: true, record.object.encoded())
  }

  /// Appends an entry of the gateway's own under an attachment's id.
  @discardableResult
  private func appendUnderKey(
    _ retention: Retention, _ id: UUID, isSystem: Bool, _ payload: [UInt8]
  ) -> UInt64 {
    let key = RetainedKey(key: EntryKey(id), isSystem: isSystem)
    let (sequence, length) = log.append(
      system: SystemType.attachment, retention: retention, key: key, payload: payload)
    retained.apply(retention, key: key, sequence: sequence, length: length)
    return sequence
  }

  private func storedLength(_ payload: [UInt8]) -> Int {
    let flags = EntryFlags([.reliable, .system], retention: .replace)
    return GatewayEntry.headerLength(flags: flags, typeLength: SystemType.attachment.utf8.count)
      + payload.count
  }

  // MARK: - Refusals

  private func upload(_ id: UUID) throws(Refusal) -> (record: Journal.Record, upload: Journal.Upload) {
    guard let found = journal.upload(id) else {
      throw Refusal(.notFound, "There is no such upload any more.")
    }
    return found
  }

  private func refusal(_ code: ErrorCode, _ detail: String, _ limit: UInt64, _ actual: UInt64) -> Refusal {
    var refusal = Refusal(code, detail)
    refusal.limit = limit
    refusal.actual = actual
    return refusal
  }
}
