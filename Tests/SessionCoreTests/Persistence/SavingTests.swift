import FoundationEssentials
import Testing
import Wire

import Primitives
@testable import SessionCore

/// P4 and P6 in a session: the records that it passes to the store, and how it handles the results.
@Suite("P4, P6: saving a session in the store")
struct SavingTests {
  @Test(
    "S54 a save has participants, then entries, then the client sequences of refused entries; no two saves have the same records"
  )
  func order() throws {
    let fixture = Fixture(saving: .byStore)
    #expect(fixture.disk.kinds == [.session, .numbers])
    #expect(fixture.session.hasUnsaved == false)
    let ada = try fixture.join(name: "Ada")
    ada.send("1", .appended, key: 1)
    ada.sendRaw(SentEntry(clientSequence: 2, type: []))
    let taken = fixture.session.takeUnsaved()
    let first = try #require(taken)
    #expect(first.records.kinds == [.participant, .run, .used])
    #expect(first.sequence == fixture.session.sequence)
    #expect(first.byteCount == first.records.reduce(0) { $0 + $1.body.count })
    ada.sendRaw(SentEntry(clientSequence: 3))
    #expect(fixture.session.takeUnsaved() == nil, "a save is in progress")
    #expect(fixture.session.hasUnsaved == true)
    fixture.session.didSave(first, now: fixture.now)
    #expect(fixture.session.committed == first.sequence)
    let takenAgain = fixture.session.takeUnsaved()
    let second = try #require(takenAgain)
    #expect(second.records.kinds == [.run])
    fixture.session.didSave(second, now: fixture.now)
    #expect(fixture.session.takeUnsaved() == nil)
    #expect(fixture.session.hasUnsaved == false)
    #expect(fixture.session.unsavedBytes == 0)
  }

  @Test(
    "S54 a save has at most 1 MiB, in whole frames; only the last of several saves has the client sequences of refused entries"
  )
  func pieces() throws {
    let fixture = Fixture(saving: .byStore)
    let ada = try fixture.join()
    for _ in 0..<30 { ada.send(String(repeating: "x", count: 100_000)) }
    ada.sendRaw(SentEntry(clientSequence: 31, type: []))
    var sizes: [Int] = []
    var kinds: [[SessionRecord.Kind]] = []
    while let unsaved = fixture.session.takeUnsaved() {
      sizes.append(unsaved.byteCount)
      kinds.append(unsaved.records.kinds)
      fixture.disk += unsaved.records
      // The restored `acknowledged` of a participant covers only entries that are on disk.
      let restored = try restore(fixture.disk).takeSession()
      let own = try #require(restored.participants[ada.number])
      #expect(own.acknowledged == (kinds.count < 3 ? UInt32(10 * kinds.count) : 31))
      fixture.session.didSave(unsaved, now: fixture.now)
      #expect(fixture.session.participants[ada.number]?.savedAcknowledged == own.acknowledged)
    }
    #expect(kinds == [[.participant, .run], [.run], [.run, .used]])
    #expect(sizes.allSatisfy { $0 <= SessionRecord.runBytes })
  }

  @Test(
    "S55 a sender gets `committed` when its own entry is on disk, at most every 100 ms"
  )
  func committed() throws {
    let fixture = Fixture(saving: .byStore)
    let ada = try fixture.join()
    let bo = try fixture.join()
    ada.send("1")
    try fixture.turn(ada, bo)
    let taken = fixture.session.takeUnsaved()
    let unsaved = try #require(taken)
    bo.send("2")
    fixture.pass(milliseconds: 1_000)
    try fixture.turn(ada, bo)
    #expect(ada.committed.isEmpty, "the entry is not on disk")
    fixture.session.didSave(unsaved, now: fixture.now)
    fixture.pass(milliseconds: 50)
    try fixture.turn(ada, bo)
    #expect(ada.committed == [unsaved.sequence])
    #expect(bo.committed.isEmpty)
    try fixture.save(ada, bo)
    for _ in 0..<2 {
      fixture.pass(milliseconds: 40)
      try fixture.turn(ada, bo)
      #expect(bo.committed.isEmpty, "less than 100 ms after the last `committed`")
    }
    for _ in 0..<3 {
      fixture.pass(milliseconds: 40)
      try fixture.turn(ada, bo)
    }
    #expect(bo.committed == [fixture.session.sequence])
    #expect(ada.committed == [unsaved.sequence])
  }

  @Test(
    "S56, S57 a failed save is repeated completely; the first failure and the first success after it are announced"
  )
  func failures() throws {
    let fixture = Fixture(saving: .byStore)
    let ada = try fixture.join(name: "Ada")
    ada.send("1", .appended, key: 1)
    ada.sendRaw(SentEntry(clientSequence: 2, type: []))
    let bo = try fixture.join(name: "Bo")
    bo.send("2")
    for isFull in [true, false] {
      let taken = fixture.session.takeUnsaved()
      let unsaved = try #require(taken)
      #expect(unsaved.records.kinds == [.participant, .participant, .run, .used])
      fixture.session.didNotSave(unsaved, isFull: isFull, now: fixture.now)
      #expect(fixture.session.committed == 0)
    }
    try fixture.save(ada)
    #expect(fixture.session.participants[ada.number]?.savedAcknowledged == 2)
    #expect(fixture.session.participants[bo.number]?.savedAcknowledged == 1)
    try fixture.save(ada)
    #expect(ada.notices.map(\.code) == [.storageFull, .saved])
    #expect(ada.notices.first?.detail.contains("disk is full") == true)
    let saved = try restore(fixture.disk).takeSession()
    #expect(Fingerprint(saved).held.count == 1)
    #expect(saved.participants[ada.number]?.acknowledged == 2)
    #expect(fixture.disk.kinds == [.session, .numbers, .participant, .participant, .run, .used, .run])
  }

