import FoundationEssentials
import Testing
import Wire

import Primitives
@testable import SessionCore

/// PROTOCOL 4: the entries that announce attachments, both live and in catch-ups.
@Suite("PROTOCOL 4: a session announces its attachments with entries, live and in catch-ups")
struct JournalTests {
  /// Returns the attachment object of PROTOCOL 4 as JSON, independently of the code under test.
  private func object(
    _ number: UInt64, size: String, sha256: String = "null", participant: String = "null",
    state: String = "uploading", offset: Int
  ) -> String {
    let id = "00000000-0000-0000-0000-00000000000\(number)"
    return #"{"id":"\#(id)","name":"n","contentType":"image/png","size":\#(size),"sha256":\#(sha256),"#
      + #""metadata":null,"participant":\#(participant),"state":"\#(state)","offset":\#(offset),"#
      + #""createdAt":"1970-01-01T00:00:00Z","#
      + #""url":"/api/sessions/AAAAAAAAAAAAAAAAAAAAAQ/attachments/\#(id)"}"#
  }

  private func texts(_ entries: [ReceivedEntry]) -> [String] {
    entries.map { String(decoding: $0.payload, as: UTF8.self) }
  }

  @Test(
    "S46 an attachment is announced when it is added, when its upload pauses, when its size is set, and when it is ready"
  )
  func life() throws {
    let fixture = Fixture()
    let ada = try fixture.join()
    let id = try fixture.add(1, participant: ada.number)
    fixture.session.uploadMoved(id, to: 2, now: fixture.now)
    fixture.session.uploadPaused(id, at: 3, now: fixture.now)
    try fixture.session.setUploadSize(id, 5, now: fixture.now)
    #expect(fixture.session.storeContent(id, digest: "ab", size: 5) == .first)
    let ready = fixture.session.finishAttachment(id, now: fixture.now)
    try fixture.turn(ada)
    try ada.take(fixture.session.unreliableFrames)
    #expect(
      texts(ada.attachments) == [
        object(1, size: "null", participant: "1", offset: 0),
        object(1, size: "null", participant: "1", offset: 3),
        object(1, size: "5", participant: "1", offset: 3),
        object(1, size: "5", sha256: #""ab""#, participant: "1", state: "ready", offset: 5),
      ])
    #expect(
      ada.attachments.allSatisfy {
        $0.flags == EntryFlags([.reliable, .system], retention: .replace) && $0.sender == 0
          && $0.key == EntryKey(high: 0, low: 1) && $0.sequence > 0
      })
    // Offset 2 is not sent as progress, because later entries of the same turn announce higher offsets.
    #expect(ada.progress.isEmpty)
    #expect(ready == fixture.session.attachment(id)?.object)
    #expect(fixture.session.attachmentObjects == [ready])
    #expect(fixture.session.attachment(id)?.uploadMetadata == "filename bg==")
  }

  @Test("S46 attachments are listed in the order of their creation")
  func order() throws {
    let fixture = Fixture()
    for number in [5, 2, 9, 1] as [UInt64] { try fixture.add(number) }
    _ = fixture.session.removeAttachment(fixture.attachmentID(2), now: fixture.now)
    try fixture.add(2)
    #expect(fixture.session.attachmentObjects.map { EntryKey($0.id).low } == [5, 9, 1, 2])
  }

  @Test(
    "S46 an uploader's join is announced before the attachment; after the uploader has left, snapshots still have its name"
  )
  func uploader() throws {
    let fixture = Fixture { $0.graceSeconds = 0 }
    let ada = try fixture.join()
    let bo = try fixture.join(name: "Bo", endsTurn: false)
    try fixture.add(1, participant: 2)
    try fixture.turn(ada)
    #expect(ada.entries.suffix(2).map(\.typeText) == ["participants", "attachment"])
    bo.leave()
    try fixture.turn(ada)
    let late = try fixture.join()
    #expect(late.people.first?.past.map(\.name) == ["Bo"])
  }

  @Test(
    "S46 a snapshot has all attachments with their announced offsets, and also client entries whose key is an attachment's id"
  )
  func snapshot() throws {
    let fixture = Fixture { $0.catchUpTailBytes = 0 }
    let ada = try fixture.join()
    let id = try fixture.add(1, size: 9)
    try fixture.add(2)
    fixture.session.uploadPaused(id, at: 4, now: fixture.now)
    ada.send("moved there", .replaced, key: 1)
    try fixture.turn(ada)
    let late = try fixture.join()
    #expect(late.catchUps == [.snapshot])
    #expect(
      texts(late.attachments).sorted()
        == [object(1, size: "9", offset: 4), object(2, size: "null", offset: 0)].sorted())
    #expect(late.texts == ["moved there"])
  }

  @Test("S47 client entries whose key is an attachment's id, even a `remove`, do not change the attachment")
  func clientRemoves() throws {
    let fixture = Fixture()
    let ada = try fixture.join()
    let id = try fixture.add(1, size: 3)
    let listed = fixture.session.attachmentObjects
    ada.send("moved", .replaced, key: 1)
    ada.send("", .removed, key: 1)
    try fixture.turn(ada)
    #expect(fixture.session.attachmentObjects == listed)
    #expect(fixture.session.attachment(id) != nil)
    let late = try fixture.join()
    #expect(texts(late.attachments) == [object(1, size: "3", offset: 0)])
    #expect(late.texts.isEmpty)
  }

  @Test(
    "S47 removing an attachment removes its entry, and the entry that clients sent with the attachment's id as key"
  )
  func removal() throws {
    let fixture = Fixture()
    let ada = try fixture.join()
    let id = try fixture.add(1, size: 3)
    ada.send("moved", .replaced, key: 1)
    try fixture.turn(ada)
    ada.forget()
    let removed = fixture.session.removeAttachment(id, now: fixture.now)
    #expect(removed == RemovedAttachment(id: id, wasUploading: true, orphanedDigest: nil))
    try fixture.turn(ada)
    #expect(
      ada.attachments.map(\.flags) == [
        EntryFlags([.reliable, .system], retention: .remove), EntryFlags(.reliable, retention: .remove),
      ])
    #expect(
      ada.attachments.allSatisfy {
        $0.key == EntryKey(high: 0, low: 1) && $0.sender == 0 && $0.payload.isEmpty
      })
    #expect(fixture.session.retainedBytes == 0)
    #expect(fixture.session.attachmentObjects.isEmpty)
    let late = try fixture.join()
    #expect(late.drawn.isEmpty && late.attachments.isEmpty)
    #expect(fixture.session.removeAttachment(id, now: fixture.now) == nil)
  }

  @Test("S53 upload events that arrive after the attachment was removed change nothing and announce nothing")
  func late() throws {
    let fixture = Fixture()
    let stored = try fixture.add(1, size: 3)
    let uploading = try fixture.add(2)
    #expect(fixture.session.storeContent(stored, digest: "ab", size: 3) == .first)
    #expect(
      fixture.session.removeAttachment(stored, now: fixture.now)
        == RemovedAttachment(id: stored, wasUploading: true, orphanedDigest: "ab"))
    #expect(fixture.session.removeAttachment(uploading, now: fixture.now)?.orphanedDigest == nil)
    let sequence = fixture.session.sequence
    #expect(fixture.session.finishAttachment(stored, now: fixture.now) == nil)
    #expect(fixture.session.storeContent(uploading, digest: "cd", size: 1) == nil)
    #expect(fixture.session.finishAttachment(uploading, now: fixture.now) == nil)
    fixture.session.uploadMoved(uploading, to: 1, now: fixture.now)
    fixture.session.uploadPaused(uploading, at: 1, now: fixture.now)
    let refusals = [
      fixture.refusal { () throws(Refusal) in
        try fixture.session.restartUpload(uploading, size: 1, now: fixture.now)
      },
      fixture.refusal { () throws(Refusal) in
        try fixture.session.setUploadSize(uploading, 1, now: fixture.now)
      },
      fixture.refusal { () throws(Refusal) in
        _ = try fixture.session.reserveUpload(uploading, upTo: 1)
      },
    ]
    #expect(refusals.map(\.?.code) == [.notFound, .notFound, .notFound])
    #expect(fixture.session.sequence == sequence)
    #expect(fixture.session.journal.usedBytes == 0)
    #expect(fixture.session.nextDeadline == nil)
  }

  @Test("S53 a complete attachment cannot make progress, pause or restart")
  func whole() throws {
    let fixture = Fixture()
    let id = try fixture.add(1, size: 3)
    _ = fixture.session.storeContent(id, digest: "ab", size: 3)
    _ = fixture.session.finishAttachment(id, now: fixture.now)
    let (sequence, object) = (fixture.session.sequence, fixture.session.attachment(id)?.object)
    fixture.session.uploadMoved(id, to: 1, now: fixture.now)
    fixture.session.uploadPaused(id, at: 1, now: fixture.now)
    #expect(fixture.session.storeContent(id, digest: "cd", size: 3) == nil)
    #expect(fixture.session.finishAttachment(id, now: fixture.now) == nil)
    #expect(
      fixture.refusal { () throws(Refusal) in
        try fixture.session.restartUpload(id, size: 3, now: fixture.now)
      }?.code == .notFound)
    #expect(fixture.session.sequence == sequence)
    #expect(fixture.session.attachment(id)?.object == object)
  }

  @Test("S34 a session with an attachment is kept as long as a session with retained entries")
  func keep() throws {
    let fixture = Fixture()
    let id = try fixture.add(1)
    #expect(fixture.session.expiresAt == fixture.now.adding(seconds: 2_592_000))
    _ = fixture.session.removeAttachment(id, now: fixture.now)
    #expect(fixture.session.expiresAt == fixture.now.adding(seconds: 600))
  }
}
