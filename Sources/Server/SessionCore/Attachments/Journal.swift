internal import Wire
internal import Primitives

internal import struct FoundationEssentials.UUID

/// The attachments of a session, what they take of its quota, and when something about them is due. Knows no file.
///
/// The quota counts each content once, however many attachments have it, and what uploads have reserved. An attachment's
/// reservation becomes its content in `store`.
struct Journal {
  /// One attachment.
  struct Record {
    /// What does not change, and what everybody was told last.
    var object: AttachmentObject
    /// The name of the file in which its bytes arrive.
    let file: UUID
    let isResumable: Bool
    /// `Upload-Metadata` as it was given, for those who ask for it again.
    let uploadMetadata: String?
    /// When bytes arrived last.
    var progressAt: MonotonicTime
    var state: State
    /// The sequence of the entry that added it: rises in the order of creation.
    let addedAt: UInt64
  }

  enum State {
    case uploading(Upload)
    /// All bytes are there and counted; their file is on its way to its place.
    case stored(digest: String)
    case ready(digest: String)
  }

  /// What is known of an attachment only while bytes arrive.
  struct Upload {
    /// Bytes that it takes of the quota.
    var reserved: UInt64
    /// Where it stands among those that may expire: not moved when bytes arrive, but looked at when that is over.
    var expiryCheck: MonotonicTime
    /// When everybody was told how far it is.
    var progressSentAt: MonotonicTime?
    /// What was told last in an entry that who joins later gets too.
    var announcedOffset: UInt64 = 0
    /// What was told last in any way.
    var sentOffset: UInt64 = 0
    var progress = ProgressState.idle
  }

  /// Whether everybody is to be told how far an upload is.
  enum ProgressState {
    case idle
    case dueThisTurn
    case deferred(MonotonicTime)
  }

  /// A file's bytes, by their digest.
  private struct Content {
    let size: UInt64
    var references: Int
  }

  /// By how much an upload of unknown length reserves more.
  static let reservationStep: UInt64 = 8 << 20
  /// How much time lies between two `attachmentProgress` entries of an attachment: four a second.
  static let progressIntervalMs = 250

  private(set) var records: [UUID: Record] = [:]
  private var contents: [String: Content] = [:]
  /// Each content once, and all reservations.
  private(set) var usedBytes: UInt64 = 0

  /// Uploads whose progress is told when the turn ends, if nothing else is told of them before.
  private var progressDue: [UUID] = []
  /// Uploads whose progress is told later.
  private var deferredProgress = DeadlineQueue<UUID>()
  private var expiryChecks = DeadlineQueue<UUID>()

  private let keepSeconds: Int
  /// Creations and pieces of uploads over HTTP, by all clients together, cost as much as entries of one participant.
  private var bucket: RateBucket
  /// The use of the attachment quota.
  var fillLevel = FillLevel()

  init(keepSeconds: Int, _ bucket: RateBucket) {
    self.keepSeconds = keepSeconds
    self.bucket = bucket
  }

  /// Takes the price of a creation or a piece of an upload.
  ///
  /// - Parameters:
  ///   - size: the bytes of its metadata.
  ///   - rates: the refill rates of the bucket.
  ///   - now: the present time.
  /// - Returns: nil, or the milliseconds after which to try again.
  mutating func consumeRate(_ size: Int, by rates: RateBucket.Rates, at now: MonotonicTime) -> Int? {
    bucket.take(size, by: rates, at: now) ? nil : bucket.millisecondsUntilQuarter(for: size, by: rates)
  }

  /// Whether something is to be told when the turn ends.
  var hasProgress: Bool { !progressDue.isEmpty }

  /// When `tellHeldBack` or `expired` has something to do, or looks whether it has.
  var nextDeadline: MonotonicTime? {
    guard let tell = deferredProgress.earliest, let check = expiryChecks.earliest else {
      return deferredProgress.earliest ?? expiryChecks.earliest
    }
    return min(tell, check)
  }

  /// Those who added an attachment.
  var participants: [ParticipantNumber] { records.values.compactMap(\.object.participant) }
  var inOrder: [Record] { records.values.sorted { $0.addedAt < $1.addedAt } }

