import FoundationEssentials
import Testing
import Wire

import Primitives
@testable import SessionCore

/// P2, P3, P4 and P8 when a saved session is loaded.
@Suite("P2, P3, P4, P8: a session that is loaded continues from its saved state")
struct RestoringTests {
  @Test(
    "S59, S60 after a crash, a client resumes in a new epoch, gets a snapshot of the saved state, and resends unsaved entries"
  )
  func crash() throws {
    let fixture = Fixture(saving: .byStore)
    let ada = try fixture.join(name: "Ada", color: "#112233")
    ada.send("1", .appended, key: 1)
    ada.send("2")
    try fixture.save(ada)
    let bo = try fixture.join(name: "Bo")
    ada.send("3", .appended, key: 1)
    try fixture.turn(ada, bo)
    let (after, restored) = try fixture.reload()
    #expect(!restored.isClean)
    #expect(after.session.epoch == "fresh")
    #expect(after.session.committed == after.session.sequence)
    #expect(after.session.emptySince == nil, "Ada may come back")
    let again = try after.comeBack(as: ada, after: fixture.session.sequence, epoch: "epoch")
    let joined = try #require(again.joined)
    #expect(joined.resumed)
    #expect(joined.acknowledged == 2)
    #expect(joined.participant == ada.joined?.participant)
    #expect(joined.epoch == "fresh")
    #expect(again.catchUps == [.snapshot])
    #expect(again.texts == ["1"], "the second is not retained, and the third was not saved")
    #expect(again.people.last?.joined.map(\.name) == ["Ada"])
    let unknown = try after.comeBack(as: bo, after: nil, epoch: "epoch")
    #expect(unknown.joined?.resumed == false)
    again.sendRaw(
      SentEntry(clientSequence: 2, payload: [0x32]), SentEntry(clientSequence: 3, payload: [0x33]))
    try after.turn(again)
    #expect(again.texts == ["1", "3"])
  }

  @Test(
    "S61 a session whose last record is `closed`, with the generation of the clean stop, continues its epoch, tail and sequences"
  )
  func clean() throws {
    let fixture = Fixture(saving: .byStore)
    let ada = try fixture.join(name: "Ada")
    let bo = try fixture.join(name: "Bo")
    ada.send("1")
    try fixture.turn(ada, bo)
    let seen = fixture.session.sequence
    ada.send("2", .appended, key: 1)
    ada.send("for Bo", [.reliable, .targeted], to: [bo.number])
    ada.send("nobody", [.reliable, .targeted], to: [])
    ada.breakWire()
    bo.breakWire()
    try fixture.save()
    fixture.close()
    let (after, restored) = try fixture.reload(generation: "stopped")
    #expect(restored.isClean)
    #expect(after.session.epoch == "epoch")
    #expect(after.session.sequence == fixture.session.sequence)
    let again = try after.comeBack(as: bo, after: seen, epoch: "epoch")
    #expect(again.catchUps == [.tail])
    #expect(again.texts == ["2", "for Bo"])
    #expect(again.people.isEmpty, "no participant was away for longer than the grace time")
    let first = try #require(again.drawn.first)
    #expect(first.sequence == seen + 1)
    again.send("4")
    try after.turn(again)
    #expect(again.drawn.last?.sequence == fixture.session.sequence + 1)
  }

  @Test(
    "S74 if a grace time ends just before a session is closed, the entry that announces the departure is saved before `closed`"
  )
  func graceEndsWhileClosing() throws {
    let fixture = Fixture(saving: .byStore)
    let ada = try fixture.join(name: "Ada")
    ada.breakWire()
    try fixture.save()
    fixture.pass(milliseconds: 30_000)
    #expect(fixture.session.hasUnsaved == true)
    while let unsaved = fixture.session.takeUnsaved() {
      fixture.disk += unsaved.records
      fixture.session.didSave(unsaved, now: fixture.now)
    }
    #expect(fixture.session.isAtRest == true)
    fixture.close()
    let (after, restored) = try fixture.reload(generation: "stopped")
    #expect(restored.isClean)
    #expect(after.session.sequence == fixture.session.sequence)
    let looker = try after.look()
    #expect(looker.people.first?.joined.map(\.name) == ["Looker"])
  }

