internal import Wire
internal import Primitives

internal import struct FoundationEssentials.UUID

/// What of the journal is written, and how it comes back.
extension Journal {
  /// What is written of an attachment besides its entries; nil when there is none of that id.
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

  /// Takes an attachment as its newest entry tells of it.
  ///
  /// - Parameters:
  ///   - object: what that entry says.
  ///   - facts: what was written besides; without it, an upload has no file that anybody knows.
  ///   - sequence: that of the entry, for one whose beginning is not known.
  ///   - now: the present moment: from it on an upload is waited for.
  mutating func restore(
    _ object: AttachmentObject, _ facts: UploadRecord?, at sequence: UInt64, now: MonotonicTime
  ) {
    var object = object
    let state: State
    switch (object.state, object.sha256, facts?.content) {
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
        object: object, file: facts?.file ?? object.id, isResumable: facts?.isResumable ?? false,
        uploadMetadata: facts?.uploadMetadata, progressAt: now, state: state,
        addedAt: facts?.sequence ?? sequence))
  }
}
