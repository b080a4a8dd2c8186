import FoundationEssentials
import Testing
import Wire

import Primitives
@testable import SessionCore

/// P4 for attachments: uploads are restored with their offsets.
@Suite("P4: attachments after their session was loaded from disk")
struct RestoringJournalTests {
  static let digest = String(repeating: "ab", count: 32)

  @Test("S64 an upload is restored with its offset, its file, and its value of `isResumable`")
  func uploading() throws {
    let fixture = Fixture(saving: .byStore)
    let ada = try fixture.join()
    try fixture.add(1, size: 100, participant: ada.number)
    try fixture.add(2, isResumable: false)
    fixture.session.uploadPaused(fixture.attachmentID(1), at: 40, now: fixture.now)
    try fixture.save()
    let (after, restored) = try fixture.reload()
    let ids = [fixture.attachmentID(1), fixture.attachmentID(2)]
    #expect(
      restored.uploads == [
        RestoredUpload(id: ids[0], file: ids[0], isResumable: true, size: 100, digest: nil),
        RestoredUpload(id: ids[1], file: ids[1], isResumable: false, size: nil, digest: nil),
      ])
    let attachment = after.session.attachment(ids[0])
    let found = try #require(attachment)
    #expect(found.object == fixture.session.attachment(ids[0])?.object)
    #expect(found.uploadMetadata == "filename bg==")
    #expect(after.session.journal.usedBytes == 100)
    let looker = try after.look()
    after.session.uploadFound(ids[0], holding: 60, now: after.now)
    after.session.uploadFound(ids[1], holding: 7, now: after.now)
    try after.turn(looker)
    #expect(
      after.session.journal.usedBytes == 107,
      "the quota counts the bytes in the file of an upload of unknown size")
    let told = try looker.attachments.map { try AttachmentObject.decode($0.payload.span).offset }
    #expect(told == [0, 40, 60, 7])
    after.session.uploadFound(ids[0], holding: 60, now: after.now)
    try after.turn(looker)
    #expect(looker.attachments.count == 4, "offset 60 was announced already")
    #expect(after.session.expiredUploads(now: after.now.adding(seconds: 86_399)).isEmpty)
    #expect(Set(after.session.expiredUploads(now: after.now.adding(seconds: 86_400))) == Set(ids))
  }

  @Test(
    "S64 if the digest of an upload is on disk, the upload is restored with the digest, and only has to be finished",
    arguments: [false, true])
  func stored(isThere: Bool) throws {
    let fixture = Fixture(saving: .byStore)
    if isThere {
      let other = try fixture.add(7)
      _ = fixture.session.storeContent(other, digest: Self.digest, size: 30)
      _ = fixture.session.finishAttachment(other, now: fixture.now)
    }
    let id = try fixture.add(1)
    try fixture.save()
    _ = fixture.session.storeContent(id, digest: Self.digest, size: 30)
    #expect(fixture.session.hasUnsaved == true)
    try fixture.save()
    #expect(fixture.disk.last?.kind == .upload)
    let (after, restored) = try fixture.reload()
    #expect(
      restored.uploads == [
        RestoredUpload(id: id, file: id, isResumable: true, size: 30, digest: Self.digest)
      ])
    #expect(restored.contents == [Self.digest])
    #expect(after.session.journal.usedBytes == 30)
    #expect(after.session.storedPlacement(id) == (isThere ? .duplicate : .first))
    let finished = after.session.finishAttachment(id, now: after.now)
    let object = try #require(finished)
    #expect(object.state == .ready && object.sha256 == Self.digest && object.size == 30)
    #expect(after.session.storedPlacement(id) == nil)
    try after.save()
    let (last, done) = try after.reload()
    #expect(done.uploads.isEmpty)
    #expect(last.session.attachment(id)?.object == object)
    #expect(last.session.removeAttachment(id, now: last.now)?.orphanedDigest == (isThere ? nil : Self.digest))
  }

  @Test(
    "S64 after a load, attachments have the same metadata text, and a nearly full quota does not cause a second warning"
  )
  func ready() throws {
    let fixture = Fixture(saving: .byStore) { $0.sessionAttachmentBytes = 100 }
    let text = Array(#"{ "z": 1.50, "a": "\u00e9" }"#.utf8)
    let id = fixture.attachmentID(1)
    try fixture.session.addAttachment(
      AttachmentDraft(
        id: id, file: id, name: "é\"", contentType: "image/png", size: 90,
        metadata: try AttachmentMetadata.parse(text.span, limit: 100), participant: nil, isResumable: true,
        uploadMetadata: nil),
      now: fixture.now, date: Date(timeIntervalSince1970: 0))
    _ = fixture.session.storeContent(id, digest: Self.digest, size: 90)
    _ = fixture.session.finishAttachment(id, now: fixture.now)
    try fixture.save()
    let (after, _) = try fixture.reload()
    #expect(after.session.attachment(id)?.object == fixture.session.attachment(id)?.object)
    #expect(after.session.attachment(id)?.object.metadata?.text == text)
    let looker = try after.look()
    #expect(looker.notices.isEmpty)
  }

  @Test(
    "S64 a reused attachment id refers to the later attachment only if the entry of that attachment is on disk"
  )
  func again() throws {
    let fixture = Fixture(saving: .byStore)
    let id = fixture.attachmentID(1)
    try fixture.add(1, size: 100)
    try fixture.save()
    _ = fixture.session.removeAttachment(id, now: fixture.now)
    let second = EntryKey(high: 5, low: 5).uuid
    try fixture.session.addAttachment(
      AttachmentDraft(
        id: id, file: second, name: "n", contentType: "image/png", size: 7, metadata: nil, participant: nil,
        isResumable: false, uploadMetadata: nil),
      now: fixture.now, date: Date(timeIntervalSince1970: 0))
    let taken = fixture.session.takeUnsaved()
    let unsaved = try #require(taken)
    #expect(unsaved.records.kinds == [.upload, .run])
    let torn = fixture.disk + unsaved.records.prefix(1)
    let first = try fixture.reload(torn)
    #expect(first.restored.uploads.map(\.file) == [id])
    #expect(first.restored.uploads.map(\.size) == [100])
    let whole = try fixture.reload(fixture.disk + unsaved.records).restored
    #expect(whole.uploads.map(\.file) == [second])
    #expect(whole.uploads.map(\.isResumable) == [false])
    // The epoch after the crash assigns the same sequences to other entries.
    let ada = try first.fixture.join()
    for _ in 0..<9 { ada.send("x") }
    try first.fixture.save()
    #expect(try first.fixture.reload().restored.uploads.map(\.file) == [id])
  }

  @Test("S64 a removed attachment is not restored, and its content no longer counts toward the quota")
  func removed() throws {
    let fixture = Fixture(saving: .byStore)
    let id = try fixture.add(1)
    _ = fixture.session.storeContent(id, digest: Self.digest, size: 30)
    try fixture.save()
    _ = fixture.session.removeAttachment(id, now: fixture.now)
    try fixture.save()
    let (after, restored) = try fixture.reload()
    #expect(restored.uploads.isEmpty)
    #expect(restored.contents.isEmpty)
    #expect(after.session.journal.usedBytes == 0)
    #expect(after.session.attachmentObjects.isEmpty)
  }
}
