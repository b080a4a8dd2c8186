import FoundationEssentials
import Testing
import Wire

@testable import SessionCore

/// The times of stored entries.
@Suite("A `time` record follows the entries that were stored at this time")
struct TimeRecordTests {
  @Test("a `time` record has milliseconds since 1970 in eight bytes, and is read back unchanged")
  func bytes() throws {
    let record = TimeRecord(Date(timeIntervalSince1970: 1_000.25))
    #expect(record.encoded.body == [0, 0, 0, 0, 0, 0x0F, 0x43, 0x3A])
    #expect(try TimeRecord(record.encoded.body.span) == record)
  }

  @Test("a time outside the valid range becomes the nearest valid time")
  func bounds() {
    #expect(TimeRecord(Date(timeIntervalSince1970: -5)).milliseconds == 0)
    #expect(TimeRecord(Date(timeIntervalSince1970: 1e30)).milliseconds == 1 << 53 - 1)
  }

  @Test("a wrong length or a time beyond 2^53 is an error")
  func faults() {
    let short = [UInt8](repeating: 0, count: 7)
    #expect(throws: RecordError(11, .cutShort(needed: 8, have: 7))) { _ = try TimeRecord(short.span) }
    let late: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 0]
    #expect(throws: RecordError(11, .numberTooLarge(1 << 56))) { _ = try TimeRecord(late.span) }
  }

  @Test("a save with entries ends its run with the time; a save without entries has no time")
  func saving() throws {
    let fixture = Fixture(saving: .byStore)
    let ada = try fixture.join(name: "Ada")
    ada.send("1", .appended, key: 1)
    ada.sendRaw(SentEntry(clientSequence: 2, type: []))
    let date = Date(timeIntervalSince1970: 7)
    let taken = fixture.session.takeUnsaved(at: date)
    let first = try #require(taken)
    #expect(first.records.kinds == [.participant, .run, .time, .used])
    #expect(first.records[2] == TimeRecord(date).encoded)
    fixture.disk += first.records
    fixture.session.didSave(first, now: fixture.now)
    ada.sendRaw(SentEntry(clientSequence: 3, type: []))
    let takenAgain = fixture.session.takeUnsaved(at: date)
    let second = try #require(takenAgain)
    #expect(second.records.kinds == [.used])
    fixture.disk += second.records
    let restored = try restore(fixture.disk).takeSession()
    #expect(restored.participants[ada.number]?.acknowledged == 3)
  }
}
