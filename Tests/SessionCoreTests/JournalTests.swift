import FoundationEssentials
import Testing
import Wire

@testable import SessionCore

/// Section 4: attachments in the order, in catch-ups and in the quota.
@Suite("§4: the journal in a session")
struct JournalTests {
  @Test("an attachment is told of when it is added, when it is ready and when it is gone")
  func life() throws {
    let fixture = Fixture()
    let ada = try fixture.join()
    let id = EntryKey(high: 1, low: 2).uuid
    try fixture.session.addAttachment(
      AttachmentDraft(
        id: id, name: "a.png", contentType: "image/png", size: 3, metadata: nil, participant: ada.number,
        isResumable: false, uploadMetadata: nil), now: fixture.now, date: Date(timeIntervalSince1970: 0))
    try fixture.turn(ada)
    fixture.session.uploadMoved(id, to: 2, now: fixture.now)
    try fixture.turn(ada)
    try ada.take(fixture.session.ephemeralFrames)
    #expect(fixture.session.storeContent(id, digest: "d", size: 3) == .first)
    #expect(fixture.session.finishAttachment(id, now: fixture.now)?.state == .ready)
    try fixture.turn(ada)
    #expect(fixture.session.removeAttachment(id, now: fixture.now)?.orphanedDigest == "d")
    try fixture.turn(ada)
    #expect(
      ada.entries.map(\.typeText).filter { $0 != "participants" && $0 != "activity" }
        == ["attachment", "attachmentProgress", "attachment", "attachment", "attachment"])
  }
}
