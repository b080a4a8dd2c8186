import FoundationEssentials
import Testing
import Wire

import Primitives
@testable import SessionCore

/// P4 when records are lost: the session is restored from the remaining records.
@Suite("P4: if records are lost, a session is restored from the remaining records")
struct LostRecordsTests {
  /// Returns a session of two participants, with each of their entries in a record of its own.
  private static func fixture() throws -> Fixture {
    let fixture = Fixture(saving: .byStore)
    fixture.disk += fixture.session.firstRecords()
    let ada = try fixture.join(name: "Ada")
    let bo = try fixture.join(name: "Bo")
    try fixture.save(ada, bo)
    for number in 1...8 {
      let sender = number % 2 == 0 ? bo : ada
      sender.send("\(number)", .appended, key: UInt64(number))
      try fixture.save(ada, bo)
    }
    return fixture
  }

  /// Returns the session restored from all records except the one at index `lost`.
  private static func restored(
    _ fixture: Fixture, without lost: Int, bytes: Int = 100, generation: String = "other"
  ) throws -> RestoredSession {
    var restorer = SessionRestorer(
      id: fixture.session.id, limits: fixture.session.limits,
      digest: { TokenDigest(high: $0.high, low: $0.low) }, now: fixture.now,
      date: Date(timeIntervalSince1970: 1_000))
    for (index, record) in fixture.disk.enumerated() {
      if index == lost {
        restorer.skip(bytes)
      } else {
        try restorer.apply(record.kind.rawValue, record.body.span)
      }
    }
    return try restorer.finish(generation: generation, freshEpoch: "fresh")
  }

  @Test("S76 if any one record is lost, the entries of all other records are restored, in a new epoch")
  func eachRecord() throws {
    let fixture = try Self.fixture()
    fixture.close(generation: "stopped")
    for (index, record) in fixture.disk.enumerated() {
      let restored = try Self.restored(fixture, without: index, generation: "stopped")
      let after = Fixture(restored.takeSession(), now: fixture.now)
      #expect(!restored.isClean && after.session.epoch == "fresh", "\(record.kind)")
      let before = fixture.disk[..<index].last { $0.kind == .run }
      let reached = try before.flatMap { try RunFrames.lastSequence(in: $0.body.span) } ?? 0
      #expect(after.session.history.pairs.allSatisfy { $0.through <= reached }, "\(record.kind)")
      #expect(restored.wholeThrough == reached, "\(record.kind)")
      _ = after.session.openingRecords()
      after.session.didSaveOpening()
      let looker = try after.look()
      let runs = fixture.disk.indices.filter { fixture.disk[$0].kind == .run }
      var texts = (1...8).map(String.init)
      // The last eight runs have one text each; the first run announces both participants.
      if let place = runs.firstIndex(of: index), place >= runs.count - 8 {
        texts.remove(at: place - (runs.count - 8))
      }
      #expect(looker.texts == texts, "\(record.kind), record \(index)")
      #expect(looker.number > 4096, "a number that may have been assigned is not assigned again")
    }
  }

  @Test("S76 a snapshot contains the notice `damaged` only if records were lost")
  func notice() throws {
    let fixture = try Self.fixture()
    let run = try #require(fixture.disk.lastIndex { $0.kind == .run })
    for isLost in [true, false] {
      let restored = try Self.restored(fixture, without: isLost ? run : -1)
      #expect((restored.wholeThrough != nil) == isLost)
      let after = Fixture(restored.takeSession(), now: fixture.now)
      _ = after.session.openingRecords()
      after.session.didSaveOpening()
      for _ in 0..<2 {
        let looker = try after.look()
        #expect(looker.notices.map(\.code) == (isLost ? [.damaged] : []))
      }
    }
  }

