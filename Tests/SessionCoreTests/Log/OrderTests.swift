import Primitives
import SessionCore
import Testing
import Wire

/// P1: every participant gets the reliable entries of a session in one order.
@Suite("P1: one order of entries for all participants")
struct OrderTests {
  @Test(
    "S1 S2 entries get rising sequences in order of arrival, and reach all participants, including the sender"
  )
  func order() throws {
    let fixture = Fixture()
    let ada = try fixture.join()
    let bo = try fixture.join()
    ada.send("a1")
    bo.send("b1")
    ada.send("a2")
    try fixture.turn(ada, bo)
    #expect(ada.texts == ["a1", "b1", "a2"])
    #expect(ada.drawn == bo.drawn)
    #expect(ada.drawn.map(\.sender) == [1, 2, 1])
    #expect(ada.drawn.map(\.clientSequence) == [1, 1, 2])
    let sequences = ada.drawn.map(\.sequence)
    #expect(sequences == sequences.sorted() && Set(sequences).count == 3)
    #expect(fixture.session.sequence == sequences.last)
  }

  @Test("S3 a targeted entry reaches each target and the sender once; a target that has left is skipped")
  func targeted() throws {
    let fixture = Fixture()
    let ada = try fixture.join()
    let bo = try fixture.join()
    let cy = try fixture.join()
    let di = try fixture.join()
    di.leave()
    ada.send("before")
    ada.send("secret", [.reliable, .targeted], to: [bo.number, bo.number, di.number])
    ada.send("nobody", [.reliable, .targeted], to: [])
    ada.send("after")
    try fixture.turn(ada, bo, cy)
    #expect(ada.texts == ["before", "secret", "nobody", "after"])
    #expect(bo.texts == ["before", "secret", "after"])
    #expect(cy.texts == ["before", "after"])
    #expect(bo.drawn[1].flags == [.reliable, .targeted])
    #expect(ada.refusals.isEmpty)
  }

  @Test("S4 a joining participant is announced before its entries")
  func presenceFirst() throws {
    let fixture = Fixture()
    let ada = try fixture.join()
    ada.forget()
    let bo = try fixture.join(endsTurn: false)
    try bo.read()
    bo.send("b")
    try fixture.turn(ada)
    #expect(ada.entries.map(\.typeText) == ["participants", "T"])
    #expect(ada.people.first?.joined.map(\.number) == [2])
  }

  @Test(
    "S5 activity changes are entries in the order; a joiner gets the last activity and the participant that set it"
  )
  func activity() throws {
    let fixture = Fixture()
    let ada = try fixture.join()
    let bo = try fixture.join()
    fixture.session.setActivity(ActivityChange(title: "One"), by: ada.subscriber, now: fixture.now)
    fixture.session.setActivity(ActivityChange(payload: .integer(4)), by: bo.subscriber, now: fixture.now)
    try fixture.turn(ada, bo)
    let told = try ada.entries.filter { $0.typeText == "activity" && $0.sequence > 0 }
      .map { try ActivityPayload.decode($0.payload.span) }
    #expect(told.map(\.by) == [1, 2])
    #expect(told.map(\.activity.title) == ["One", "One"])
    let late = try fixture.join()
    let state = try #require(late.entries.first { $0.typeText == "activity" })
    #expect(state.sequence == 0)
    let payload = try ActivityPayload.decode(state.payload.span)
    #expect(payload == told.last)
    #expect(fixture.session.activity.payload == .integer(4))
  }

