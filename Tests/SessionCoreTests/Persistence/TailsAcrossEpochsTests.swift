import FoundationEssentials
import Testing
import Wire

import Primitives
@testable import SessionCore

/// S19, S70, S71: after a crash, a client gets only the entries that it missed, if all entries that it has are on disk.
@Suite("P2, P3: a client that resumes after a crash gets exactly the entries that it missed")
struct TailsAcrossEpochsTests {
  /// Returns the session that is restored after a crash, in a new epoch.
  private func crash(_ fixture: Fixture, epoch: String, _ records: [SessionRecord]? = nil) throws -> Fixture {
    let records = records ?? fixture.disk
    var restorer = SessionRestorer(
      id: fixture.session.id, limits: fixture.session.limits,
      digest: { TokenDigest(high: $0.high, low: $0.low) }, now: fixture.now,
      date: Date(timeIntervalSince1970: 1_000))
    for record in records { try restorer.apply(record.kind.rawValue, record.body.span) }
    let restored = try restorer.finish(generation: "another", freshEpoch: epoch)
    let after = Fixture(restored.takeSession(), now: fixture.now)
    after.disk = records + after.session.openingRecords()
    after.session.didSaveOpening()
    return after
  }

  @Test(
    "S19 after a crash, a tail has all saved entries that a client missed, even unretained and targeted ones")
  func unkept() throws {
    let fixture = Fixture(saving: .byStore)
    let ada = try fixture.join(name: "Ada")
    let bo = try fixture.join(name: "Bo")
    ada.send("seen")
    try fixture.turn(ada, bo)
    let seen = fixture.session.sequence
    bo.breakWire()
    for number in 0..<30 { ada.send("\(number)") }
    ada.send("for Bo", [.reliable, .targeted], to: [bo.number])
    try fixture.save(ada)
    let after = try crash(fixture, epoch: "second")
    let again = try after.comeBack(as: bo, after: seen, epoch: "epoch")
    #expect(again.joined?.epoch == "second")
    #expect(again.catchUps == [.tail])
    #expect(again.texts == (0..<30).map { "\($0)" } + ["for Bo"])
  }

  @Test(
    "S19 a client that saw entries which a crash lost gets a snapshot, even if new entries reuse sequences")
  func beyond() throws {
    let fixture = Fixture(saving: .byStore)
    let ada = try fixture.join(name: "Ada")
    let bo = try fixture.join(name: "Bo")
    try fixture.save(ada, bo)
    let saved = fixture.session.sequence
    ada.send("lost", .appended, key: 1)
    try fixture.turn(ada, bo)
    let seen = fixture.session.sequence
    let after = try crash(fixture, epoch: "second")
    let back = try after.comeBack(as: ada, after: saved, epoch: "epoch")
    #expect(back.catchUps == [.tail])
    for number in 0..<5 { back.send("\(number)", .appended, key: UInt64(number)) }
    try after.save(back)
    #expect(after.session.sequence > seen)
    let again = try after.comeBack(as: bo, after: seen, epoch: "epoch")
    #expect(again.catchUps == [.snapshot])
    #expect(again.texts == ["0", "1", "2", "3", "4"], "without the lost entry")
  }

  @Test("S75 if a crash loses entries that a client saw, a snapshot has all new entries, retained or not")
  func beyondWithEntries() throws {
    let fixture = Fixture(saving: .byStore)
    let ada = try fixture.join(name: "Ada")
    let bo = try fixture.join(name: "Bo")
    for key in 1...3 { ada.send("\(key)", .appended, key: UInt64(key)) }
    ada.send("unkept and seen")
    try fixture.save(ada, bo)
    let saved = fixture.session.sequence
    ada.send("lost", .appended, key: 1)
    ada.send("lost and unkept")
    try fixture.turn(ada, bo)
    let seen = fixture.session.sequence
    let after = try crash(fixture, epoch: "second")
    let back = try after.comeBack(as: ada, after: saved, epoch: "epoch")
    back.send("lost", .appended, key: 1)
    back.send("lost and unkept")
    back.send("", .removed, key: 2)
    back.send("again", .replaced, key: 3)
    back.send("unkept")
    back.send("for Bo", [.reliable, .targeted], to: [bo.number])
    back.send("for Ada", [.reliable, .targeted], to: [ada.number])
    try after.save(back)
    let again = try after.comeBack(as: bo, after: seen, epoch: "epoch")
    #expect(again.catchUps == [.snapshot])
    #expect(again.texts == ["1", "lost", "lost and unkept", "", "again", "unkept", "for Bo"])
    #expect(again.caughtUpAt == [after.session.sequence])
    #expect(again.controlNames.last == "caughtUp")
    back.send("live")
    try after.turn(back, again)
    #expect(again.texts.last == "live")
    #expect(try after.look().texts == ["1", "lost", "again"])
  }