  @Test(
    "S61 a load begins a new epoch if data was unsaved, or if the record `closed` has another generation or is not the last record",
    arguments: ["unsaved", "waiting", "presence", "life", "later", "under way"])
  func notWhole(_ what: String) throws {
    let fixture = Fixture(saving: .byStore)
    let ada = try fixture.join()
    try fixture.save(ada)
    var generation = "stopped"
    switch what {
    case "unsaved": ada.send("1")
    case "waiting":
      fixture.connect().wait()
      try fixture.save()
    case "presence": fixture.session.setProfile(Profile(name: "Ida"), of: ada.subscriber)
    case "under way":
      ada.send("1")
      _ = fixture.session.takeUnsaved()
    case "life": generation = "another"
    default: break
    }
    fixture.close()
    if what == "later" { fixture.disk.append(ConsumedSequencesRecord([]).encoded) }
    let (after, restored) = try fixture.reload(generation: generation)
    #expect(!restored.isClean)
    #expect(after.session.epoch == "fresh")
  }

  @Test(
    "S60 an active participant that does not come back is announced as gone after the grace time; a past one is not announced"
  )
  func grace() throws {
    let fixture = Fixture(saving: .byStore)
    let ada = try fixture.join(name: "Ada")
    let bo = try fixture.join(name: "Bo")
    let cy = try fixture.join(name: "Cy")
    bo.leave()
    cy.breakWire()
    fixture.pass(milliseconds: 30_000)
    try fixture.save(ada)
    fixture.now = fixture.now.adding(seconds: 1_000)
    let (after, _) = try fixture.reload()
    #expect(after.session.activeParticipantCount == 1)
    let looker = try after.look()
    #expect(looker.people.first?.joined.map(\.name) == ["Ada", "Looker"])
    after.pass(milliseconds: 29_999)
    try after.turn(looker)
    #expect(looker.people.count == 1)
    after.pass(milliseconds: 1)
    try after.turn(looker)
    #expect(looker.people.last?.left.map(\.number) == [ada.number])
    #expect(looker.people.last?.left.map(\.reason) == [.gone])
    let back = try after.comeBack(as: cy, after: nil, epoch: "epoch")
    #expect(back.number == cy.number)
    #expect(try after.comeBack(as: bo, after: nil, epoch: "epoch").number != bo.number)
  }

