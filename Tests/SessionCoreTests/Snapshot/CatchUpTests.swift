import Testing
import Wire

import Primitives
@testable import SessionCore

/// P3: after its catch-up, a joiner has the same state as all other participants.
@Suite("P3: after its catch-up, a joiner has the same state as all other participants")
struct CatchUpTests {
  @Test(
    "S17 a snapshot begins with the participants and the activity; the retained entries follow in rising order"
  )
  func snapshot() throws {
    let fixture = Fixture()
    let ada = try fixture.join(name: "Ada")
    ada.send("gone", .appended, key: 1)
    ada.send("a", .replaced, key: 1)
    ada.send("b", .appended, key: 1)
    ada.send("removed", .appended, key: 2)
    ada.send("", .removed, key: 2)
    ada.send("unretained")
    ada.send("secret", [.reliable, .targeted], to: [1])
    ada.send("changes nothing", .appendedIfHeld, key: 3)
    try fixture.turn(ada)
    let late = try fixture.join(name: "Bo")
    #expect(late.catchUps == [.snapshot])
    #expect(late.caughtUpAt == [fixture.session.sequence])
    #expect(late.joined.map { $0.sequence <= fixture.session.sequence } == true)
    #expect(late.texts == ["a", "b"])
    let state = late.entries.prefix { $0.sequence == 0 }
    #expect(state.map(\.typeText) == ["participants", "activity"])
    #expect(state.allSatisfy { $0.flags == [.reliable, .system] && $0.sender == 0 })
    #expect(late.people.first?.joined.map(\.name) == ["Ada", "Bo"])
    #expect(late.drawn.map(\.sequence) == late.drawn.map(\.sequence).sorted())
    #expect(late.joined?.resumed == false)
  }

  @Test("S17 retained entries are compressed once, for all subscribers that accept compression")
  func compressedOnce() throws {
    let fixture = Fixture()
    var compressed = 0
    fixture.session.compressor = { message in
      compressed += 1
      return withoutZeros(message)
    }
    let ada = try fixture.join(name: "Ada")
    for key in 0..<200 { ada.send(String(repeating: "\0", count: 900), .appended, key: UInt64(key)) }
    try fixture.turn(ada)
    let first = try (0..<6).map { _ in try fixture.join() }
    let once = compressed
    #expect(once > 1)
    let more = try (0..<6).map { _ in try fixture.join() }
    #expect(compressed == once)
    #expect((first + more).allSatisfy { $0.drawn.map(\.payload) == ada.drawn.map(\.payload) })
  }

  @Test("S17 the list `past` in a snapshot names the past participants that sent entries in the snapshot")
  func past() throws {
    let fixture = Fixture()
    let ada = try fixture.join(name: "Ada")
    let quiet = try fixture.join(name: "Quiet")
    ada.send("a", .appended, key: 1)
    ada.leave()
    quiet.leave()
    let late = try fixture.join(name: "Bo")
    #expect(late.people.first?.past.map(\.name) == ["Ada"])
    #expect(late.people.first?.joined.map(\.name) == ["Bo"])
  }

  @Test(
    "S73 the list `past` names all past senders of entries in the snapshot, even forgotten ones, and no other participant"
  )
  func pastBeyondLimit() throws {
    let fixture = Fixture(saving: .byStore) {
      $0.pastParticipants = 1
      $0.catchUpTailBytes = 0
    }
    let people = try (1...4).map { try fixture.join(name: "P\($0)") }
    for (index, person) in people.enumerated() {
      person.send(String(repeating: "x", count: 9_000), .appended, key: UInt64(index))
      try fixture.save(person)
    }
    people[3].send("", .removed, key: 3)
    try fixture.save()
    for person in people { person.leave() }
    try fixture.save()
    let check = { (fixture: Fixture) in
      let looker = try fixture.look()
      let past = try #require(looker.people.first?.past)
      // `past` also names the senders of removed entries, if these entries are still in the snapshot.
      #expect(Set(past.map(\.number)) == Set(looker.drawn.map(\.sender)))
      #expect(past.prefix(3).map(\.name) == ["P1", "P2", "P3"])
    }
    try check(fixture)
    try check(try fixture.reload().fixture)
    let plan = fixture.session.beginCompaction()
    var records = plan.head
    var at: UInt64 = 0
    while let slice = fixture.session.compactionSlice(after: at, through: plan.through) {
      at = slice.last
      records.append(slice.record)
    }
    for record in fixture.disk where record.kind == .run {
      if let last = try RunFrames.lastSequence(in: record.body.span), last > plan.through {
        records.append(record)
      }
    }
    try check(try fixture.reload(records).fixture)
  }