  @Test("S19 a client whose `next` is higher than the restored session expects gets a snapshot")
  func olderState() throws {
    let fixture = Fixture(saving: .byStore)
    let ada = try fixture.join(name: "Ada")
    ada.send("1")
    try fixture.save(ada)
    let after = try crash(fixture, epoch: "second")
    let resume = { next in ada.resume(after: fixture.session.sequence, epoch: "epoch", next: next) }
    #expect(try after.join(resume: resume(2)).catchUps == [.tail])
    #expect(try after.join(resume: resume(3)).catchUps == [.snapshot])
  }

  @Test(
    "S70 after two crashes in a row, each of the two earlier epochs is valid up to its last entry on disk")
  func twoCrashes() throws {
    let fixture = Fixture(saving: .byStore)
    let ada = try fixture.join(name: "Ada")
    ada.send("1")
    try fixture.save(ada)
    let first = fixture.session.sequence
    let second = try crash(fixture, epoch: "second")
    let back = try second.comeBack(as: ada, after: first, epoch: "epoch")
    back.send("2")
    try second.save(back)
    let middle = second.session.sequence
    let third = try crash(second, epoch: "third")
    #expect(third.session.history.pairs.map(\.epoch) == ["epoch", "second"])
    #expect(try third.comeBack(as: ada, after: first, epoch: "epoch").texts == ["2"])
    let newer = try third.comeBack(as: ada, after: middle, epoch: "second")
    #expect(newer.catchUps == [.tail])
    #expect(newer.texts.isEmpty)
    #expect(try third.comeBack(as: ada, after: first + 1, epoch: "epoch").catchUps == [.snapshot])
    #expect(try third.comeBack(as: ada, after: 1, epoch: "fourth").catchUps == [.snapshot])
  }

  @Test(
    "S70 if an epoch ends before its opening records are on disk, that epoch stays unknown, and the epoch before it stays valid"
  )
  func openingLost() throws {
    let fixture = Fixture(saving: .byStore)
    let ada = try fixture.join(name: "Ada")
    ada.send("1")
    try fixture.save(ada)
    let first = fixture.session.sequence
    _ = try crash(fixture, epoch: "lost")
    let after = try crash(fixture, epoch: "third")
    #expect(after.session.history.pairs.map(\.epoch) == ["epoch"])
    #expect(try after.comeBack(as: ada, after: first, epoch: "epoch").catchUps == [.tail])
    #expect(try after.comeBack(as: ada, after: first, epoch: "lost").catchUps == [.snapshot])
  }

  @Test("S70 a clean stop after a crash keeps the history of epochs")
  func cleanStop() throws {
    let fixture = Fixture(saving: .byStore)
    let ada = try fixture.join(name: "Ada")
    let bo = try fixture.join(name: "Bo")
    ada.send("1")
    try fixture.save(ada, bo)
    let first = fixture.session.sequence
    let second = try crash(fixture, epoch: "second")
    let back = try second.comeBack(as: ada, after: first, epoch: "epoch")
    back.send("2")
    back.breakWire()
    try second.save()
    second.close()
    let (third, restored) = try second.reload(generation: "stopped")
    #expect(restored.isClean)
    let again = try third.comeBack(as: bo, after: first, epoch: "epoch")
    #expect(again.joined?.epoch == "second")
    #expect(again.catchUps == [.tail])
    #expect(again.texts == ["2"])
  }

