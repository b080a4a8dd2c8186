import Testing
import Wire

import Primitives
@testable import SessionCore

/// P6: every count, queue and wait has a limit, and reaching it has a defined answer.
@Suite("P6: limits of a session")
struct BoundsTests {
  /// Returns the number of entries of one size that a bucket allows at one moment.
  private func takes(
    _ bucket: inout EntryRateLimiter, _ count: Int, of size: Int, by rates: EntryRateLimiter.Rates,
    at now: MonotonicTime
  ) -> Int {
    (0..<count).filter { _ in bucket.take(size, by: rates, at: now) }.count
  }

  @Test(
    "S27 a token bucket allows a burst of 2 s at its rate, and after the retry time a quarter of the burst")
  func bucket() {
    let rates = EntryRateLimiter.Rates(entriesPerSecond: 8, bytesPerSecond: 1_000)
    var bucket = EntryRateLimiter(rates, at: .zero)
    let burst = takes(&bucket, 20, of: 1, by: rates, at: .zero)
    #expect(burst == 16)
    // A quarter of the burst of 16 entries is 4 entries. At 8 entries a second, the bucket refills by 4 in half a second.
    #expect(bucket.millisecondsUntilQuarter(for: 1, by: rates) == 500)
    let quarter = takes(&bucket, 20, of: 1, by: rates, at: MonotonicTime.zero.adding(milliseconds: 500))
    #expect(quarter == 4)
    // The bucket never has more than the burst, however long the pause is.
    let rested = takes(&bucket, 20, of: 1, by: rates, at: MonotonicTime.zero.adding(seconds: 3_600))
    #expect(rested == 16)
  }

  @Test(
    "S27 bytes have a token bucket too; a full bucket allows an entry larger than the burst, and then delays later entries"
  )
  func bucketBytes() {
    let rates = EntryRateLimiter.Rates(entriesPerSecond: 100, bytesPerSecond: 1_000)
    var bucket = EntryRateLimiter(rates, at: .zero)
    let first = takes(&bucket, 2, of: 1_999, by: rates, at: .zero)
    #expect(first == 1)
    // The time until a quarter of the burst (500 bytes) is available: 499 bytes are missing, and the bucket gains one byte per
    // millisecond.
    #expect(bucket.millisecondsUntilQuarter(for: 2, by: rates) == 499)
    // An entry larger than a quarter of the burst needs as many free bytes as its size: 1,500 of 1,501 bytes are missing.
    #expect(bucket.millisecondsUntilQuarter(for: 1_501, by: rates) == 1_500)
    let full = MonotonicTime.zero.adding(seconds: 2)
    let large = takes(&bucket, 2, of: 10_000, by: rates, at: full)
    #expect(large == 1)
    let indebted = takes(&bucket, 1, of: 1, by: rates, at: full.adding(seconds: 8))
    #expect(indebted == 0)
    let free = takes(&bucket, 2, of: 1, by: rates, at: full.adding(milliseconds: 8_001))
    #expect(free == 1)
    // A time in the past does not fill the bucket.
    let earlier = takes(&bucket, 1, of: 1, by: rates, at: full)
    #expect(earlier == 0)
  }

  @Test(
    "S28 an entry over the rate is refused with a retry time; until the client repeats it, later entries get no answer"
  )
  func rate() throws {
    let fixture = Fixture { $0.entriesPerSecond = 4 }
    let ada = try fixture.join()
    for index in 1...12 { ada.send("\(index)") }
    try fixture.turn(ada)
    #expect(ada.texts == (1...8).map(String.init))
    #expect(ada.refusals.map(\.code) == [.rateLimited])
    #expect(ada.refusals.first?.clientSequence == 9)
    #expect(ada.refusals.first?.retryAfterMs == 500)
    fixture.pass(milliseconds: 500)
    ada.sendRaw(SentEntry(clientSequence: 10))
    ada.sendRaw(SentEntry(clientSequence: 9), SentEntry(clientSequence: 10))
    try fixture.turn(ada)
    #expect(ada.drawn.map(\.clientSequence) == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    #expect(ada.refusals.count == 1)
  }

  @Test("S28 a control message counts as an entry toward the rate limit")
  func controlRate() throws {
    let fixture = Fixture { $0.entriesPerSecond = 1 }
    let ada = try fixture.join()
    var effects: [Effect] = []
    var admitted: [Bool] = []
    admitted.append(
      fixture.session.admitControl(ada.subscriber, size: 10, now: fixture.now, effects: &effects))
    admitted.append(
      fixture.session.admitControl(ada.subscriber, size: 10, now: fixture.now, effects: &effects))
    #expect(effects.isEmpty)
    admitted.append(
      fixture.session.admitControl(ada.subscriber, size: 10, now: fixture.now, effects: &effects))
    #expect(admitted == [true, true, false])
    try fixture.turn(ada)
    #expect(ada.refusals.map(\.code) == [.rateLimited])
    #expect(ada.refusals.first?.clientSequence == nil)
  }