  @Test(
    "S76 the notice `damaged` survives a crash, but not a clean close if a participant has received the notice"
  )
  func noticeAfterCrash() throws {
    let fixture = try Self.fixture()
    let run = try #require(fixture.disk.lastIndex { $0.kind == .run })
    let restored = try Self.restored(fixture, without: run)
    let mended = Fixture(restored.takeSession(), now: fixture.now)
    // A compaction leaves damaged records out. Here the test itself removes the record of the run from the log.
    mended.disk = fixture.disk
    mended.disk.remove(at: run)
    mended.disk += mended.session.openingRecords()
    mended.session.didSaveOpening()
    for isClosed in [false, true] {
      if isClosed {
        try mended.look().leave()
        try mended.save()
        mended.close(generation: "stopped")
      }
      let again = try Self.restored(mended, without: -1, generation: "stopped")
      #expect(again.wholeThrough == nil)
      let after = Fixture(again.takeSession(), now: fixture.now)
      _ = after.session.openingRecords()
      after.session.didSaveOpening()
      #expect(try after.look().notices.map(\.code) == (isClosed ? [] : [.damaged]))
    }
  }

  @Test(
    "S76 the notice `damaged` survives a clean close if no participant has received the notice before"
  )
  func noticeAfterIdleness() throws {
    let fixture = try Self.fixture()
    let run = try #require(fixture.disk.lastIndex { $0.kind == .run })
    let restored = try Self.restored(fixture, without: run)
    var last = Fixture(restored.takeSession(), now: fixture.now)
    last.disk = fixture.disk
    last.disk.remove(at: run)
    last.disk += last.session.openingRecords()
    last.session.didSaveOpening()
    last.pass(milliseconds: 30_000)
    for isLookedAt in [false, false, true] {
      if isLookedAt {
        let looker = try last.look()
        #expect(looker.notices.map(\.code) == [.damaged])
        looker.leave()
      }
      try last.save()
      let sequence = last.session.log.lastSequence
      last.close(generation: "stopped")
      let closed = try #require(last.disk.last)
      #expect(try ClosedRecord(closed.body.span).isDamaged == !isLookedAt)
      let (next, again) = try last.reload(generation: "stopped")
      #expect(again.isClean && next.session.log.lastSequence == sequence)
      last = next
    }
    #expect(try last.look().notices.isEmpty)
  }

  @Test("S76 a session whose notice `damaged` is still pending is kept as long as a session with content")
  func expiry() throws {
    let fixture = Fixture(saving: .byStore) { $0.sessionKeepSeconds = 5_000 }
    fixture.disk += fixture.session.firstRecords()
    let lost = fixture.disk.count
    fixture.disk.append(fixture.session.headerRecord.encoded)
    let restored = try Self.restored(fixture, without: lost)
    let after = restored.takeSession()
    #expect(after.retainedBytes == 0)
    #expect(after.expiresAt == fixture.now.adding(seconds: 5_000))
  }

  @Test("S76 a session that has lost all its records of kind `session` has the standard activity")
  func withoutSession() throws {
    let fixture = try Self.fixture()
    let restored = try Self.restored(fixture, without: 0)
    var after = restored.takeSession()
    #expect(after.activity == .standard)
    #expect(after.openingRecords().first?.kind == .session)
  }

  @Test("S76 if the record that undid a session's end is lost, later records show that the end was undone")
  func takenBack() throws {
    let fixture = try Self.fixture()
    fixture.disk.append(EndRecord(at: .distantPast, by: 1).encoded)
    fixture.disk.append(RestoredRecord(at: .distantPast).encoded)
    let lost = fixture.disk.count - 1
    #expect(try Self.restored(fixture, without: lost).end != nil)
    fixture.disk += fixture.session.openingRecords()
    #expect(try Self.restored(fixture, without: lost).end == nil)
  }

  @Test("S76 all participant numbers that the lost records may have assigned are skipped")
  func numbers() throws {
    let fixture = try Self.fixture()
    func nextNumber(afterLossOf bytes: Int) throws -> ParticipantNumber {
      try Self.restored(fixture, without: fixture.disk.count - 1, bytes: bytes).takeSession().participants
        .nextNumber
    }
    let few = try nextNumber(afterLossOf: 100)
    let many = try nextNumber(afterLossOf: 10_000_000)
    #expect(few == 2 * 4096 + 1)
    #expect(Int(many) > 10_000_000 / 250)
    let most = try nextNumber(afterLossOf: .max / 2)
    #expect(most == NumbersRecord.highest + 1)
  }
}
