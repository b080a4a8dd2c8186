internal import Wire
internal import Primitives

internal import struct FoundationEssentials.UUID

/// The attachments of a session, their use of the quota, and their deadlines. The journal does not access files.
///
/// The quota counts each content once, even if many attachments have the same content. It also counts the reservations of
/// uploads. `store` replaces the reservation of an upload by the size of its content.
struct Journal {
  /// One attachment.
  struct Record {
    /// The present description of the attachment. The next announcement contains it.
    var object: AttachmentObject
    /// The name of the file to which the attachment's bytes are written.
    let file: UUID
    let isResumable: Bool
    /// The `Upload-Metadata` of tus, unchanged, for clients that ask for it.
    let uploadMetadata: String?
    /// The time of the last received bytes.
    var progressAt: MonotonicTime
    var state: State
    /// The sequence of the entry that added the attachment. Attachments created later have higher sequences.
    let addedAt: UInt64
  }

  enum State {
    case uploading(Upload)
    /// All bytes are received and counted; their file is being moved to its final folder.
    case stored(digest: String)
    case ready(digest: String)
  }

  /// The state of an attachment while bytes arrive.
  struct Upload {
    /// The bytes that the upload reserves in the quota.
    var reserved: UInt64
    /// The upload's deadline in `expiryChecks`. Received bytes do not move it. When the deadline passes, `progressAt` is checked.
    var expiryCheck: MonotonicTime
    /// The time at which the upload's progress was sent last.
    var progressSentAt: MonotonicTime?
    /// The offset in the last entry about the upload. Later joiners get this entry too.
    var announcedOffset: UInt64 = 0
    /// The offset that was sent last, in an entry or as a progress message.
    var sentOffset: UInt64 = 0
    var progress = ProgressState.idle
  }

  /// The state of sending the progress of an upload.
  enum ProgressState {
    case idle
    case dueThisTurn
    case deferred(MonotonicTime)
  }

  /// The size of a stored content, and the number of attachments that have this content.
  private struct Content {
    let size: UInt64
    var references: Int
  }

  /// The bytes by which the reservation of an upload of unknown length grows.
  static let reservationStep: UInt64 = 8 << 20
  /// The shortest time between two `attachmentProgress` entries of an attachment: at most four entries are sent a second.
  static let progressIntervalMs = 250

  private(set) var records: [UUID: Record] = [:]
  private var contents: [String: Content] = [:]
  /// The sum of the bytes of all contents, each counted once, and of all reservations.
  private(set) var usedBytes: UInt64 = 0

  /// Uploads whose progress is sent at the end of the turn, unless an entry announces the upload's present offset before that.
  private var progressDue: [UUID] = []
  /// Uploads whose progress is sent later.
  private var deferredProgress = DeadlineQueue<UUID>()
  private var expiryChecks = DeadlineQueue<UUID>()

  private let keepSeconds: Int
  /// The rate limiter for new uploads and their pieces over HTTP. All clients together have the rate of one participant.
  private var limiter: EntryRateLimiter
  /// Decides when to warn that the attachment quota is nearly used up.
  var fillLevel = FillLevel()

  init(keepSeconds: Int, _ limiter: EntryRateLimiter) {
    self.keepSeconds = keepSeconds
    self.limiter = limiter
  }

  /// Takes the cost of creating an upload, or of one of its pieces, from the rate limiter; metadata adds to the cost.
  /// - Returns: nil if the rate limiter has enough tokens; otherwise the milliseconds after which to try again.
  mutating func consumeRate(_ size: Int, by rates: EntryRateLimiter.Rates, at now: MonotonicTime) -> Int? {
    limiter.take(size, by: rates, at: now) ? nil : limiter.millisecondsUntilQuarter(for: size, by: rates)
  }

  /// True if progress is to be sent when the turn ends.
  var hasProgress: Bool { !progressDue.isEmpty }

  /// The next time at which `flushDeferredProgress` or `expired` has work to do.
  var nextDeadline: MonotonicTime? {
    guard let tell = deferredProgress.earliest, let check = expiryChecks.earliest else {
      return deferredProgress.earliest ?? expiryChecks.earliest
    }
    return min(tell, check)
  }

  /// The participants that added attachments.
  var participants: [ParticipantNumber] { records.values.compactMap(\.object.participant) }
  var inOrder: [Record] { records.values.sorted { $0.addedAt < $1.addedAt } }

  // MARK: - The quota