  @Test("S58 all entries that are not on disk stay in the log, however many there are")
  func trimming() throws {
    let fixture = Fixture(saving: .byStore) { $0.catchUpTailBytes = 0 }
    let ada = try fixture.join()
    for _ in 0..<10 {
      ada.send(String(repeating: "x", count: 10_000))
      try fixture.turn(ada)
    }
    #expect(fixture.session.log.droppedThrough == 0)
    try fixture.save(ada)
    try fixture.turn(ada)
    #expect(fixture.session.log.droppedThrough > 0)
    #expect(fixture.session.log.droppedThrough <= fixture.session.committed)
  }

  @Test(
    "S68 while too many bytes are unsaved, entries that make the log grow are refused, and a `remove` is accepted",
    arguments: [false, true])
  func refusals(isOfAll: Bool) throws {
    let fixture = Fixture(saving: .byStore) { $0.unsavedSessionBytes = isOfAll ? 1 << 20 : 2_000 }
    let ada = try fixture.join()
    ada.send("a", .appended, key: 1)
    try fixture.save(ada)
    if isOfAll {
      fixture.session.refusesGrowth = true
    } else {
      ada.send(String(repeating: "x", count: 2_000))
    }
    let before = ada.texts.count
    ada.send("b", .appended, key: 2)
    let number = try #require(fixture.session.participants[ada.number]?.acknowledged)
    try fixture.turn(ada)
    let refusal = try #require(ada.refusals.last)
    #expect(refusal.code == .storageFull)
    #expect(refusal.retryAfterMs == 1000)
    #expect(refusal.clientSequence == number + 1)
    #expect(refusal.limit == UInt64(fixture.session.limits.unsavedSessionBytes))
    #expect(ada.texts.count == before + (isOfAll ? 0 : 1))
    // This `remove` has the client sequence of the refused entry. It is accepted.
    ada.sendRaw(
      SentEntry(flags: .removed, clientSequence: number + 1, key: EntryKey(high: 0, low: 1)))
    #expect(fixture.session.retainedBytes == 0)
    fixture.session.setProfile(Profile(name: "Ida"), of: ada.subscriber)
    fixture.session.setActivity(ActivityChange(title: "T"), by: ada.subscriber, now: fixture.now)
    #expect(fixture.session.activity.title == "Draw Together")
    let taken = fixture.refusal { () throws(Refusal) in
      try fixture.session.consumeUploadRate(size: 1, now: fixture.now)
    }
    #expect(taken?.code == .storageFull)
    let added = fixture.refusal { () throws(Refusal) in try fixture.add(9) }
    #expect(added?.code == .storageFull)
    fixture.session.refusesGrowth = false
    try fixture.save(ada)
    #expect(ada.refusals.map(\.code) == [.storageFull, .storageFull, .storageFull])
    ada.sendRaw(SentEntry(clientSequence: number + 2))
    #expect(fixture.session.participants[ada.number]?.acknowledged == number + 2)
  }

  @Test("S68 if the unsaved bytes exceed twice the limit, only a `remove` that frees bytes is accepted")
  func removals() throws {
    let fixture = Fixture(saving: .byStore) { $0.unsavedSessionBytes = 1_100 }
    let ada = try fixture.join()
    ada.send("a", .appended, key: 1)
    try fixture.save(ada)
    for _ in 0..<100 { ada.send("", .removed, key: 5) }
    #expect(fixture.session.unsavedBytes >= 2_200)
    #expect(fixture.session.unsavedBytes < 2_300)
    let acknowledged = try #require(fixture.session.participants[ada.number]?.acknowledged)
    ada.sendRaw(
      SentEntry(flags: .removed, clientSequence: acknowledged + 1, key: EntryKey(high: 0, low: 1)))
    #expect(fixture.session.retainedBytes == 0)
  }

  @Test("S65 a client whose entries are always refused does not make the session's log file grow forever")
  func usedUp() throws {
    let fixture = Fixture(saving: .byStore)
    let ada = try fixture.join()
    try fixture.save()
    fixture.session.save.consumedBytes = SaveState.consumedLimit - 8
    for clientSequence: UInt32 in 1...3 {
      ada.sendRaw(SentEntry(clientSequence: clientSequence, type: []))
      try fixture.save()
      #expect(fixture.session.hasUnsaved == false)
    }
    #expect(fixture.disk.filter { $0.kind == .used }.map(\.body) == [[0, 0, 0, 1, 0, 0, 0, 1]])
    let (after, _) = try fixture.reload()
    #expect(after.session.save.consumedBytes == 8)
    let again = after.connect()
    again.join(resume: Resume(token: ada.joined?.token, next: 4))
    try after.turn(again)
    #expect(again.joined?.acknowledged == 3)
  }

  @Test("S69 participants are warned once when attachments use four fifths of their quota")
  func quota() throws {
    let fixture = Fixture { $0.sessionAttachmentBytes = 1_000 }
    let ada = try fixture.join()
    try fixture.add(1, size: 799)
    try fixture.turn(ada)
    #expect(ada.notices.isEmpty)
    try fixture.add(2, size: 1)
    try fixture.turn(ada)
    try fixture.add(3, size: 1)
    try fixture.turn(ada)
    #expect(ada.notices.map(\.actual) == [800])
    #expect(ada.notices.map(\.limit) == [1_000])
    #expect(ada.notices.map(\.code) == [.sessionQuota])
  }
}

extension TestClient {
  var notices: [NoticePayload] {
    entries.filter { $0.typeText == "notice" }.compactMap { entry in
      do {
        return try NoticePayload.decode(entry.payload.span)
      } catch {
        return nil
      }
    }
  }
}