  @Test(
    "S6 a present or past participant can request a successor session; in ten seconds, at most one successor is created"
  )
  func follow() throws {
    let fixture = Fixture()
    let ada = try fixture.join()
    let token = try #require(ada.joined?.token)
    let next = SessionID(high: 5, low: 5)
    let first = try fixture.session.follow(by: token, now: fixture.now) { next }
    #expect(first.isNew && first.id == next)
    fixture.pass(milliseconds: 9_999)
    let second = try fixture.session.follow(by: token, now: fixture.now) { SessionID(high: 6, low: 6) }
    #expect(!second.isNew && second.id == next)
    fixture.pass(milliseconds: 1)
    let third = try fixture.session.follow(by: token, now: fixture.now) { SessionID(high: 7, low: 7) }
    #expect(third.isNew)
    let stranger = Token(high: 1, low: 1)
    let refusal = #expect(throws: Refusal.self) {
      try fixture.session.follow(by: stranger, now: fixture.now) { next }
    }
    #expect(refusal?.code == .tokenNeeded)
    // A participant that leaves gives up its identity, but remains a former participant.
    let bob = try fixture.join()
    let formerToken = try #require(bob.joined?.token)
    _ = fixture.session.leave(bob.subscriber, now: fixture.now)
    #expect(fixture.session.number(of: formerToken) == nil)
    #expect(try fixture.session.follow(by: formerToken, now: fixture.now) { next }.id == third.id)
    try fixture.turn(ada)
    let told = try ada.entries.filter { $0.typeText == "newSession" }
      .map { try NewSessionPayload.decode($0.payload.span) }
    #expect(told == [NewSessionPayload(session: next, by: 1), NewSessionPayload(session: third.id, by: 1)])
  }
}

/// P2: each entry is in the session once.
@Suite("P2: each entry is in the session exactly once")
struct OnceTests {
  @Test(
    "S7 an entry with a repeated client sequence is dropped and counted, and does not count toward the rate limit"
  )
  func repeats() throws {
    let fixture = Fixture { $0.entriesPerSecond = 1 }
    let ada = try fixture.join()
    let entry = SentEntry(clientSequence: 1)
    ada.sendRaw(entry)
    for _ in 0..<20 { ada.sendRaw(entry) }
    ada.sendRaw(SentEntry(clientSequence: 2))
    try fixture.turn(ada)
    #expect(ada.drawn.map(\.clientSequence) == [1, 2])
    #expect(ada.refusals.isEmpty)
    #expect(fixture.session.takeCounters().repeats == 20)
  }

  @Test(
    "S8 a gap in the client sequences is refused once, with the expected client sequence; entries are dropped until it arrives"
  )
  func gap() throws {
    let fixture = Fixture()
    let ada = try fixture.join()
    ada.sendRaw(SentEntry(clientSequence: 1))
    ada.sendRaw(SentEntry(clientSequence: 3), SentEntry(clientSequence: 4), SentEntry(clientSequence: 9))
    ada.sendRaw(SentEntry(clientSequence: 2), SentEntry(clientSequence: 3))
    ada.sendRaw(SentEntry(clientSequence: 5))
    try fixture.turn(ada)
    #expect(ada.drawn.map(\.clientSequence) == [1, 2, 3])
    #expect(ada.refusals.map(\.code) == [.sequenceGap, .sequenceGap])
    #expect(ada.refusals.map(\.expected) == [2, 4])
    #expect(ada.refusals.map(\.clientSequence) == [3, 5])
  }

  @Test(
    "S9 an entry is checked first for a repeat, then for a gap, then for the rate limit, and last for its own faults"
  )
  func orderOfTests() throws {
    let fixture = Fixture { $0.entriesPerSecond = 1 }
    let ada = try fixture.join()
    let bad = SentEntry(flags: [.reliable, .existing], clientSequence: 1)
    ada.sendRaw(SentEntry(clientSequence: 1))
    // A faulty entry with a client sequence that was received before is handled as a repeat.
    ada.sendRaw(bad)
    // A faulty entry after a gap is refused because of the gap, not because of the fault.
    ada.sendRaw(SentEntry(flags: [.reliable, .existing], clientSequence: 7))
    // This entry has the expected client sequence. After it, the next refused entry gets an answer again.
    ada.sendRaw(SentEntry(clientSequence: 2))
    // The bucket is empty: a faulty entry with the expected sequence is refused because of the rate.
    ada.sendRaw(SentEntry(flags: [.reliable, .existing], clientSequence: 3))
    try fixture.turn(ada)
    #expect(ada.refusals.map(\.code) == [.sequenceGap, .rateLimited])
    fixture.pass(milliseconds: 1_000)
    ada.sendRaw(SentEntry(flags: [.reliable, .existing], clientSequence: 3))
    try fixture.turn(ada)
    #expect(ada.refusals.last?.code == .badEntry)
  }

