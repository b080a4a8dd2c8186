package import Wire
package import Primitives

package import struct FoundationEssentials.Date
package import struct FoundationEssentials.UUID

/// The operations on attachments: their entries in the log, and their use of the quota. The shell owns the files.
///
/// Each change of an attachment is announced by a system entry whose key is the attachment's id. So the log orders attachments,
/// and a catch-up contains them.
extension Session {
  /// Returns the attachment with an id.
  package func attachment(_ id: UUID) -> Attachment? {
    journal.records[id].map { record in
      Attachment(
        object: record.object, isResumable: record.isResumable, uploadMetadata: record.uploadMetadata,
        progressAt: record.progressAt)
    }
  }

  /// The attachments in the order in which they were added.
  package var attachmentObjects: [AttachmentObject] { journal.inOrder.map(\.object) }

  /// Takes the cost of creating an upload, or of one of its pieces, from the rate limiter. Each creation and each piece may cause
  /// entries that the gateway sends to all members.
  ///
  /// - Parameters:
  ///   - size: the number of bytes of the upload's metadata.
  ///   - now: the present time.
  /// - Throws: `rate-limited` with `retryAfterMs`, when uploads to the session exceed the entry rate of one participant;
  ///   `storage-full` when too many bytes are unsaved.
  package mutating func consumeUploadRate(size: Int, now: MonotonicTime) throws(Refusal) {
    if let refusal = growthRefusal { throw refusal }
    guard let retryAfterMs = journal.consumeRate(size, by: rates, at: now) else { return }
    var refusal = Refusal(
      .rateLimited,
      "Too fast: a session accepts \(limits.entriesPerSecond) new uploads or PATCH requests per second, twice that in a burst.",
      limit: limits.entriesPerSecond)
    refusal.retryAfterMs = UInt64(retryAfterMs)
    throw refusal
  }

  /// Adds an attachment whose bytes will follow, and reserves the announced number of bytes.
  ///
  /// The id must not be in use.
  /// - Throws: `attachment-too-large`; `session-quota` when the number of attachments, their bytes or the retained bytes reach
  ///   their limits. Both errors have `limit` and `actual`. `storage-full` when too many bytes are unsaved.
  package mutating func addAttachment(_ draft: AttachmentDraft, now: MonotonicTime, date: Date)
    throws(Refusal)
  {
    precondition(journal.records[draft.id] == nil, "the id of a new attachment must not be in use")
    let object = AttachmentObject(
      id: draft.id, name: draft.name, contentType: draft.contentType, size: draft.size, sha256: nil,
      metadata: draft.metadata, participant: draft.participant, state: .uploading, offset: 0, createdAt: date,
      url: "/api/sessions/\(id.text)/attachments/\(draft.id.uuidString)")
    try journal.check(size: draft.size ?? 0, reserved: 0, limits: limits)
    guard journal.records.count < limits.attachmentsPerSession else {
      throw Refusal(
        .sessionQuota,
        "This session has \(limits.attachmentsPerSession) attachments, which is the maximum. Remove one first.",
        limit: limits.attachmentsPerSession, actual: journal.records.count)
    }
    let payload = object.encoded()
    guard retainedBytes + storedLength(payload) <= limits.sessionLogBytes else {
      throw Refusal(
        .sessionQuota,
        "This session stores at most \(limits.sessionLogBytes) bytes, and has \(retainedBytes). Remove something first.",
        limit: limits.sessionLogBytes, actual: retainedBytes)
    }
    if let refusal = growthRefusal { throw refusal }
    // The uploader's presence is announced before the attachment. The session keeps the uploader's name as long as it keeps the
    // attachment.
    if let number = draft.participant { participants[number]?.hasRetained = true }
    announcePresence()
    let sequence = appendUnderKey(.replace, draft.id, isSystem: true, payload)
    journal.add(object, draft, at: sequence, now: now)
    save.markDirty(upload: draft.id)
  }

  /// Restarts an upload from its first byte, when a request contains the whole upload.
  ///
  /// - Throws: `not-found` for an unknown upload; `attachment-too-large` and `session-quota` as for `addAttachment`. After an
  ///   error nothing has changed.
  package mutating func restartUpload(_ id: UUID, size: UInt64?, now: MonotonicTime) throws(Refusal) {
    let (_, upload) = try upload(id)
    try journal.check(size: size ?? 0, reserved: upload.reserved, limits: limits)
    journal.setSize(id, size)
    journal.setOffset(id, to: 0, now: now)
    announce(id)
  }

  /// Sets the size of an upload after its creation.
  ///
  /// - Throws: `not-found` for an unknown upload; `bad-request` when another size is set already, or more than `size` bytes
  ///   were received; `attachment-too-large` and `session-quota` as for `addAttachment`. After an error nothing has changed.
  package mutating func setUploadSize(_ id: UUID, _ size: UInt64, now: MonotonicTime) throws(Refusal) {
    let (record, upload) = try upload(id)
    if let known = record.object.size {
      guard known == size else {
        throw refusal(
          .badRequest, "This upload was already announced with \(known) bytes, not with \(size).", known,
          size)
      }
      return
    }
    guard size >= record.object.offset else {
      throw refusal(
        .badRequest, "More than \(size) bytes of this upload have already arrived.", record.object.offset,
        size)
    }
    try journal.check(size: size, reserved: upload.reserved, limits: limits)
    journal.setSize(id, size)
    journal.setOffset(id, to: record.object.offset, now: now)
    announce(id)
  }

