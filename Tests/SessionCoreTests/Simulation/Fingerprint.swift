import FoundationEssentials
import Wire

@testable import SessionCore

/// All that two sessions must have in common to be the same one.
struct Fingerprint: Equatable {
  /// Of two sessions, with the tail that both of them have.
  static func both(_ one: Session, _ other: Session) -> (Fingerprint, Fingerprint) {
    let start = max(one.log.droppedThrough, other.log.droppedThrough)
    return (Fingerprint(one, tailAfter: start), Fingerprint(other, tailAfter: start))
  }

  let sequence: UInt64
  let nextNumber: ParticipantNumber
  /// What is retained, as it is sent.
  var held: [UInt64: [UInt8]] = [:]
  /// What a tail is made of: both have as much of it as one has of the other.
  var tail: [UInt64: [UInt8]] = [:]
  let people: [ParticipantNumber: ParticipantRecord]
  let past: [ParticipantNumber]
  let activity: Activity
  let uploads: [UploadRecord]
  let attachments: [AttachmentObject]
  let usedBytes: UInt64

  /// The members that are not the same, in words.
  func differences(from other: Fingerprint) -> String {
    zip(Mirror(reflecting: self).children, Mirror(reflecting: other).children)
      .filter { Self.text($0.value) != Self.text($1.value) }
      .map { "\($0.label ?? "") is \($0.value), not \($1.value)" }.joined(separator: "; ")
  }

  /// Dictionaries are in no order.
  private static func text(_ value: Any) -> String { "\(value)".split(separator: ",").sorted().joined() }

  /// Tails are compared behind `start`: as segments are cut elsewhere, one session may have kept a little more.
  init(_ session: Session, tailAfter start: UInt64 = 0) {
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
