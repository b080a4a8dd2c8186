internal import FoundationEssentials
internal import SessionCore
internal import Wire

/// What a log says of the session's attachments: the newest of each, and where its bytes arrived.
struct AttachmentSurvey {
  /// The attachments that the session has, by their ids.
  private(set) var objects: [UUID: AttachmentObject] = [:]
  /// What was written of files, by attachment: an id may be used again when its attachment was removed.
  private var uploads: [UUID: [UploadRecord]] = [:]
  private var sequence: UInt64 = 0

  /// Takes what an `upload` record says.
  mutating func take(_ said: UploadRecord) {
    var known = uploads[said.id] ?? []
    if let place = known.firstIndex(where: { $0.file == said.file }) {
      known[place].content = said.content ?? known[place].content
    } else {
      known.append(said)
    }
    uploads[said.id] = known
  }

  /// Takes the next entry; it counts when it is one of an attachment.
  ///
  /// - Throws: when its payload is none.
  mutating func take(_ found: EntryScan.Found, _ bytes: Span<UInt8>) throws(RecordError) {
    sequence = found.entry.sequence
    guard found.key.isSystem, found.entry.flags.retention != .none else { return }
    let object =
      found.entry.flags.retention == .remove
      ? nil : try AttachmentObject(stored: bytes.extracting(found.entry.payload), key: found.entry.key)
    objects[found.entry.key.uuid] = object
  }

  /// The file in which the bytes of an attachment arrive, or arrived; nil when the log does not know it.
  func upload(_ id: UUID) -> UploadRecord? {
    uploads[id]?.filter { $0.sequence <= sequence }.max { $0.sequence < $1.sequence }
  }
}