  @Test("S70 a compacted log still contains the history of epochs")
  func compaction() throws {
    let fixture = Fixture(saving: .byStore) { $0.catchUpTailBytes = 100_000 }
    let ada = try fixture.join(name: "Ada")
    try fixture.save(ada)
    let early = fixture.session.sequence
    let draw = { (fixture: Fixture, ada: TestClient, rounds: Int) in
      for round in 0..<rounds {
        for key in 0..<10 {
          ada.send(String(repeating: "\(round % 10)", count: 500), .replaced, key: UInt64(key))
        }
        fixture.now = fixture.now.adding(seconds: 1)
        try fixture.save(ada)
        ada.forget()
      }
    }
    try draw(fixture, ada, 200)
    let first = fixture.session.sequence
    let second = try crash(fixture, epoch: "second")
    let back = try second.comeBack(as: ada, after: first, epoch: "epoch")
    back.send("unkept")
    try second.save(back)
    let plan = second.session.beginCompaction()
    var records = plan.head
    var at: UInt64 = 0
    while let slice = second.session.compactionSlice(after: at, through: plan.through) {
      at = slice.last
      records.append(slice.record)
    }
    for record in second.disk where record.kind == .run {
      if let last = try RunFrames.lastSequence(in: record.body.span), last > plan.through {
        records.append(record)
      }
    }
    let third = try crash(second, epoch: "third", records)
    #expect(third.session.history.pairs.map(\.epoch) == ["epoch", "second"])
    let again = try third.comeBack(as: ada, after: first, epoch: "epoch")
    #expect(again.catchUps == [.tail])
    #expect(again.texts == ["unkept"])
    #expect(try third.comeBack(as: ada, after: early, epoch: "epoch").catchUps == [.snapshot])
  }

  @Test(
    "S70 if entries at the end of an epoch are lost, the epoch is valid only up to the last sequence that was read"
  )
  func torn() throws {
    let fixture = Fixture(saving: .byStore)
    let ada = try fixture.join(name: "Ada")
    try fixture.save(ada)
    let before = fixture.session.sequence
    let records = fixture.disk
    ada.send("1")
    try fixture.save(ada)
    let second = try crash(fixture, epoch: "second")
    // The records contain the history of epochs, but lack the last entries of the first epoch, as in a damaged compacted log.
    let head = try #require(second.disk.last { $0.kind == .session })
    let third = try crash(fixture, epoch: "third", records + [head])
    #expect(third.session.history.lastCommonSequence(with: "epoch") == before)
    #expect(third.session.history.lastCommonSequence(with: "second") == before)
  }