  @Test(
    "S60 a session that was empty when it was closed keeps the beginning of its empty period after a load")
  func empty() throws {
    let fixture = Fixture(saving: .byStore)
    let ada = try fixture.join()
    fixture.now = fixture.now.adding(seconds: 100)
    ada.leave()
    try fixture.save()
    fixture.now = fixture.now.adding(seconds: 200)
    fixture.close()
    let closed = try #require(fixture.disk.last)
    let facts = try ClosedRecord(closed.body.span)
    // At the close, the wall clock is at 1,000 s, and the session has been empty for 200 s.
    #expect(facts.emptySince == Date(timeIntervalSince1970: 800))
    #expect(facts.people == 1)
    fixture.now = fixture.now.adding(seconds: 5_000)
    let (after, _) = try fixture.reload(opens: false)
    #expect(
      after.session.emptySince == fixture.now.adding(seconds: -200),
      "the wall clock is at 1,000 s at the load too")
    // The session still reports the recorded time, although both clocks have changed since.
    let (later, date) = (fixture.now.adding(seconds: 60), Date(timeIntervalSince1970: 9e6))
    #expect(after.session.emptySinceDate(now: later, date: date) == Date(timeIntervalSince1970: 800))
    fixture.disk.removeLast()
    let (crashed, _) = try fixture.reload(opens: false)
    #expect(crashed.session.emptySince == fixture.now)
  }

  @Test(
    "S60 after a load, the session knows the newest past participants, in the order in which they became past"
  )
  func past() throws {
    let fixture = Fixture(saving: .byStore) { $0.pastParticipants = 2 }
    let people = try (0..<4).map { _ in try fixture.join() }
    try fixture.save()
    for index in [2, 0, 3] { people[index].leave() }
    people[1].breakWire()
    fixture.pass(milliseconds: 30_000)
    try fixture.save()
    let after = try fixture.reload().fixture
    #expect(after.session.participants.past == [people[3].number, people[1].number])
    #expect(Set(after.session.participants.states.keys) == [people[3].number, people[1].number])
    #expect(
      after.session.activeParticipantCount == 0, "a participant beyond `pastParticipants` is not active again"
    )
    let returned = try #require(people[1].joined?.token)
    #expect(after.session.isKnown(returned) == true)
    let forgotten = try #require(people[3].joined?.token)
    #expect(after.session.isKnown(forgotten) == false)
  }

  @Test("S62 a compacted log restores the same session, and is too short to be compacted again")
  func compaction() throws {
    let fixture = Fixture(saving: .byStore) { $0.catchUpTailBytes = 100_000 }
    let ada = try fixture.join(name: "Ada")
    var length = fixture.disk.reduce(0) { $0 + $1.body.count }
    #expect(fixture.session.shouldCompact(logBytes: length) == false)
    for round in 0..<400 {
      for key in 0..<10 {
        ada.send(String(repeating: "\(round % 10)", count: 500), .replaced, key: UInt64(key))
      }
      fixture.now = fixture.now.adding(seconds: 1)
      try fixture.save(ada)
      ada.forget()
    }
    length = fixture.disk.reduce(0) { $0 + $1.body.count }
    #expect(fixture.session.shouldCompact(logBytes: length) == true)
    let plan = fixture.session.beginCompaction()
    #expect(plan.head.kinds == [.session, .numbers, .participant])
    var records = plan.head
    var after: UInt64 = 0
    while let slice = fixture.session.compactionSlice(after: after, through: plan.through) {
      #expect(slice.last > after)
      after = slice.last
      records.append(slice.record)
    }
    #expect(after == plan.through)
    for record in fixture.disk where record.kind == .run {
      let last = try RunFrames.lastSequence(in: record.body.span)
      if let last, last > plan.through { records.append(record) }
    }
    let compacted = records.reduce(0) { $0 + $1.body.count }
    #expect(compacted < length / 8)
    #expect(fixture.session.shouldCompact(logBytes: compacted) == false)
    let whole = try fixture.reload(opens: false).fixture
    let again = try restore(records, limits: fixture.session.limits).takeSession()
    let (one, other) = Fingerprint.both(again, whole.session)
    #expect(one == other)
    #expect(one.held.count == 10)
    #expect(one.tail.count > 100)
  }

  @Test(
    "S62 a compaction omits superseded entries; the new log replaces the old one only if the superseding entries are on disk"
  )
  func covered() throws {
    let fixture = Fixture(saving: .byStore) { $0.catchUpTailBytes = 0 }
    let ada = try fixture.join()
    for key in 1...20 {
      ada.send(String(repeating: "x", count: 9_000), .appended, key: UInt64(key))
      try fixture.save(ada)
    }
    let plan = fixture.session.beginCompaction()
    #expect(plan.through > 10)
    ada.send("", .removed, key: 1)
    var body: [UInt8] = []
    var after: UInt64 = 0
    while let slice = fixture.session.compactionSlice(after: after, through: plan.through) {
      #expect(slice.record.body.count <= SessionRecord.baseBytes)
      body += slice.record.body
      after = slice.last
    }
    #expect(body.count > 80_000)
    #expect(fixture.session.isCompactionCovered == false)
    try fixture.save(ada)
    #expect(fixture.session.isCompactionCovered == true)
  }

  @Test(
    "After a load, the snapshot segments have all retained entries, so the first joiner does not wait while entries are copied"
  )
  func snapshot() throws {
    let fixture = Fixture(saving: .byStore)
    let ada = try fixture.join(name: "Ada")
    ada.send("1", .appended, key: 1)
    ada.send("2")
    ada.send("3", .appended, key: 2)
    try fixture.save(ada)
    let (after, _) = try fixture.reload()
    let snapshot = after.session.retained.snapshot
    #expect(snapshot.segments.flatMap(\.frames).map(\.entryCount).reduce(0, +) == 2)
    #expect(try after.look().texts == ["1", "3"])
  }

  @Test("the end of a session is restored by a load, unless a later record has undone the end")
  func end() throws {
    let fixture = Fixture(saving: .byStore)
    let date = Date(timeIntervalSince1970: 500)
    fixture.disk.append(fixture.session.endRecord(by: 7, date: date))
    #expect(fixture.disk.last?.body == Array(#"{"at":"1970-01-01T00:08:20Z","by":7}"#.utf8))
    #expect(try fixture.reload(opens: false).restored.end?.at == date)
    fixture.disk.append(RestoredRecord(at: date).encoded)
    #expect(try fixture.reload(opens: false).restored.end == nil)
    #expect(
      fixture.session.endRecord(by: nil, date: date).body
        == Array(#"{"at":"1970-01-01T00:08:20Z","by":null}"#.utf8))
  }

  @Test("an activity is restored with the participant that set it")
  func activity() throws {
    let fixture = Fixture(saving: .byStore)
    let ada = try fixture.join()
    fixture.session.setActivity(
      ActivityChange(title: "Whales", payload: .object(["deep": .integer(3)])), by: ada.subscriber,
      now: fixture.now)
    try fixture.save()
    let after = try fixture.reload().fixture
    #expect(after.session.activity == fixture.session.activity)
    #expect(after.session.activityState.by == ada.number)
    #expect(after.session.object.createdAt == fixture.session.object.createdAt)
  }
}