  @Test("S29 a participant that ignores refusals is disconnected each time, however often it resumes")
  func ignoredForEver() throws {
    let fixture = Fixture {
      $0.entriesPerSecond = 1
      $0.bytesPerSecond = 1_000_000
    }
    var ada = try fixture.join()
    ada.sendRaw(SentEntry(clientSequence: 1), SentEntry(clientSequence: 2))
    let due = SentEntry(clientSequence: 3)
    var closed = 0
    for _ in 0..<400 {
      for _ in 0..<200 where fixture.session.members.count > 0 { ada.sendRaw(due) }
      closed += fixture.takeCloses().filter { $0.code == 4029 }.count
      ada.breakWire()
      ada = try fixture.join(resume: ada.resume(after: nil))
    }
    #expect(closed == 400)
    // The number of reconnects is not limited. So a count that rises with each reconnect must have a maximum.
    #expect(fixture.session.participants[ada.number].map { $0.ignoredRefusals <= 11 } == true)
  }

  @Test(
    "S29 the eleventh ignored refusal in a row pauses reading from the socket, and the twelfth closes the socket with 4029"
  )
  func ignoring() throws {
    let fixture = Fixture { $0.entriesPerSecond = 1 }
    let ada = try fixture.join()
    let due = SentEntry(clientSequence: 3)
    ada.sendRaw(SentEntry(clientSequence: 1), SentEntry(clientSequence: 2))
    _ = fixture.takeEffects()
    for _ in 0..<10 { ada.sendRaw(due) }
    #expect(!fixture.takeEffects().contains { if case .pauseReading = $0 { true } else { false } })
    ada.sendRaw(due)
    let pauses = fixture.takeEffects().compactMap { effect -> MonotonicTime? in
      if case .pauseReading(ada.connection, let until) = effect { until } else { nil }
    }
    #expect(pauses == [fixture.now.adding(milliseconds: 1_000)])
    ada.sendRaw(due)
    #expect(fixture.takeCloses() == [Closed(connection: ada.connection, code: 4029)])
  }

  @Test(
    "S29 a participant that waits for the retry time is not disconnected, however often its entry is refused")
  func patient() throws {
    let fixture = Fixture { $0.sessionLogBytes = 1_024 }
    let ada = try fixture.join()
    ada.send(String(repeating: "x", count: 900), .appended, key: 1)
    for _ in 0..<30 {
      ada.sendRaw(
        SentEntry(
          flags: .appended, clientSequence: 2, key: EntryKey(high: 0, low: 2),
          payload: [UInt8](repeating: 1, count: 500)))
      fixture.pass(milliseconds: 1_000)
    }
    try fixture.turn(ada)
    #expect(ada.refusals.map(\.code) == [ErrorCode](repeating: .sessionQuota, count: 30))
    #expect(fixture.takeCloses().isEmpty)
  }

  @Test(
    "S30 a full session accepts only entries that add no retained bytes; a refusal contains limit and size"
  )
  func quota() throws {
    let fixture = Fixture { $0.sessionLogBytes = 1_024 }
    let ada = try fixture.join()
    // Each entry adds 39 bytes to the length of its payload.
    ada.send(String(repeating: "x", count: 500), .appended, key: 1)
    ada.send(String(repeating: "y", count: 400), .appended, key: 2)
    ada.send(String(repeating: "z", count: 100), .appended, key: 3)
    try fixture.turn(ada)
    #expect(ada.drawn.count == 2)
    let refusal = try #require(ada.refusals.first)
    #expect(refusal.code == .sessionQuota)
    #expect(refusal.limit == 1_024)
    #expect(refusal.actual == 978)
    #expect(refusal.clientSequence == 3)
    #expect(refusal.retryAfterMs != nil)
    ada.sendRaw(
      SentEntry(clientSequence: 3, payload: [UInt8](repeating: 0, count: 2_000)),
      SentEntry(
        flags: .replaced, clientSequence: 4, key: EntryKey(high: 0, low: 1),
        payload: [UInt8](repeating: 0, count: 400)),
      SentEntry(flags: .appendedIfHeld, clientSequence: 5, key: EntryKey(high: 0, low: 9), payload: [1]),
      SentEntry(flags: .removed, clientSequence: 6, key: EntryKey(high: 0, low: 2)),
      SentEntry(
        flags: .appended, clientSequence: 7, key: EntryKey(high: 0, low: 3),
        payload: [UInt8](repeating: 0, count: 100)))
    try fixture.turn(ada)
    #expect(ada.drawn.map(\.clientSequence) == [1, 2, 3, 4, 5, 6, 7])
    #expect(ada.refusals.count == 1)
  }

  @Test(
    "S31 a full session closes new sockets with 4005; a participant within its grace time can still resume")
  func full() throws {
    let fixture = Fixture { $0.participantsPerSession = 2 }
    let ada = try fixture.join()
    _ = try fixture.join()
    _ = fixture.takeEffects()
    let third = try fixture.join()
    #expect(fixture.takeCloses() == [Closed(connection: third.connection, code: 4005)])
    let waits = fixture.connect()
    waits.wait()
    #expect(fixture.takeCloses() == [Closed(connection: waits.connection, code: 4005)])
    ada.breakWire()
    let again = try fixture.join(resume: ada.resume(after: nil))
    #expect(again.joined?.resumed == true)
  }

