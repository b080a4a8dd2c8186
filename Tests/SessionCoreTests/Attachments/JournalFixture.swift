import FoundationEssentials
import Wire

import Primitives
@testable import SessionCore

extension Fixture {
  /// The id of the attachments of a test.
  func attachmentID(_ number: UInt64) -> UUID { EntryKey(high: 0, low: number).uuid }

  /// Adds an attachment that says nothing but its size.
  @discardableResult
  func add(
    _ number: UInt64, size: UInt64? = nil, participant: ParticipantNumber? = nil, isResumable: Bool = true
  ) throws(Refusal) -> UUID {
    let id = attachmentID(number)
    let draft = AttachmentDraft(
      id: id, file: id, name: "n", contentType: "image/png", size: size, metadata: nil,
      participant: participant,
      isResumable: isResumable, uploadMetadata: "filename bg==")
    try session.addAttachment(draft, now: now, date: Date(timeIntervalSince1970: 0))
    return id
  }

  /// The refusal of something; nil when it was not refused.
  func refusal(_ body: () throws(Refusal) -> Void) -> Refusal? {
    do throws(Refusal) {
      try body()
      return nil
    } catch {
      return error
    }
  }
}

extension TestClient {
  /// What came about attachments: their entries in the order.
  var attachments: [ReceivedEntry] { entries.filter { $0.typeText == "attachment" } }

  /// The offsets that unreliable entries told.
  var progress: [UInt64] {
    entries.filter { $0.typeText == "attachmentProgress" }.compactMap { entry in
      do {
        return try AttachmentProgressPayload.decode(entry.payload.span).offset
      } catch {
        return nil
      }
    }
  }
}
