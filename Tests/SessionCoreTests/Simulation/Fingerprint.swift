import FoundationEssentials
import Wire

@testable import SessionCore

/// The values by which a test decides whether two sessions are equal, for example a session and its restored copy.
struct Fingerprint: Equatable {
  /// Returns the fingerprints of two sessions, limited to the part of the tail that both sessions have.
  static func both(_ one: borrowing Session, _ other: borrowing Session) -> (Fingerprint, Fingerprint) {
    let start = max(one.log.droppedThrough, other.log.droppedThrough)
    return (Fingerprint(one, tailAfter: start), Fingerprint(other, tailAfter: start))
  }

  let sequence: UInt64
  let nextNumber: ParticipantNumber
  /// The bytes of the retained entries as they are sent, by sequence.
  var held: [UInt64: [UInt8]] = [:]
  /// The entries of the tail, by sequence. Only the part of the tail that both compared sessions have is included.
  var tail: [UInt64: [UInt8]] = [:]
  let people: [ParticipantNumber: ParticipantRecord]
  let past: [ParticipantNumber]
  let activity: Activity
  let uploads: [UploadRecord]
  let attachments: [AttachmentObject]
  let usedBytes: UInt64

  /// Returns the properties that differ between the two fingerprints, each with both values.
  func differences(from other: Fingerprint) -> String {
    zip(Mirror(reflecting: self).children, Mirror(reflecting: other).children)
      .filter { Self.text($0.value) != Self.text($1.value) }
      .map { "\($0.label ?? "") is \($0.value), not \($1.value)" }.joined(separator: "; ")
  }

  /// Returns a description with sorted parts, because dictionaries have no order.
  private static func text(_ value: Any) -> String { "\(value)".split(separator: ",").sorted().joined() }

  /// Creates the fingerprint of a session. Includes only the part of the tail after the sequence `start`, because the other
  /// session of the comparison may have dropped more entries from its log.
  init(_ session: borrowing Session, tailAfter start: UInt64 = 0) {
    sequence = session.sequence
    nextNumber = session.participants.nextNumber
    people = session.participants.states.compactMapValues(\.record)
    past = session.participants.past
    activity = session.activity
    uploads = session.journal.inOrder.compactMap { session.journal.uploadRecord($0.object.id) }
    attachments = session.attachmentObjects
    usedBytes = session.journal.usedBytes
    for segment in session.log.segments {
      segment.forEachEntry { entry in
        if entry.sequence > start { tail[entry.sequence] = Array(segment.bytes[entry.start..<entry.end]) }
      }
    }
    for segment in session.retained.snapshot.segments + session.log.segments {
      segment.forEachEntry { entry in
        guard entry.flags.retention != .remove, entry.kept(session.retained.index) != nil else { return }
        held[entry.sequence] = Array(segment.bytes[entry.start..<entry.end])
      }
    }
  }
}
