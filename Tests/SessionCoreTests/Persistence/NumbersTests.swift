import FoundationEssentials
import Testing
import Wire

import Primitives
@testable import SessionCore

/// P7: a participant number is assigned only once, even after failures. A token is recognized, but only its digest is
/// stored.
@Suite("P7: participant numbers are never reused, and only digests of tokens are stored")
struct NumbersTests {
  @Test(
    "S66 a block of 4,096 participant numbers is reserved first, and the next block when fewer than 2,048 numbers are left"
  )
  func blocks() throws {
    let fixture = Fixture(saving: .byStore)
    #expect(fixture.disk.first(.numbers)?.body == [0, 0, 0x10, 0])
    fixture.session.participants.nextNumber = 2_049
    #expect(fixture.session.hasUnsaved == false)
    _ = try fixture.join()
    try fixture.save()
    #expect(fixture.disk.last { $0.kind == .numbers }?.body == [0, 0, 0x18, 1])
  }

  @Test(
    "S66 if all numbers reserved on disk are assigned, a new socket is closed with 1013, and its client can try again"
  )
  func exhausted() throws {
    let fixture = Fixture(saving: .byStore)
    fixture.session.participants.nextNumber = 4_096
    _ = try fixture.join()
    let late = fixture.connect()
    late.join()
    let waiting = fixture.connect()
    waiting.wait()
    #expect(fixture.takeCloses().map(\.code) == [1013, 1013])
    let taken = fixture.session.takeUnsaved()
    let unsaved = try #require(taken)
    fixture.session.didNotSave(unsaved, isFull: true, now: fixture.now)
    late.join()
    #expect(fixture.takeCloses().map(\.code) == [1013])
    try fixture.save()
    late.join()
    try fixture.turn(late)
    #expect(late.number == 4_097)
  }

  @Test(
    "S66 after a crash, the reserved block of numbers is skipped, and no number is assigned before the opening records are on disk"
  )
  func crash() throws {
    let fixture = Fixture(saving: .byStore)
    let ada = try fixture.join()
    try fixture.save()
    #expect(ada.number == 1)
    let (after, _) = try fixture.reload(opens: false)
    let bo = after.connect()
    bo.join()
    #expect(after.takeCloses().map(\.code) == [1013])
    after.disk += after.session.openingRecords()
    after.session.didSaveOpening()
    bo.join()
    try after.turn(bo)
    #expect(bo.number == 4_097)
    let (again, _) = try after.reload()
    #expect(try again.join().number == 8_193)
  }

  @Test(
    "S66 a clean stop skips no participant number, and the number of a waiting participant is not reused"
  )
  func clean() throws {
    let fixture = Fixture(saving: .byStore)
    _ = try fixture.join()
    let bo = fixture.connect()
    bo.wait()
    try fixture.turn(bo)
    bo.breakWire()
    try fixture.save()
    fixture.close()
    let (after, restored) = try fixture.reload(generation: "stopped")
    #expect(restored.isClean)
    #expect(try after.join().number == 3)
  }

  @Test("S66 an entry whose target participant was lost in a crash does not reach any later participant")
  func targeted() throws {
    let fixture = Fixture(saving: .byStore)
    let ada = try fixture.join()
    try fixture.save(ada)
    // Bo joins, but is not saved before the crash.
    let bo = try fixture.join()
    let (after, _) = try fixture.reload()
    let cy = try after.join()
    #expect(cy.number != bo.number)
    let again = try after.comeBack(as: ada, after: nil, epoch: "epoch")
    #expect(again.joined?.resumed == true)
    again.send("for Bo", [.reliable, .targeted], to: [bo.number])
    try after.turn(again, cy)
    #expect(again.texts == ["for Bo"])
    #expect(cy.texts.isEmpty)
    let looker = try after.look()
    #expect(looker.texts.isEmpty)
  }

  @Test(
    "S67 only the digest of a token is written; after a load, the token identifies its owner, unless the owner has left"
  )
  func tokens() throws {
    let digest: @Sendable (Token) -> TokenDigest = { TokenDigest(high: ~$0.high, low: $0.low &* 31) }
    let session = Session(
      id: SessionID(high: 0, low: 1), epoch: "epoch", activity: .standard,
      createdAt: Date(timeIntervalSince1970: 0),
      limits: Limits(), now: .zero, saving: .byStore, digest: digest)
    let fixture = Fixture(session, now: .zero)
    fixture.disk = fixture.session.firstRecords()
    let ada = try fixture.join()
    let bo = try fixture.join()
    bo.leave()
    try fixture.save()
    let token = try #require(ada.joined?.token)
    #expect(fixture.session.isKnown(token) == true)
    #expect(fixture.session.participants[ada.number]?.digest == digest(token))
    for record in fixture.disk {
      #expect(!String(decoding: record.body, as: UTF8.self).contains(token.text))
    }
    var restorer = SessionRestorer(
      id: fixture.session.id, limits: Limits(), digest: digest, now: .zero,
      date: Date(timeIntervalSince1970: 0))
    for record in fixture.disk { try restorer.apply(record.kind.rawValue, record.body.span) }
    let restored = try restorer.finish(generation: "", freshEpoch: "").takeSession()
    #expect(restored.number(of: token) == ada.number)
    #expect(restored.isKnown(bo.joined?.token ?? token) == false)
    #expect(restored.participants[bo.number]?.digest == nil)
  }
}
