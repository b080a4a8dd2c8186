internal import Wire
internal import Primitives

internal import struct FoundationEssentials.UUID

/// The records of the journal on disk.
extension Journal {
  /// Returns the `upload` record of an attachment; nil for an unknown id.
  func uploadRecord(_ id: UUID) -> UploadRecord? {
    guard let record = records[id] else { return nil }
    var content: UploadRecord.Content?
    switch record.state {
    case .uploading: break
    case .stored(let digest), .ready(let digest):
      content = UploadRecord.Content(digest: digest, size: record.object.size ?? record.object.offset)
    }
    return UploadRecord(
      id: id, file: record.file, sequence: record.addedAt, isResumable: record.isResumable,
      uploadMetadata: record.uploadMetadata, content: content)
  }

  /// Restores an attachment from its newest entry.
  ///
  /// - Parameters:
  ///   - object: the payload of the attachment's newest entry.
  ///   - record: the attachment's `upload` record; if it is nil, the attachment's id is used as the name of the file.
  ///   - sequence: the sequence of this newest entry. It is used if there is no `upload` record, which would contain the
  ///     sequence of the entry that added the attachment.
  ///   - now: the present time. An unfinished upload expires `uploadKeepSeconds` after this time, unless bytes arrive.
  mutating func restore(
    _ object: AttachmentObject, _ record: UploadRecord?, at sequence: UInt64, now: MonotonicTime
  ) {
    var object = object
    let state: State
    switch (object.state, object.sha256, record?.content) {
    case (.ready, let digest?, _):
      count(digest, object.size ?? object.offset)
      state = .ready(digest: digest)
    case (_, _, let content?):
      object.size = content.size
      object.offset = content.size
      count(content.digest, content.size)
      state = .stored(digest: content.digest)
    default:
      var upload = newUpload(reserving: max(object.size ?? 0, object.offset), now: now)
      upload.announcedOffset = object.offset
      upload.sentOffset = object.offset
      state = .uploading(upload)
    }
    admit(
      Record(
        object: object, file: record?.file ?? object.id, isResumable: record?.isResumable ?? false,
        uploadMetadata: record?.uploadMetadata, progressAt: now, state: state,
        addedAt: record?.sequence ?? sequence))
  }
}