  /// Reserves `total` bytes for an upload.
  ///
  /// An upload of unknown length reserves in steps of 8 MiB, limited by the quotas of an attachment and of the session.
  /// - Returns: the bytes of the reservation: `total` or more.
  /// - Throws: `not-found` for an unknown upload; `bad-request` if `total` exceeds the announced size; `attachment-too-large`
  ///   and `session-quota` as for `addAttachment`.
  package mutating func reserveUpload(_ id: UUID, upTo total: UInt64) throws(Refusal) -> UInt64 {
    let (record, upload) = try upload(id)
    guard total > upload.reserved else { return upload.reserved }
    if let size = record.object.size {
      throw refusal(
        .badRequest, "This upload was already announced with \(size) bytes, but it would have \(total).",
        size, total)
    }
    try journal.check(size: total, reserved: upload.reserved, limits: limits)
    let step = Journal.reservationStep
    let free = UInt64(clamping: limits.sessionAttachmentBytes) - (journal.usedBytes - upload.reserved)
    let reserved = min((total + step - 1) / step * step, UInt64(clamping: limits.attachmentBytes), free)
    journal.reserve(id, reserved)
    return reserved
  }

  /// Records received bytes of an upload. Members at the tail, which have received the whole log, get the progress at most four
  /// times a second, and always get the last offset.
  package mutating func uploadMoved(_ id: UUID, to offset: UInt64, now: MonotonicTime) {
    journal.recordProgress(id, to: offset, now: now)
  }

  /// Announces the offset of a resumable upload after its connection ended, unless the offset was sent already.
  package mutating func uploadPaused(_ id: UUID, at offset: UInt64, now: MonotonicTime) {
    guard let (_, upload) = journal.upload(id) else { return }
    journal.setOffset(id, to: offset, now: now)
    if upload.announcedOffset != offset || upload.sentOffset != offset { announce(id) }
  }

  /// Replaces the reservation of a complete upload by the size of its content.
  ///
  /// - Returns: the placement of the content's file; nil if the attachment has been removed.
  package mutating func storeContent(_ id: UUID, digest: String, size: UInt64) -> ContentPlacement? {
    guard let placement = journal.store(id, digest: digest, size: size) else { return nil }
    save.markDirty(upload: id)
    return placement
  }

  /// Returns the placement of an attachment's file if all its bytes were received before the session was loaded, but the
  /// attachment is not ready. `storeContent` returned the same value before the load. The file may have been moved already.
  ///
  /// - Returns: nil if the attachment is still being uploaded, is ready, or does not exist.
  package func storedPlacement(_ id: UUID) -> ContentPlacement? {
    journal.placement(id)
  }

  /// Sets the offset of an upload whose file was found after the session was loaded, and counts the bytes of the file in the
  /// quota. The offset is announced, unless it was sent already.
  package mutating func uploadFound(_ id: UUID, holding bytes: UInt64, now: MonotonicTime) {
    guard let (_, upload) = journal.upload(id) else { return }
    if upload.reserved < bytes { journal.reserve(id, bytes) }
    uploadPaused(id, at: bytes, now: now)
  }

  /// Makes an attachment ready after its file was moved, even if the session is full, and announces the attachment.
  ///
  /// - Returns: the attachment; nil if it was removed.
  package mutating func finishAttachment(_ id: UUID, now: MonotonicTime) -> AttachmentObject? {
    guard let object = journal.finish(id) else { return nil }
    announce(id)
    return object
  }

  /// Removes an attachment, and the clients' retained entries that have the attachment's id as their key.
  ///
  /// - Returns: the work that remains for the attachment's file; nil for an unknown attachment.
  package mutating func removeAttachment(_ id: UUID, now: MonotonicTime) -> RemovedAttachment? {
    guard let removed = journal.remove(id) else { return nil }
    appendUnderKey(.remove, id, isSystem: true, [])
    appendUnderKey(.remove, id, isSystem: false, [])
    return removed
  }

  /// Returns the uploads that have received no bytes for `uploadKeepSeconds`, for the shell to remove; each upload is
  /// returned once. The shell calls this function after every `tick`.
  package mutating func expiredUploads(now: MonotonicTime) -> [UUID] {
    journal.expired(now: now)
  }

  /// Announces the offsets of uploads by entries if a participant joins in this turn, because a snapshot contains no progress
  /// messages.
  mutating func announceOffsets(now: MonotonicTime) {
    guard !catchingUp.isEmpty, journal.hasUploads else { return }
    for (id, offset) in journal.unannouncedOffsets {
      journal.setOffset(id, to: offset, now: now)
      announce(id)
    }
  }

  /// Adds the progress of uploads in this turn to the unreliable batch.
  mutating func sendProgress(now: MonotonicTime) {
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

  /// Announces the present state of an attachment.
  private mutating func announce(_ id: UUID) {
    guard let record = journal.records[id] else { return }
    appendUnderKey(.replace, id, isSystem: true, record.object.encoded())
  }

  /// Appends an entry of the gateway itself. The entry's key is an attachment's id.
  @discardableResult
  private mutating func appendUnderKey(
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
      throw Refusal(.notFound, "This upload no longer exists.")
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