  @Test(
    "S18 a tail has exactly the entries after the client's sequence, even if the tail is empty or begins inside a frame"
  )
  func tail() throws {
    let fixture = Fixture()
    let ada = try fixture.join()
    let bo = try fixture.join()
    for text in ["1", "2", "3", "4"] { bo.send(text) }
    bo.send("secret", [.reliable, .targeted], to: [bo.number])
    bo.send("5")
    try fixture.turn(ada, bo)
    let drawn = bo.drawn
    for (index, entry) in drawn.enumerated() {
      ada.breakWire()
      let again = try fixture.join(resume: ada.resume(after: entry.sequence))
      #expect(again.catchUps == [.tail])
      #expect(again.drawn == drawn.dropFirst(index + 1).filter { !$0.flags.contains(.targeted) })
      #expect(again.caughtUpAt == [fixture.session.sequence])
      again.breakWire()
    }
  }

  @Test(
    "S19 a client with another epoch, a future sequence or no sequence gets a snapshot",
    arguments: [("other", 1), ("epoch", 999), ("epoch", nil)] as [(String, UInt64?)])
  func noTail(_ epoch: String, _ after: UInt64?) throws {
    let fixture = Fixture()
    let ada = try fixture.join()
    ada.send("a", .appended, key: 1)
    try fixture.turn(ada)
    ada.breakWire()
    let again = try fixture.join(resume: ada.resume(after: after, epoch: epoch))
    #expect(again.catchUps == [.snapshot])
    #expect(again.joined?.resumed == true)
    #expect(again.texts == ["a"])
  }

  @Test("S19 a client whose sequence is no longer in the log gets a snapshot")
  func tooOld() throws {
    let fixture = Fixture { $0.catchUpTailBytes = 10_000 }
    let ada = try fixture.join()
    let bo = try fixture.join()
    let sequence = fixture.session.sequence
    ada.breakWire()
    for index in 0..<40 {
      bo.send(String(repeating: "x", count: 1_000), .replaced, key: UInt64(index % 2))
      try fixture.turn(bo)
    }
    let again = try fixture.join(resume: ada.resume(after: sequence))
    #expect(again.catchUps == [.snapshot])
    let recent = try fixture.join(resume: bo.resume(after: fixture.session.sequence))
    #expect(recent.catchUps == [.tail])
    #expect(again.drawn == Array(bo.drawn.suffix(2)))
  }

  @Test(
    "S19 a client gets a snapshot if the log has dropped an entry that it needs, and a tail otherwise",
    arguments: [(-1, CatchUpKind.snapshot), (0, .tail), (1, .tail)])
  func dropBoundary(_ distance: Int, _ kind: CatchUpKind) throws {
    let fixture = Fixture { $0.catchUpTailBytes = 10_000 }
    let ada = try fixture.join()
    let bo = try fixture.join()
    // Sends entries until the log drops some of them. The log then has room again, so the join below drops no more entries.
    while fixture.session.log.droppedThrough == 0 {
      bo.send(String(repeating: "x", count: 1_000), .replaced, key: 1)
      try fixture.turn(ada, bo)
    }
    let dropped = fixture.session.log.droppedThrough
    let after = UInt64(Int(dropped) + distance)
    let again = try fixture.join(resume: ada.resume(after: after))
    #expect(fixture.session.log.droppedThrough == dropped)
    #expect(again.catchUps == [kind])
    guard kind == .tail else { return }
    let missed = ada.drawn.filter { $0.sequence > after }.map(\.sequence)
    #expect(!missed.isEmpty && again.drawn.map(\.sequence) == missed)
  }

  @Test(
    "S20 the flag `existing` is evaluated when the entry gets its sequence, and stays set only if the entry changes nothing"
  )
  func existing() throws {
    let fixture = Fixture()
    let ada = try fixture.join()
    ada.send("no", .appendedIfHeld, key: 1)
    ada.send("yes", .appended, key: 1)
    ada.send("and", .appendedIfHeld, key: 1)
    ada.send("instead", .replacedIfHeld, key: 1)
    ada.send("", .removed, key: 1)
    ada.send("never", .replacedIfHeld, key: 1)
    try fixture.turn(ada)
    #expect(ada.drawn.map { $0.flags.contains(.existing) } == [true, false, false, false, false, true])
    #expect(fixture.session.retainedBytes == 0)
    let late = try fixture.join()
    #expect(late.texts.isEmpty)
  }

  @Test(
    "S21 an entry of the gateway and an entry of a client do not affect each other, even if their keys are equal"
  )
  func keySpaces() {
    var index = RetentionIndex()
    let key = EntryKey(high: 1, low: 2)
    let ours = RetainedKey(key: key, isSystem: true)
    let theirs = RetainedKey(key: key, isSystem: false)
    index.apply(.append, key: ours, sequence: 1, length: 10) { _, _ in }
    index.apply(.remove, key: theirs, sequence: 2, length: 10) { _, _ in }
    #expect(index.isRetained(ours))
    #expect(!index.isRetained(theirs))
  }