  /// Checks that an attachment that has reserved `reserved` bytes may have a size of `size` bytes.
  ///
  /// - Throws: `attachment-too-large` or `session-quota`, with `limit` and `actual`.
  func check(size: UInt64, reserved: UInt64, limits: Limits) throws(Refusal) {
    let limit = UInt64(clamping: limits.attachmentBytes)
    guard size <= limit else {
      var refusal = Refusal(
        .attachmentTooLarge, "An attachment may have at most \(limit) bytes; this attachment has \(size).")
      refusal.limit = limit
      refusal.actual = size
      throw refusal
    }
    let quota = UInt64(clamping: limits.sessionAttachmentBytes)
    let needed = usedBytes - reserved + size
    guard needed <= quota else {
      var refusal = Refusal(
        .sessionQuota,
        "This session's attachments may have \(quota) bytes; with the new attachment, they would have \(needed). Remove one first."
      )
      refusal.limit = quota
      refusal.actual = needed
      throw refusal
    }
  }

  // MARK: - Uploads

  /// Adds an upload that the entry with this sequence announced.
  mutating func add(
    _ object: AttachmentObject, _ draft: AttachmentDraft, at sequence: UInt64, now: MonotonicTime
  ) {
    admit(
      Record(
        object: object, file: draft.file, isResumable: draft.isResumable,
        uploadMetadata: draft.uploadMetadata, progressAt: now,
        state: .uploading(newUpload(reserving: object.size ?? 0, now: now)), addedAt: sequence))
  }

  func newUpload(reserving bytes: UInt64, now: MonotonicTime) -> Upload {
    Upload(reserved: bytes, expiryCheck: now.adding(seconds: keepSeconds))
  }

  mutating func admit(_ record: Record) {
    records[record.object.id] = record
    guard case .uploading(let upload) = record.state else { return }
    usedBytes += upload.reserved
    expiryChecks.insert(record.object.id, at: upload.expiryCheck)
  }

  /// Returns the upload with an id; nil if there is none, or it is complete.
  func upload(_ id: UUID) -> (record: Record, upload: Upload)? {
    guard let record = records[id], case .uploading(let upload) = record.state else { return nil }
    return (record, upload)
  }

  /// Changes the reservation of an upload.
  mutating func reserve(_ id: UUID, _ bytes: UInt64) {
    guard var (record, upload) = upload(id) else { return }
    usedBytes = usedBytes - upload.reserved + bytes
    upload.reserved = bytes
    put(&record, upload)
  }

  /// Sets the size of an upload, and reserves this number of bytes.
  mutating func setSize(_ id: UUID, _ size: UInt64?) {
    records[id]?.object.size = size
    reserve(id, size ?? 0)
  }

  /// Records received bytes. The progress is sent when the turn ends, or later if it was sent a short time ago.
  mutating func recordProgress(_ id: UUID, to offset: UInt64, now: MonotonicTime) {
    guard var (record, upload) = upload(id), record.object.offset != offset else { return }
    record.object.offset = offset
    record.progressAt = now
    if case .idle = upload.progress {
      let due = upload.progressSentAt?.adding(milliseconds: Self.progressIntervalMs) ?? now
      if due <= now {
        upload.progress = .dueThisTurn
        progressDue.append(id)
      } else {
        upload.progress = .deferred(due)
        deferredProgress.insert(id, at: due)
      }
    }
    put(&record, upload)
  }

  /// Sets the offset of an upload to the offset that an entry announces.
  mutating func setOffset(_ id: UUID, to offset: UInt64, now: MonotonicTime) {
    guard var (record, upload) = upload(id) else { return }
    if record.object.offset != offset { record.progressAt = now }
    record.object.offset = offset
    if case .deferred(let due) = upload.progress { deferredProgress.remove(id, at: due) }
    upload.progress = .idle
    upload.announcedOffset = offset
    upload.sentOffset = offset
    put(&record, upload)
  }

  /// True if the session has uploads: each upload has an expiry check.
  var hasUploads: Bool { expiryChecks.earliest != nil }

  /// Uploads whose newest retained entry does not have the present offset. A joiner gets this entry, but no progress messages.
  var unannouncedOffsets: [(id: UUID, offset: UInt64)] {
    inOrder.compactMap { record in
      guard case .uploading(let upload) = record.state, upload.announcedOffset != record.object.offset
      else { return nil }
      return (record.object.id, record.object.offset)
    }
  }

