import FoundationEssentials
import Wire

@testable import SessionCore

/// All that two sessions must have in common to be the same one.
struct Fingerprint: Equatable {
  let sequence: UInt64
  let droppedThrough: UInt64
  let nextNumber: ParticipantNumber
  /// What is retained, as it is sent.
  var held: [UInt64: [UInt8]] = [:]
  /// What a tail is made of.
  var tail: [UInt64: [UInt8]] = [:]
  let people: [ParticipantNumber: ParticipantFacts]
  let past: [ParticipantNumber]
  let activity: Activity
  let uploads: [UploadFacts]
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

  init(_ session: Session) {
    sequence = session.sequence
    droppedThrough = session.log.droppedThrough
    nextNumber = session.nextNumber
    people = session.participants.compactMapValues(\.facts)
    past = session.past
    activity = session.activity
    uploads = session.journal.inOrder.compactMap { session.journal.facts($0.object.id) }
    attachments = session.attachmentObjects
    usedBytes = session.journal.usedBytes
    for segment in session.log.segments {
      segment.forEachEntry { tail[$0.sequence] = Array(segment.bytes[$0.start..<$0.end]) }
    }
    for segment in session.base.segments + session.log.segments {
      segment.forEachEntry { entry in
        guard entry.flags.retention != .remove, entry.kept(session.index) != nil else { return }
        held[entry.sequence] = Array(segment.bytes[entry.start..<entry.end])
      }
    }
  }
}