  @Test(
    "S31 a waiting socket counts toward `participantsPerSession`; only a join on that socket can use the reserved slot"
  )
  func fullByWaiting() throws {
    let fixture = Fixture { $0.participantsPerSession = 2 }
    let ada = try fixture.join()
    ada.breakWire()
    fixture.pass(milliseconds: 30_000)
    let waits = fixture.connect()
    waits.wait()
    _ = try fixture.join()
    _ = fixture.takeEffects()
    let elsewhere = try fixture.join(resume: ada.resume(after: nil))
    #expect(fixture.takeCloses() == [Closed(connection: elsewhere.connection, code: 4005)])
    waits.join(resume: ada.resume(after: nil))
    try fixture.turn(waits)
    #expect(waits.joined?.participant.number == ada.number)
    #expect(fixture.takeCloses().isEmpty)
    #expect(fixture.session.participants.waiting.count == 0)
    #expect(fixture.session.activeParticipantCount == 2)
  }

  @Test("S32 only the newest past participants can resume, up to the limit `pastParticipants`")
  func past() throws {
    let fixture = Fixture { $0.pastParticipants = 2 }
    var gone: [TestClient] = []
    for _ in 0..<3 {
      let client = try fixture.join()
      client.send("x")
      client.breakWire()
      fixture.pass(milliseconds: 30_000)
      gone.append(client)
    }
    let again = try gone.map { try fixture.join(resume: $0.resume(after: nil)) }
    #expect(again.map { $0.joined?.resumed } == [false, true, true])
    #expect(again.map(\.number) == [4, 2, 3])
    #expect(again.map { $0.joined?.acknowledged } == [0, 1, 1])
  }

  @Test("S33 a socket that waits to join and does not read is closed with 4013 when its outbox is full")
  func waitingSlow() throws {
    let fixture = Fixture()
    let waits = fixture.connect()
    waits.wait()
    let ada = try fixture.join()
    _ = fixture.takeEffects()
    var closes: [Closed] = []
    for index in 0..<400 {
      fixture.session.setProfile(Profile(name: "Ada \(index)"), of: ada.subscriber)
      try fixture.turn(ada)
      closes += fixture.takeCloses()
      #expect(waits.subscriber.outboxCount < Subscriber.outboxBytes + 1_000)
    }
    #expect(closes == [Closed(connection: waits.connection, code: 4013)])
    try fixture.turn(ada)
    #expect(ada.people.last { !$0.left.isEmpty }?.left.map(\.reason) == [.gone])
    #expect(fixture.session.participants.waiting.count == 0)
  }

  @Test(
    "S44 a socket with too many unread refusals is closed with 1008, even if a single message causes all of them"
  )
  func refusals() throws {
    let fixture = Fixture { $0.entriesPerSecond = 100_000 }
    let ada = try fixture.join()
    _ = fixture.takeEffects()
    let wrong = (1...20_000).map { SentEntry(flags: [.reliable, .existing], clientSequence: UInt32($0)) }
    ada.sendRaw(SentEntry.message(wrong))
    #expect(ada.subscriber.outboxCount < 131_072 + 1_000)
    #expect(fixture.takeCloses() == [Closed(connection: ada.connection, code: 1008)])
  }

  @Test(
    "S45 if slow readers of old snapshots keep too many segments in memory, the slowest reader is closed with 4013"
  )
  func pinned() throws {
    let fixture = Fixture {
      $0.catchUpTailBytes = 65_536
      $0.bytesPerSecond = 1 << 32
    }
    let ada = try fixture.join()
    let text = String(repeating: "x", count: 250_000)
    func drawAll() throws {
      for key in 0..<150 {
        ada.send(text, .replaced, key: UInt64(key))
        try fixture.turn(ada)
        ada.forget()
      }
    }
    try drawAll()
    let slow = try fixture.join(endsTurn: false)
    try fixture.turn()
    try slow.read(upTo: 1_000)
    try drawAll()
    _ = fixture.takeEffects()
    let late = try fixture.join()
    #expect(fixture.takeCloses() == [Closed(connection: slow.connection, code: 4013)])
    #expect(late.drawn.count == 150)
  }

  @Test(
    "S34 a session without participants expires after `sessionKeepSeconds`, or after 600 s if it has no content"
  )
  func expiry() throws {
    let fixture = Fixture { $0.sessionKeepSeconds = 5_000 }
    #expect(fixture.session.expiresAt == MonotonicTime.zero.adding(seconds: 600))
    let ada = try fixture.join()
    #expect(fixture.session.expiresAt == nil)
    ada.send("x", .appended, key: 1)
    ada.breakWire()
    #expect(fixture.session.expiresAt == nil)
    fixture.pass(milliseconds: 30_000)
    #expect(fixture.session.expiresAt == MonotonicTime.zero.adding(seconds: 5_030))
  }
}