  // MARK: - The quota

  /// Checks that an attachment which has reserved some bytes may have `size` in all.
  ///
  /// - Throws: `attachment-too-large` or `session-quota`, with `limit` and `actual`.
  func check(size: UInt64, reserved: UInt64, limits: Limits) throws(Refusal) {
    let limit = UInt64(clamping: limits.attachmentBytes)
    guard size <= limit else {
      var refusal = Refusal(
        .attachmentTooLarge, "An attachment has at most \(limit) bytes; this one has \(size).")
      refusal.limit = limit
      refusal.actual = size
      throw refusal
    }
    let quota = UInt64(clamping: limits.sessionAttachmentBytes)
    let needed = usedBytes - reserved + size
    guard needed <= quota else {
      var refusal = Refusal(
        .sessionQuota,
        "This session's attachments may take \(quota) bytes; with these they would take \(needed). Remove one first."
      )
      refusal.limit = quota
      refusal.actual = needed
      throw refusal
    }
  }

  // MARK: - Uploads

  /// Adds an upload that the entry with a sequence told of.
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

  /// The upload of that id; `nil` when there is none, or all of its bytes are there.
  func upload(_ id: UUID) -> (record: Record, upload: Upload)? {
    guard let record = records[id], case .uploading(let upload) = record.state else { return nil }
    return (record, upload)
  }

  /// Changes what an upload has reserved.
  mutating func reserve(_ id: UUID, _ bytes: UInt64) {
    guard var (record, upload) = upload(id) else { return }
    usedBytes = usedBytes - upload.reserved + bytes
    upload.reserved = bytes
    put(&record, upload)
  }

  /// Says how many bytes there will be, and reserves them.
  mutating func setSize(_ id: UUID, _ size: UInt64?) {
    records[id]?.object.size = size
    reserve(id, size ?? 0)
  }

  /// Bytes arrived: everybody is told when the turn ends, or when the last time is long enough ago.
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

  /// Notes where an upload stands, which everybody is told in another way.
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

  /// Whether anything is waited for: each upload stands among those that may expire.
  var hasUploads: Bool { expiryChecks.earliest != nil }

  /// Uploads that have come further than who joins now would be told.
  var unannouncedOffsets: [(id: UUID, offset: UInt64)] {
    inOrder.compactMap { record in
      guard case .uploading(let upload) = record.state, upload.announcedOffset != record.object.offset
      else { return nil }
      return (record.object.id, record.object.offset)
    }
  }

  /// What was held back until now is told when the turn ends.
  mutating func flushDeferredProgress(now: MonotonicTime) {
    while let id = deferredProgress.popDue(at: now) {
      guard var (record, upload) = upload(id) else { continue }
      upload.progress = .dueThisTurn
      put(&record, upload)
      progressDue.append(id)
    }
  }

  /// What everybody is to be told in this turn, which then is told.
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

  /// Uploads that made no progress for too long; each is told of once.
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

  /// Counts an upload's content instead of its reservation.
  /// - Returns: whether the session had such content before; `nil` when it is no upload any more.
  mutating func store(_ id: UUID, digest: String, size: UInt64) -> ContentPlacement? {
    guard let (_, upload) = upload(id) else { return nil }
    end(upload, of: id)
    records[id]?.state = .stored(digest: digest)
    records[id]?.object.size = size
    records[id]?.object.offset = size
    return count(digest, size)
  }

  /// One more attachment has that content.
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

  /// What is to be done with the file of an attachment that is stored, but not ready.
  func placement(_ id: UUID) -> ContentPlacement? {
    guard case .stored(let digest)? = records[id]?.state else { return nil }
    let isThere = records.values.contains { record in
      if case .ready(digest) = record.state { true } else { false }
    }
    return isThere ? .duplicate : .first
  }

  /// The digests of all contents.
  var digests: Set<String> { Set(contents.keys) }

  /// An attachment whose content was stored is ready.
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

  /// - Returns: the digest, when nothing refers to its content any more.
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

  /// Nothing more arrives for an upload: its reservation is released, and it is no longer waited for.
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