  /// A faulty entry with the expected client sequence, and the error code of its refusal.
  struct Wrong: Sendable, CustomTestStringConvertible {
    let entry: SentEntry
    let code: ErrorCode

    var testDescription: String { "\(code) for \(entry.flags.rawValue)" }
  }

  @Test(
    "S10 a faulty entry is refused, and uses up its client sequence",
    arguments: [
      Wrong(entry: SentEntry(flags: [.reliable, .existing]), code: .badEntry),
      Wrong(entry: SentEntry(type: []), code: .badEntry),
      Wrong(entry: SentEntry(type: [0xFF]), code: .badEntry),
      Wrong(entry: SentEntry(flags: [.reliable, .system]), code: .badEntry),
      Wrong(entry: SentEntry(flags: [.reliable, .reserved]), code: .badEntry),
      Wrong(entry: SentEntry(flags: .removed, payload: [1]), code: .badEntry),
      Wrong(
        entry: SentEntry(flags: EntryFlags([.reliable, .targeted], retention: .append)), code: .badEntry),
      Wrong(entry: SentEntry(payload: [UInt8](repeating: 0, count: 101)), code: .messageTooLarge),
      Wrong(entry: SentEntry(flags: [.reliable, .targeted], targets: [2]), code: .unknownParticipant),
      Wrong(entry: SentEntry(flags: [.reliable, .targeted], targets: [1, 0]), code: .unknownParticipant),
    ])
  func faults(_ wrong: Wrong) throws {
    let fixture = Fixture { $0.messageBytes = 100 }
    let ada = try fixture.join()
    var entry = wrong.entry
    entry.clientSequence = 1
    let before = fixture.session.sequence
    ada.sendRaw(entry, SentEntry(clientSequence: 2))
    try fixture.turn(ada)
    #expect(ada.refusals.map(\.code) == [wrong.code])
    #expect(ada.refusals.map(\.clientSequence) == [1])
    #expect(ada.drawn.map(\.clientSequence) == [2])
    #expect(fixture.session.sequence == before + 1)
  }

  @Test(
    "S11 a reliable entry with client sequence 0 is refused, uses up no client sequence, and counts toward the rate limit"
  )
  func zero() throws {
    let fixture = Fixture { $0.entriesPerSecond = 2 }
    let ada = try fixture.join()
    let zeros = [SentEntry](repeating: SentEntry(clientSequence: 0), count: 1_000)
    ada.sendRaw(SentEntry.message(zeros))
    try fixture.turn(ada)
    #expect(ada.refusals.map(\.code) == [.badEntry, .badEntry, .badEntry, .badEntry])
    fixture.pass(milliseconds: 1_000)
    ada.sendRaw(SentEntry(clientSequence: 1))
    try fixture.turn(ada)
    #expect(ada.drawn.map(\.clientSequence) == [1])
  }

  @Test(
    "S12 in a malformed message the entries before the fault are accepted, and the socket is closed with 1008"
  )
  func uncuttable() throws {
    let fixture = Fixture()
    let ada = try fixture.join()
    let bo = try fixture.join()
    ada.sendRaw(SentEntry.message([SentEntry(clientSequence: 1)]) + [0, 0, 0])
    #expect(fixture.takeCloses() == [Closed(connection: ada.connection, code: 1008)])
    ada.sendRaw(SentEntry(clientSequence: 2))
    try fixture.turn(bo)
    #expect(bo.drawn.map(\.clientSequence) == [1])
    #expect(bo.people.last?.left.isEmpty ?? true)
  }