  @Test(
    "S70 clients get no tail from a log without a history of epochs, or from a log that was restored from a backup"
  )
  func noPairs() throws {
    let fixture = Fixture(saving: .byStore)
    let ada = try fixture.join(name: "Ada")
    try fixture.save(ada)
    var facts = fixture.session.headerRecord
    facts.history = nil
    let earlier = try crash(fixture, epoch: "second", fixture.disk + [facts.encoded])
    #expect(earlier.session.history.pairs.isEmpty)
    let restored = RestoredRecord(at: Date(timeIntervalSince1970: 0)).encoded
    let second = try crash(fixture, epoch: "second", fixture.disk + [restored])
    #expect(second.session.history.pairs.isEmpty)
    #expect(
      try second.comeBack(as: ada, after: fixture.session.sequence, epoch: "epoch").catchUps == [.snapshot])
    let third = try crash(second, epoch: "third")
    #expect(third.session.history.pairs.map(\.epoch) == ["second"])
    var restorer = SessionRestorer(
      id: fixture.session.id, limits: fixture.session.limits,
      digest: { TokenDigest(high: $0.high, low: $0.low) }, now: fixture.now, date: Date())
    for record in fixture.disk { try restorer.apply(record.kind.rawValue, record.body.span) }
    let copied = try restorer.finish(generation: "", freshEpoch: "copied", folder: "another")
    #expect(copied.takeSession().history.pairs.isEmpty)
  }

  @Test(
    "S71 if a change was saved without the entry that announces it, the new epoch begins with that announcement"
  )
  func restates() throws {
    let fixture = Fixture(saving: .byStore)
    let ada = try fixture.join(name: "Ada")
    let bo = try fixture.join(name: "Bo")
    try fixture.save(ada, bo)
    let seen = fixture.session.sequence
    let cy = try fixture.join(name: "Cy")
    bo.leave()
    fixture.session.setProfile(Profile(name: "Ida"), of: ada.subscriber)
    fixture.session.setActivity(ActivityChange(title: "Whales"), by: ada.subscriber, now: fixture.now)
    fixture.session.endTurn(now: fixture.now)
    let taken = fixture.session.takeUnsaved()
    let unsaved = try #require(taken)
    let second = try crash(
      fixture, epoch: "second", fixture.disk + unsaved.records.filter { $0.kind != .run })
    #expect(second.session.committed == seen)
    let again = try second.comeBack(as: ada, after: seen, epoch: "epoch")
    #expect(again.catchUps == [.tail])
    #expect(again.people.flatMap(\.joined).map(\.number) == [cy.number])
    #expect(again.people.flatMap(\.left).map(\.number) == [bo.number])
    #expect(again.people.flatMap(\.left).map(\.reason) == [.left])
    #expect(again.people.flatMap(\.changed).map(\.name) == ["Ida"])
    #expect(again.activities.last?.activity.title == "Whales")
    #expect(again.people.first.map { !$0.joined.isEmpty } == true, "the joins are announced first")
    // The next epoch repeats an announcement only if the announcement is not on disk.
    let lost = try crash(second, epoch: "third")
    #expect(lost.session.sequence == second.session.sequence)
    try second.save()
    let third = try crash(second, epoch: "third")
    #expect(third.session.sequence == third.session.committed)
  }

  @Test(
    "S71 after a crash, a waiting participant is announced as gone, even if its record is only in the head of a compacted log",
    arguments: [true, false])
  func waiting(isCompacted: Bool) throws {
    let fixture = Fixture(saving: .byStore) { $0.catchUpTailBytes = 0 }
    let ada = try fixture.join(name: "Ada")
    let waiter = fixture.connect()
    waiter.wait(name: "Wanda")
    for key in 1...20 {
      ada.send(String(repeating: "x", count: 9_000), .appended, key: UInt64(key))
      try fixture.save(ada)
    }
    let seen = fixture.session.sequence
    var records = fixture.disk
    if isCompacted {
      let plan = fixture.session.beginCompaction()
      records = plan.head
      var at: UInt64 = 0
      while let slice = fixture.session.compactionSlice(after: at, through: plan.through) {
        at = slice.last
        records.append(slice.record)
      }
      #expect(plan.through > 3)
      for record in fixture.disk where record.kind == .run {
        if let last = try RunFrames.lastSequence(in: record.body.span), last > plan.through {
          records.append(record)
        }
      }
    }
    let second = try crash(fixture, epoch: "second", records)
    let again = try second.comeBack(as: ada, after: seen, epoch: "epoch")
    #expect(again.catchUps == [.tail])
    #expect(again.people.flatMap(\.left).map(\.reason) == [.gone])
    #expect(again.people.flatMap(\.left).map(\.number) == [2])
  }

  @Test("S71 after a crash, clients that had been informed of a failing disk get the notice `saved`")
  func trouble() throws {
    let fixture = Fixture(saving: .byStore)
    let ada = try fixture.join(name: "Ada")
    fixture.session.endTurn(now: fixture.now)
    let taken = fixture.session.takeUnsaved()
    let unsaved = try #require(taken)
    fixture.session.didNotSave(unsaved, isFull: true, now: fixture.now)
    try fixture.turn(ada)
    let takenAgain = fixture.session.takeUnsaved()
    let again = try #require(takenAgain)
    let seen = fixture.session.sequence
    let second = try crash(fixture, epoch: "second", fixture.disk + again.records)
    let back = try second.comeBack(as: ada, after: seen, epoch: "epoch")
    #expect(back.catchUps == [.tail])
    #expect(back.notices.last?.code == .saved)
  }

  @Test("S72 `committed` is never sent between `joined` and `catchUp`")
  func committedLater() throws {
    let fixture = Fixture(saving: .byStore)
    let ada = try fixture.join(name: "Ada")
    ada.send("1", .appended, key: 1)
    try fixture.turn(ada)
    let again = fixture.connect()
    again.join(resume: ada.resume(after: nil))
    while let unsaved = fixture.session.takeUnsaved() {
      fixture.session.didSave(unsaved, now: fixture.now)
    }
    fixture.pass(milliseconds: 200)
    try fixture.turn(again)
    fixture.pass(milliseconds: 200)
    try fixture.turn(again)
    #expect(again.controlNames.prefix(3) == ["joined", "catchUp", "caughtUp"])
    #expect(again.controlNames.contains("committed"))
  }
}
