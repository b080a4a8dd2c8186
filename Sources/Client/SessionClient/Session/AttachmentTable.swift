internal import FoundationEssentials
internal import Wire

/// The attachments of a session, from its `attachment` entries (wire protocol, section 4).
struct AttachmentTable: Sendable {
  private var attachments: [UUID: (object: AttachmentObject, ordinal: UInt64)] = [:]
  private var lastOrdinal: UInt64 = 0

  /// All attachments in the order of their creation. Attachments created at the same time are in the order of arrival.
  var all: [AttachmentObject] {
    attachments.values.sorted { ($0.object.createdAt, $0.ordinal) < ($1.object.createdAt, $1.ordinal) }
      .map(\.object)
  }

  /// Adds or replaces an attachment.
  mutating func put(_ attachment: AttachmentObject) {
    lastOrdinal += 1
    let ordinal = attachments[attachment.id]?.ordinal ?? lastOrdinal
    attachments[attachment.id] = (attachment, ordinal)
  }

  /// Removes an attachment.
  mutating func remove(_ id: UUID) {
    attachments[id] = nil
  }

  /// Removes all attachments before a snapshot.
  mutating func removeAll() {
    attachments = [:]
  }
}