  @Test("S22 snapshot segments that are rewritten many times still contain the retained state")
  func rewriting() throws {
    let fixture = Fixture { $0.catchUpTailBytes = 0 }
    let ada = try fixture.join()
    var random = SeededGenerator(seed: 3)
    var held: [UInt64: [String]] = [:]
    for step in 0..<3_000 {
      let key = UInt64(random.below(40))
      let text = "\(step)" + String(repeating: "x", count: random.below(200))
      switch random.below(10) {
      case 0..<4:
        ada.send(text, .appended, key: key)
        held[key, default: []].append(text)
      case 4..<8:
        ada.send(text, .replaced, key: key)
        held[key] = [text]
      default:
        ada.send("", .removed, key: key)
        held[key] = nil
      }
      if step % 10 == 0 {
        fixture.pass(milliseconds: 100)
        try fixture.turn(ada)
      }
      if step % 300 == 299 {
        let late = try fixture.join()
        var got: [UInt64: [String]] = [:]
        for entry in late.drawn {
          let text = String(decoding: entry.payload, as: UTF8.self)
          switch entry.flags.retention {
          case .none: break
          case .append: got[entry.key.low, default: []].append(text)
          case .replace: got[entry.key.low] = [text]
          case .remove: got[entry.key.low] = nil
          }
        }
        #expect(got == held)
        late.leave()
      }
    }
    let bytes = fixture.session.retained.snapshot.segments.reduce(0) { $0 + $1.bytes.count }
    #expect(bytes < 3 * fixture.session.retainedBytes + 300_000)
  }
}

/// P5: a slow reader costs bounded memory, and no other participant waits for it.
@Suite("P5: a slow reader does not affect other readers")
struct SlowReaderTests {
  @Test(
    "S23 a subscriber that falls behind the tail gets the rest of the current frame, then a snapshot, and misses no entry"
  )
  func lost() throws {
    let fixture = Fixture { $0.catchUpTailBytes = 8_192 }
    let ada = try fixture.join()
    let slow = try fixture.join()
    slow.forget()
    ada.send(String(repeating: "f", count: 500), .replaced, key: 1)
    try fixture.turn(ada)
    try slow.read(upTo: 100)
    for index in 0..<200 {
      fixture.pass(milliseconds: 10)
      ada.send(String(repeating: "x", count: 1_000), .replaced, key: UInt64(index % 3))
      try fixture.turn(ada)
      #expect(fixture.session.log.segments.reduce(0) { $0 + $1.bytes.count } < 8_192 + 3 * 4_096)
    }
    #expect(slow.entries.isEmpty)
    try fixture.turn(slow)
    #expect(slow.drawn.first?.payload.count == 500)
    #expect(slow.catchUps == [.snapshot])
    #expect(slow.caughtUpAt == [fixture.session.sequence])
    #expect(Set(slow.drawn.suffix(3).map(\.sequence)) == Set(ada.drawn.suffix(3).map(\.sequence)))
    ada.send("live")
    try fixture.turn(ada, slow)
    #expect(slow.texts.last == "live")
  }

  @Test(
    "S17 a small snapshot is sent in one piece with `joined`, and a large one is not",
    arguments: [10, 9_000])
  func pieces(size: Int) throws {
    let fixture = Fixture()
    let ada = try fixture.join()
    ada.send(String(repeating: "f", count: size), .replaced, key: 1)
    try fixture.turn(ada)
    // A subscriber that accepts compression gets the retained entries compressed, in a piece of their own.
    var late = fixture.connect()
    if late.subscriber.acceptsCompression { late = fixture.connect() }
    late.join()
    fixture.session.endTurn(now: fixture.now)
    let first = fixture.session.nextPiece(late.subscriber)
    let piece = try #require(first)
    fixture.session.sent(piece, piece.range.count, to: late.subscriber)
    let isWhole = fixture.session.nextPiece(late.subscriber) == nil
    #expect(isWhole == (size == 10))
    try late.take(Array(piece.bytes[piece.range]))
    try late.read()
    #expect(late.drawn.map(\.payload.count) == [size])
    #expect(late.caughtUpAt == [fixture.session.sequence])
  }

