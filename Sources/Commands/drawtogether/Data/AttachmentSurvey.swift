internal import FoundationEssentials
internal import SessionCore
internal import Wire

/// The attachments of a session according to its log: the newest version of each, and the files of their uploads.
struct AttachmentSurvey {
  /// The current attachments, by id.
  private(set) var objects: [UUID: AttachmentObject] = [:]
  /// The uploads of each attachment. An id may be reused after its attachment was removed.
  private var uploads: [UUID: [UploadRecord]] = [:]
  private var sequence: UInt64 = 0

  /// Applies an `upload` record.
  mutating func apply(_ said: UploadRecord) {
    var known = uploads[said.id] ?? []
    if let place = known.firstIndex(where: { $0.file == said.file }) {
      known[place].content = said.content ?? known[place].content
    } else {
      known.append(said)
    }
    uploads[said.id] = known
  }

  /// Applies the next entry; ignores entries that are no attachments.
  ///
  /// - Throws: `RecordError` for a malformed payload.
  mutating func apply(_ found: EntryScan.Found, _ bytes: Span<UInt8>) throws(RecordError) {
    sequence = found.entry.sequence
    guard found.key.isSystem, found.entry.flags.retention != .none else { return }
    let object =
      found.entry.flags.retention == .remove
      ? nil : try AttachmentObject(stored: bytes.extracting(found.entry.payload), key: found.entry.key)
    objects[found.entry.key.uuid] = object
  }

  /// Returns the upload of an attachment; nil if the log has none.
  func upload(_ id: UUID) -> UploadRecord? {
    uploads[id]?.filter { $0.sequence <= sequence }.max { $0.sequence < $1.sequence }
  }
}
