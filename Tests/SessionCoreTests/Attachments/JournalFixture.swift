import FoundationEssentials
import Wire

import Primitives
@testable import SessionCore

extension Fixture {
  /// Returns the attachment id for a number.
  func attachmentID(_ number: UInt64) -> UUID { EntryKey(high: 0, low: number).uuid }

  /// Adds an attachment with a fixed name and content type.
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

  /// Returns the refusal that a call throws; nil if the call succeeds.
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
  /// The received `attachment` entries, in order.
  var attachments: [ReceivedEntry] { entries.filter { $0.typeText == "attachment" } }

  /// The offsets in the received `attachmentProgress` entries.
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