  /// Schedules the uploads whose deferred progress is due: their progress is sent at the end of this turn.
  mutating func flushDeferredProgress(now: MonotonicTime) {
    while let id = deferredProgress.popDue(at: now) {
      guard var (record, upload) = upload(id) else { continue }
      upload.progress = .dueThisTurn
      put(&record, upload)
      progressDue.append(id)
    }
  }

  /// Returns the progress to send in this turn, and records it as sent.
  mutating func takeProgress(now: MonotonicTime) -> [AttachmentProgressPayload] {
    let ids = progressDue
    progressDue = []
    var payloads: [AttachmentProgressPayload] = []
    for id in ids {
      guard var (record, upload) = upload(id), case .dueThisTurn = upload.progress else { continue }
      upload.progress = .idle
      upload.progressSentAt = now
      upload.sentOffset = record.object.offset
      put(&record, upload)
      payloads.append(
        AttachmentProgressPayload(id: id, offset: record.object.offset, size: record.object.size))
    }
    return payloads
  }

  /// Returns the uploads that have received no bytes for too long; each upload is returned once.
  mutating func expired(now: MonotonicTime) -> [UUID] {
    var ids: [UUID] = []
    while let id = expiryChecks.popDue(at: now) {
      guard var (record, upload) = upload(id) else { continue }
      upload.expiryCheck = record.progressAt.adding(seconds: keepSeconds)
      put(&record, upload)
      if upload.expiryCheck <= now {
        ids.append(id)
      } else {
        expiryChecks.insert(id, at: upload.expiryCheck)
      }
    }
    return ids
  }

  // MARK: - Whole attachments

  /// Replaces the reservation of an upload by the size of its content.
  /// - Returns: the placement of the content's file; nil if the attachment is not an upload any more.
  mutating func store(_ id: UUID, digest: String, size: UInt64) -> ContentPlacement? {
    guard let (_, upload) = upload(id) else { return nil }
    end(upload, of: id)
    records[id]?.state = .stored(digest: digest)
    records[id]?.object.size = size
    records[id]?.object.offset = size
    return count(digest, size)
  }

  /// Counts one more attachment whose content has this digest.
  @discardableResult
  mutating func count(_ digest: String, _ size: UInt64) -> ContentPlacement {
    if contents[digest] != nil {
      contents[digest]?.references += 1
      return .duplicate
    }
    contents[digest] = Content(size: size, references: 1)
    usedBytes += size
    return .first
  }

  /// Returns the placement of an attachment's file while the attachment is in the state `stored`; else nil.
  func placement(_ id: UUID) -> ContentPlacement? {
    guard case .stored(let digest)? = records[id]?.state else { return nil }
    let isThere = records.values.contains { record in
      if case .ready(digest) = record.state { true } else { false }
    }
    return isThere ? .duplicate : .first
  }

  /// The digests of all contents.
  var digests: Set<String> { Set(contents.keys) }

  /// Makes an attachment ready after its content was stored.
  mutating func finish(_ id: UUID) -> AttachmentObject? {
    guard var record = records[id], case .stored(let digest) = record.state else { return nil }
    record.state = .ready(digest: digest)
    record.object.state = .ready
    record.object.sha256 = digest
    records[id] = record
    return record.object
  }

  mutating func remove(_ id: UUID) -> RemovedAttachment? {
    guard let record = records.removeValue(forKey: id) else { return nil }
    switch record.state {
    case .uploading(let upload):
      end(upload, of: id)
      return RemovedAttachment(id: id, wasUploading: true, orphanedDigest: nil)
    case .stored(let digest):
      return RemovedAttachment(id: id, wasUploading: true, orphanedDigest: release(digest))
    case .ready(let digest):
      return RemovedAttachment(id: id, wasUploading: false, orphanedDigest: release(digest))
    }
  }

  /// Removes one attachment's reference to a content. Returns the content's digest if no reference is left; else returns nil.
  private mutating func release(_ digest: String) -> String? {
    guard var content = contents[digest] else { return nil }
    content.references -= 1
    guard content.references == 0 else {
      contents[digest] = content
      return nil
    }
    contents[digest] = nil
    usedBytes -= content.size
    return digest
  }

  /// Ends an upload: its reservation is released and its deadlines are removed.
  private mutating func end(_ upload: Upload, of id: UUID) {
    usedBytes -= upload.reserved
    expiryChecks.remove(id, at: upload.expiryCheck)
    if case .deferred(let due) = upload.progress { deferredProgress.remove(id, at: due) }
  }

  private mutating func put(_ record: inout Record, _ upload: Upload) {
    record.state = .uploading(upload)
    records[record.object.id] = record
  }
}