  @Test(
    "S23 a subscriber that is detached inside a frame gets the rest of the frame, then the messages in its outbox",
    arguments: [false, true])
  func detachedInsideFrame(isCatchingUp: Bool) throws {
    // A small snapshot is a part of the outbox. A larger one has a progress of its own.
    let size = isCatchingUp ? 9_000 : 500
    let fixture = Fixture()
    let ada = try fixture.join()
    let slow = try fixture.join()
    ada.send(String(repeating: "f", count: size), .replaced, key: 1)
    try fixture.turn(ada)
    var detached = slow
    if isCatchingUp {
      detached = fixture.connect()
      detached.join()
      fixture.session.endTurn(now: fixture.now)
      while !Self.isInside(detached.subscriber, size) { try detached.read(upTo: 1) }
    } else {
      slow.forget()
      try slow.read(upTo: 100)
    }
    #expect(detached.drawn.isEmpty)
    detached.leave()
    fixture.session.enqueueControl(detached.subscriber, GatewayControl.committed(sequence: 99).encoded())
    while let piece = detached.subscriber.nextOutputPiece() {
      try detached.take(Array(piece.bytes[piece.range]))
      detached.subscriber.didSendOutput(piece, piece.range.count)
    }
    #expect(detached.drawn.map(\.payload.count) == [size])
    #expect(detached.committed.last == 99)
  }

  /// True if a catch-up has sent the first bytes of its frame with `size` bytes of payload.
  private static func isInside(_ subscriber: Subscriber, _ size: Int) -> Bool {
    guard case .catchingUp(let progress) = subscriber.source, !progress.isOnBoundary else { return false }
    let segment = progress.catchUp.parts[progress.part].segment
    return (size - 80..<size).contains(segment.restOfFrame(at: progress.offset).count)
  }

  @Test("S24 all entries of one turn stay in the log until they can be sent, however many there are")
  func longTurn() throws {
    let fixture = Fixture { $0.catchUpTailBytes = 1_000 }
    let ada = try fixture.join()
    ada.forget()
    for _ in 0..<30 { ada.send(String(repeating: "x", count: 20_000)) }
    try fixture.turn(ada)
    #expect(ada.drawn.count == 30)
    #expect(ada.catchUps.isEmpty)
  }

  @Test("S24, S43 delayed announcements of presence never make a member fall behind the tail")
  func lateNews() throws {
    // With the limit 0, the log drops an entry as soon as all members have received it. Ada reads after every turn, except after
    // turns that contain only changes of presence.
    let fixture = Fixture { $0.catchUpTailBytes = 0 }
    let ada = try fixture.join()
    ada.forget()
    var heldBack = 0
    for number in 0..<200 {
      // Each join adds an announcement with a long name. The joining participants read no bytes.
      _ = try fixture.join(name: String(repeating: "n", count: 50) + "\(number)")
      if fixture.session.turnContent == .presence { heldBack += 1 } else { try ada.read() }
    }
    #expect(heldBack > 150)
    try ada.read()
    #expect(ada.catchUps.isEmpty)
  }

  @Test(
    "S25 unreliable entries are sent to the other members at the tail, without sequences, and are not stored")
  func unreliable() throws {
    let fixture = Fixture()
    let ada = try fixture.join()
    let bo = try fixture.join()
    bo.forget()
    let cursor = SentEntry(flags: [], type: Array("Cursor".utf8), payload: [1])
    ada.sendRaw(cursor)
    try fixture.turn(ada, bo)
    try bo.take(fixture.session.unreliableFrames)
    #expect(
      bo.drawn == [
        ReceivedEntry(
          flags: [], sequence: 0, sender: 1, clientSequence: 0, key: .zero, type: Array("Cursor".utf8),
          payload: [1])
      ])
    try fixture.turn(ada, bo)
    #expect(fixture.session.unreliableFrames.isEmpty)
    #expect(fixture.session.sequence == ada.joined.map { $0.sequence + 2 })
  }

  @Test(
    "S26 unreliable entries that are over the rate, faulty, or for an unknown target are dropped and counted without an answer"
  )
  func unreliableDropped() throws {
    let fixture = Fixture { $0.entriesPerSecond = 2 }
    let ada = try fixture.join()
    ada.sendRaw(
      SentEntry(flags: [], clientSequence: 3), SentEntry(flags: .targeted, targets: [77]),
      SentEntry(flags: [], type: []), SentEntry(flags: []), SentEntry(flags: []))
    try fixture.turn(ada)
    #expect(ada.refusals.isEmpty)
    let counters = fixture.session.takeCounters()
    #expect(counters.unreliableReceived == 5)
    #expect(counters.unreliableRefused == 4)
  }

  @Test(
    "S26 when a turn has too many unreliable entries, a new entry replaces the newest of the same sender, type and targets"
  )
  func newest() {
    var unreliableBatch = UnreliableBatch()
    var dropped = 0
    for index in 0..<6 {
      dropped += unreliableBatch.add(
        sender: 1, type: [1], targets: nil, entry: [UInt8](repeating: UInt8(index), count: 100_000))
    }
    unreliableBatch.close(committed: [])
    #expect(dropped == 4)
    #expect(unreliableBatch.entryCount == 2)
    #expect(unreliableBatch.frames.last == 5)
    #expect(unreliableBatch.frames.count <= UnreliableBatch.limit + 10)
  }
}
