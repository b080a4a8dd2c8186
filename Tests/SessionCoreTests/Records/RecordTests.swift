import FoundationEssentials
import Testing
import Wire

@testable import SessionCore

/// The bytes of each kind of record. They must not change, because later versions read the files of this version.
@Suite("The bytes of each kind of session record never change")
struct RecordTests {
  @Test("each kind of record has a fixed number in the file")
  func kinds() {
    #expect(SessionRecord.Kind.allCases.map(\.rawValue) == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
    #expect(
      SessionRecord.Kind.allCases == [
        .session, .participant, .numbers, .run, .base, .used, .upload, .closed, .end, .restored, .time,
      ])
  }

  @Test("the first records of a session have the expected bytes")
  func first() throws {
    let fixture = Fixture(saving: .byStore)
    #expect(
      text(fixture.disk[0])
        == #"{"id":"AAAAAAAAAAAAAAAAAAAAAQ","epoch":"epoch","history":[],"#
        + #""createdAt":"1970-01-01T00:00:00Z","#
        + #""activity":{"identifier":"drawtogether","title":"Draw Together","type":"generic"},"activityBy":0}"#
    )
    #expect(fixture.disk[1].body == [0, 0, 0x10, 0])
    let record = fixture.disk[0]
    let facts = try SessionHeaderRecord(record.body.span)
    #expect(facts.encoded == record)
  }

  @Test("a `participant` record is read back unchanged, with and without a token digest")
  func participant() throws {
    let person = Participant(
      id: EntryKey(high: 9, low: 1).uuid, number: 7, name: "Ada \"A\"", color: "#112233")
    var facts = ParticipantRecord(
      participant: person, digest: TokenDigest(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210),
      acknowledged: 41, presence: .active)
    #expect(
      text(facts.encoded)
        == #"{"number":7,"id":"00000000-0000-0009-0000-000000000001","#
        + ##""token":"0123456789abcdeffedcba9876543210","name":"Ada \"A\"","color":"#112233","##
        + #""acknowledged":41,"presence":"active"}"#)
    #expect(try reread(facts) == facts)
    facts.digest = nil
    facts.presence = .left
    #expect(try reread(facts) == facts)
  }

  @Test("a `run` record has a frame of entries for all participants and a frame of a targeted entry")
  func run() throws {
    let fixture = Fixture(saving: .byStore)
    let ada = try fixture.join(name: "Ada", color: "#112233")
    try fixture.save()
    let before = fixture.disk.count
    ada.send("a", .appended, key: 5)
    ada.send("b", [.reliable, .targeted], to: [3_000, 1])
    ada.send("c", [.reliable, .targeted], to: [])
    try fixture.save()
    // The second entry names a participant number that was never assigned. So this entry is refused, and uses up its client
    // sequence.
    #expect(fixture.disk[before...].map(\.kind) == [.run, .used])
    #expect(
      fixture.disk[before].body == [
        0, 0, 0, 40, 0xFF, 0xFF, 0xFF, 0xFF,
        0, 0, 0, 36, 0x03, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0x54, 0x61,
        0, 0, 0, 24, 0, 0, 0, 1, 0, 0, 0, 1,
        0, 0, 0, 20, 0x09, 1, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 3, 0x54, 0x63,
      ])
    #expect(fixture.disk[before + 1].body == [0, 0, 0, 1, 0, 0, 0, 2])
    let body = fixture.disk[before].body
    let last = try RunFrames.lastSequence(in: body.span)
    #expect(last == 3)
    let empty: [UInt8] = []
    let none = try RunFrames.lastSequence(in: empty.span)
    #expect(none == nil)
  }

  @Test("a `base` record has the sequence up to which it covers the log, and the retained entries")
  func base() throws {
    let fixture = Fixture(saving: .byStore) { $0.catchUpTailBytes = 0 }
    let ada = try fixture.join()
    ada.send("a", .appended, key: 5)
    for _ in 0..<3 {
      ada.send(String(repeating: "x", count: 5_000))
      try fixture.save()
    }
    let plan = fixture.session.beginCompaction()
    let sliced = fixture.session.compactionSlice(after: 0, through: plan.through)
    let slice = try #require(sliced)
    #expect(plan.through >= 2)
    #expect(slice.last == plan.through)
    #expect(
      slice.record.body == [
        0, 0, 0, 0, 0, 0, 0, UInt8(plan.through),
        0, 0, 0, 36, 0x03, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0x54, 0x61,
      ])
    #expect(fixture.session.compactionSlice(after: slice.last, through: plan.through) == nil)
  }

  @Test(
    "the `upload` record of an incomplete upload has no digest; the record of a complete upload has digest and size"
  )
  func upload() throws {
    var facts = UploadRecord(
      id: EntryKey(high: 0, low: 1).uuid, file: EntryKey(high: 0, low: 2).uuid, sequence: 12,
      isResumable: true, uploadMetadata: nil, content: nil)
    let head =
      #"{"id":"00000000-0000-0000-0000-000000000001","file":"00000000-0000-0000-0000-000000000002","#
      + #""sequence":12,"isResumable":true"#
    #expect(text(facts.encoded) == head + "}")
    #expect(try reread(facts) == facts)
    let digest = String(repeating: "0a", count: 32)
    facts.content = UploadRecord.Content(digest: digest, size: 5)
    facts.uploadMetadata = "filename bg=="
    #expect(
      text(facts.encoded) == head + #","uploadMetadata":"filename bg==","digest":"\#(digest)","size":5}"#)
    #expect(try reread(facts) == facts)
  }

  @Test("a `closed` record has the values that a list of sessions shows")
  func closed() throws {
    let fixture = Fixture(saving: .byStore)
    let ada = try fixture.join()
    ada.send("a", .appended, key: 5)
    try fixture.save()
    ada.leave()
    try fixture.save()
    fixture.close()
    #expect(
      text(fixture.disk[fixture.disk.count - 1])
        == #"{"generation":"stopped","at":"1970-01-01T00:16:40Z","nextNumber":2,"title":"Draw Together","#
        + #""createdAt":"1970-01-01T00:00:00Z","emptySince":"1970-01-01T00:16:40Z","sequence":3,"people":1,"#
        + #""retainedBytes":40,"attachments":0,"attachmentBytes":0}"#)
  }

  @Test("a token digest is 32 hexadecimal digits in lower case; any other text is refused")
  func digests() {
    let digest = TokenDigest(high: 0x0123_4567_89AB_CDEF, low: 1)
    #expect(digest.hex == "0123456789abcdef0000000000000001")
    #expect(TokenDigest(hex: digest.hex) == digest)
    for text in ["", "0", digest.hex + "0", digest.hex.uppercased(), digest.hex.dropLast() + "g"] {
      #expect(TokenDigest(hex: text) == nil)
    }
  }

  private func reread(_ facts: ParticipantRecord) throws -> ParticipantRecord {
    let record = facts.encoded
    return try ParticipantRecord(record.body.span)
  }

  private func reread(_ facts: UploadRecord) throws -> UploadRecord {
    let record = facts.encoded
    return try UploadRecord(record.body.span)
  }

  private func text(_ record: SessionRecord) -> String { String(decoding: record.body, as: UTF8.self) }
}
