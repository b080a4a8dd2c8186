internal import FoundationEssentials
internal import Wire

/// The attachments of a session, by what its `attachment` entries say (section 4).
struct AttachmentTable: Sendable {
  private var attachments: [UUID: (object: AttachmentObject, place: UInt64)] = [:]
  private var places: UInt64 = 0

  /// All of them, in the order in which they became known.
  var all: [AttachmentObject] {
    attachments.values.sorted { ($0.object.createdAt, $0.place) < ($1.object.createdAt, $1.place) }
      .map(\.object)
  }

  /// Says what an attachment is now.
  mutating func put(_ attachment: AttachmentObject) {
    places += 1
    let place = attachments[attachment.id]?.place ?? places
    attachments[attachment.id] = (attachment, place)
  }

  /// Takes one away.
  mutating func remove(_ id: UUID) {
    attachments[id] = nil
  }

  /// The state is told anew.
  mutating func clear() {
    attachments = [:]
  }
}