  @Test(
    "S13 a participant that resumes with its token keeps its identity, and gets its last acknowledged client sequence"
  )
  func resumes() throws {
    let fixture = Fixture()
    let ada = try fixture.join(name: "Ada")
    ada.send("1")
    ada.send("2")
    ada.breakWire()
    let again = try fixture.join(resume: ada.resume(after: nil))
    let joined = try #require(again.joined)
    #expect(joined.resumed)
    #expect(joined.participant == ada.joined?.participant)
    #expect(joined.token == ada.joined?.token)
    #expect(joined.acknowledged == 2)
    again.sendRaw(SentEntry(clientSequence: 2), SentEntry(clientSequence: 3, payload: Array("3".utf8)))
    try fixture.turn(again)
    #expect(again.texts == ["3"])
  }

  @Test(
    "S14 a client that resumes with an unknown token, or the token of a participant that left, is a new participant"
  )
  func unknownToken() throws {
    let fixture = Fixture()
    let ada = try fixture.join()
    let stranger = try fixture.join(resume: Resume(token: Token(high: 8, low: 8), epoch: "epoch", next: 9))
    #expect(stranger.joined?.resumed == false)
    #expect(stranger.number == 2)
    #expect(stranger.joined?.acknowledged == 0)
    ada.leave()
    #expect(fixture.takeEffects().contains { if case .close(1, .left) = $0 { true } else { false } })
    let again = try fixture.join(resume: ada.resume(after: nil))
    #expect(again.joined?.resumed == false)
    #expect(again.number == 3)
    #expect(fixture.session.number(of: try #require(ada.joined?.token)) == nil)
  }

  @Test(
    "S15 if a participant resumes on a new socket, the old socket is closed with 4009 before `acknowledged` is sent"
  )
  func resumedElsewhere() throws {
    let fixture = Fixture()
    let ada = try fixture.join()
    ada.send("1")
    try fixture.turn(ada)
    _ = fixture.takeEffects()
    let again = fixture.connect()
    again.join(resume: ada.resume(after: nil))
    let effects = fixture.takeEffects()
    guard case .close(ada.connection, let reason)? = effects.first, effects.count == 2,
      case .joined(again.connection, 1, .snapshot)? = effects.last
    else {
      Issue.record("\(effects)")
      return
    }
    #expect(reason.code == 4009)
    // Entries that still arrive on the old socket are ignored.
    ada.send("late")
    try fixture.turn(again)
    #expect(again.joined?.acknowledged == 1)
    #expect(fixture.session.activeParticipantCount == 1)
    #expect(again.people.allSatisfy { $0.left.isEmpty })
    again.sendRaw(SentEntry(clientSequence: 2, payload: Array("2".utf8)))
    try fixture.turn(again)
    #expect(again.texts == ["2"])
  }

  @Test(
    "S16 if a resuming client's `next` is higher than expected, `acknowledged` is raised, and an effect reports the change"
  )
  func next() throws {
    let fixture = Fixture()
    let ada = try fixture.join()
    ada.send("1")
    ada.breakWire()
    _ = fixture.takeEffects()
    let again = try fixture.join(resume: ada.resume(after: nil, next: 42))
    #expect(again.joined?.acknowledged == 41)
    let moved = fixture.takeEffects().contains {
      if case .acknowledgedMoved(1, from: 1, to: 41) = $0 { true } else { false }
    }
    #expect(moved)
    again.breakWire()
    let third = try fixture.join(resume: ada.resume(after: nil, next: 42))
    #expect(third.joined?.acknowledged == 41)
    #expect(!fixture.takeEffects().contains { if case .acknowledgedMoved = $0 { true } else { false } })
  }
}
