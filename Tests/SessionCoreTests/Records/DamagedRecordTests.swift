import FoundationEssentials
import Testing
import Wire

import Primitives
@testable import SessionCore

/// S63: a record that no session wrote causes an error with a description, or restores a different session. It never causes a
/// trap.
@Suite("S63: a damaged record causes an error or a working session, but never a trap")
struct DamagedRecordTests {
  struct Case: CustomTestStringConvertible {
    let kind: UInt8
    let body: [UInt8]
    let fault: RecordError.Fault
    var testDescription: String { "\(kind): \(fault)" }

    init(_ kind: UInt8, _ body: [UInt8], _ fault: RecordError.Fault) {
      self.kind = kind
      self.body = body
      self.fault = fault
    }

    init(_ kind: UInt8, _ text: String, _ fault: RecordError.Fault) {
      self.init(kind, Array(text.utf8), fault)
    }
  }

  /// Returns the bytes of an entry of type `T` from participant 1, without a payload.
  private static func entry(
    _ flags: UInt8, _ sequence: UInt8, key: UInt8? = nil, top: UInt8 = 0
  ) -> [UInt8] {
    let retained: [UInt8] = key.map { [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, $0] } ?? []
    return [0, 0, 0, UInt8(19 + retained.count), flags, 1, 0, top, 0, 0, 0, 0, 0, sequence, 0, 0, 0, 1]
      + [0, 0, 0, sequence] + retained + [0x54]
  }

  private static func frame(_ targets: [UInt8]? = nil, _ entries: [UInt8]...) -> [UInt8] {
    let all = Array(entries.joined())
    var list: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF]
    if let targets {
      list = [0, 0, 0, UInt8(targets.count)]
      for target in targets { list += [0, 0, 0, target] }
    }
    return [0, 0, 0, UInt8(all.count)] + list + all
  }

  static let cases: [Case] = [
    Case(12, [], .unknownKind),
    Case(255, [1], .unknownKind),
    Case(1, [], .notJSON),
    Case(1, "[]", .notJSON),
    Case(1, "{}", .invalidMember("id")),
    Case(2, "{", .notJSON),
    Case(2, #"{"number":0}"#, .invalidMember("number")),
    Case(2, #"{"number":4294967296}"#, .invalidMember("number")),
    Case(2, #"{"number":1,"id":"x"}"#, .invalidMember("id")),
    Case(
      2,
      #"{"number":4294967295,"id":"00000000-0000-0009-0000-000000000001","name":"","color":"","acknowledged":0,"presence":"past"}"#,
      .numberTooLarge(4_294_967_295)),
    Case(
      2,
      #"{"number":1,"id":"00000000-0000-0009-0000-000000000001","name":"","color":"","token":"AB","acknowledged":0}"#,
      .invalidMember("token")),
    Case(
      2,
      #"{"number":1,"id":"00000000-0000-0009-0000-000000000001","name":"","color":"","acknowledged":0,"presence":"here"}"#,
      .invalidMember("presence")),
    Case(3, [0, 0, 1], .cutShort(needed: 4, have: 3)),
    Case(3, [0, 0, 0, 1, 0], .tooLong(extra: 1)),
    Case(3, [0xFF, 0xFF, 0, 1], .numberTooLarge(0xFFFF_0001)),
    Case(4, [0, 0, 0], .cutShort(needed: 4, have: 3)),
    Case(4, [0, 0, 0, 22, 0xFF, 0xFF, 0xFF, 0xFF], .cutShort(needed: 30, have: 8)),
    Case(4, [0, 0, 0, 30, 0xFF, 0xFF, 0xFF, 0xFE], .cutShort(needed: 17_179_869_184, have: 8)),
    Case(4, frame([2, 1], entry(0x09, 1)), .targets),
    Case(4, frame([1, 1], entry(0x09, 1)), .targets),
    Case(4, frame([1], entry(0x09, 1), entry(0x09, 2)), .targets),
    Case(4, frame([1], entry(0x01, 1)), .targets),
    Case(4, frame(nil, entry(0x09, 1)), .targets),
    Case(4, frame([1], entry(0x0B, 1, key: 1)), .targets),
    Case(4, frame(nil, entry(0x00, 1)), .flags(0)),
    Case(4, frame(nil, entry(0x41, 1)), .flags(0x41)),
    Case(4, frame(nil, entry(0x01, 0)), .outOfOrder(sequence: 0, after: 0)),
    Case(4, frame(nil, entry(0x01, 2), entry(0x01, 2)), .outOfOrder(sequence: 2, after: 2)),
    Case(4, frame(nil, entry(0x01, 1, top: 0x20)), .sequenceTooLarge(0x20_0000_0000_0001)),
    Case(
      4, frame(nil, entry(0x01, 1), [0, 0, 0]), .entry(.entryLengthTruncated(have: 3))),
    Case(5, [0, 0, 0, 0], .cutShort(needed: 8, have: 4)),
    Case(5, [0, 0x20, 0, 0, 0, 0, 0, 0], .sequenceTooLarge(0x20_0000_0000_0000)),
    Case(5, [0, 0, 0, 0, 0, 0, 0, 3] + entry(0x01, 1), .flags(0x01)),
    Case(5, [0, 0, 0, 0, 0, 0, 0, 3] + entry(0x07, 1, key: 1), .flags(0x07)),
    Case(5, [0, 0, 0, 0, 0, 0, 0, 3] + entry(0x23, 1, key: 1), .flags(0x23)),
    Case(5, [0, 0, 0, 0, 0, 0, 0, 3] + entry(0x03, 4, key: 1), .outOfOrder(sequence: 3, after: 4)),
    Case(
      5, [0, 0, 0, 0, 0, 0, 0, 3] + entry(0x03, 2, key: 1) + entry(0x03, 2, key: 1),
      .outOfOrder(sequence: 2, after: 2)),
    Case(6, [0, 0, 0, 1, 0, 0, 0], .cutShort(needed: 8, have: 7)),
    Case(7, #"{"id":"00000000-0000-0009-0000-000000000001"}"#, .invalidMember("file")),
    Case(8, #"{"at":"yesterday"}"#, .invalidMember("at")),
    Case(8, #"{"at":"1970-01-01T00:00:00Z","nextNumber":0}"#, .invalidMember("nextNumber")),
    Case(9, #"{"at":7}"#, .invalidMember("at")),
    Case(10, "{}", .invalidMember("at")),
  ]

  @Test(
    "a record with a fault is refused with the error for that fault, whose description names the kind of record",
    arguments: cases)
  func fault(_ damaged: Case) throws {
    var restorer = SessionRestorer(
      id: SessionID(high: 0, low: 1), limits: Limits(), digest: { TokenDigest(high: $0.high, low: $0.low) },
      now: .zero, date: Date(timeIntervalSince1970: 0))
    let first = Fixture(saving: .byStore).disk[0]
    try restorer.apply(1, first.body.span)
    let body = damaged.body
    do throws(RecordError) {
      try restorer.apply(damaged.kind, body.span)
      Issue.record("the damaged record was accepted")
    } catch {
      #expect(error == RecordError(damaged.kind, damaged.fault))
      #expect(error.description.hasPrefix("A record of kind "))
    }
  }

  @Test(
    "a log is refused if its records belong to another session, or its first record is missing, or its records are out of order"
  )
  func misplaced() throws {
    let fixture = try Self.everything()
    #expect(throws: RecordError(1, .otherSession)) {
      try restore(fixture.disk, id: SessionID(high: 0, low: 2))
    }
    #expect(throws: RecordError(1, .missing)) { try restore(Array(fixture.disk.dropFirst())) }
    let base = SessionRecord(kind: .base, body: [0, 0, 0, 0, 0, 0, 0, 9])
    #expect(throws: RecordError(5, .behindEntries)) { try restore(fixture.disk + [base]) }
    #expect(throws: RecordError(5, .outOfOrder(sequence: 8, after: 9))) {
      try restore([fixture.disk[0], base, SessionRecord(kind: .base, body: [0, 0, 0, 0, 0, 0, 0, 8])])
    }
  }

  @Test("a record of kind 0, which belongs to the store and not to the session, is ignored")
  func format() throws {
    var restorer = SessionRestorer(
      id: SessionID(high: 0, low: 1), limits: Limits(), digest: { TokenDigest(high: $0.high, low: $0.low) },
      now: .zero, date: Date(timeIntervalSince1970: 0))
    let body: [UInt8] = [1, 2, 3]
    try restorer.apply(0, body.span)
    do throws(RecordError) {
      _ = try restorer.finish(generation: "", freshEpoch: "")
      Issue.record("a session was restored from no records")
    } catch {
      #expect(error == RecordError(1, .missing))
    }
  }

  @Test(
    "any changed byte of any record gives an error or a working session",
    arguments: 0..<4)
  func flipped(part: Int) throws {
    let records = try Self.compacted(Self.everything())
    var errors = 0
    var sessions = 0
    for place in records.indices {
      for index in records[place].body.indices where index % 4 == part {
        for mask: UInt8 in [0x01, 0x80, 0xFF] {
          var damaged = records
          damaged[place].body[index] ^= mask
          do {
            try use(try restore(damaged).takeSession())
            sessions += 1
          } catch is RecordError {
            errors += 1
          }
        }
      }
    }
    #expect(errors > 100)
    #expect(sessions > 100)
  }

  @Test("a record that is cut at any byte, or followed by other bytes, gives an error or a working session")
  func cut() throws {
    let records = try Self.compacted(Self.everything())
    for place in records.indices {
      for count in 0..<records[place].body.count {
        var damaged = records
        damaged[place].body.removeSubrange(count...)
        do {
          try use(try restore(damaged).takeSession())
        } catch is RecordError {}
      }
    }
  }

  @Test(
    "random bodies of every kind of record give an error or a working session",
    arguments: 1...40 as ClosedRange<UInt64>)
  func garbage(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let records = try Self.everything().disk
    for kind in SessionRecord.Kind.allCases {
      var body = records.first(kind)?.body ?? [UInt8](repeating: 0, count: 40)
      for _ in 0...random.below(6) {
        let at = random.below(body.count)
        body.replaceSubrange(
          at..<min(at + random.below(5), body.count),
          with: (0..<random.below(9)).map { _ in UInt8(truncatingIfNeeded: random.next()) })
        if body.isEmpty { body = [0] }
      }
      do {
        try use(try restore(records + [SessionRecord(kind: kind, body: body)]).takeSession())
      } catch is RecordError {}
    }
  }

  // MARK: - Support

  /// Returns a session whose file has every kind of record except `base`.
  private static func everything() throws -> Fixture {
    let fixture = Fixture(saving: .byStore)
    let ada = try fixture.join(name: "Ada", color: "#112233")
    let bo = try fixture.join(name: "Bo", color: "#445566")
    ada.send("a", .appended, key: 1)
    ada.send("b", .replaced, key: 2)
    ada.send("c", [.reliable, .targeted], to: [bo.number])
    ada.send("", .removed, key: 2)
    ada.sendRaw(SentEntry(clientSequence: 5, type: []))
    let id = try fixture.add(3, size: 9, participant: bo.number)
    try fixture.save()
    _ = fixture.session.storeContent(id, digest: RestoringJournalTests.digest, size: 9)
    try fixture.add(4)
    try fixture.save()
    _ = fixture.session.finishAttachment(id, now: fixture.now)
    bo.leave()
    try fixture.save()
    fixture.disk.append(EndRecord(at: Date(timeIntervalSince1970: 9), by: 1).encoded)
    fixture.disk.append(RestoredRecord(at: Date(timeIntervalSince1970: 9)).encoded)
    fixture.close()
    return fixture
  }

  /// Returns the records of the session in `fixture`, with an additional `base` record as a compaction writes it. The `base`
  /// record contains all retained entries up to the first attachment.
  private static func compacted(_ fixture: Fixture) throws -> [SessionRecord] {
    var retained: [UInt8] = []
    var sequence: UInt64 = 0
    for entry in Fingerprint(fixture.session).held.sorted(by: { $0.key < $1.key }).prefix(1) {
      retained += entry.value
      sequence = entry.key
    }
    var body: [UInt8] = []
    body.append(bigEndian: sequence)
    var records = fixture.disk
    let first = try #require(records.firstIndex { $0.kind == .run })
    records.insert(SessionRecord(kind: .base, body: body + retained), at: first)
    return records
  }

  /// Lets a participant join, draw and leave, and saves, compacts and closes the session.
  private func use(_ session: consuming Session) throws {
    let fixture = Fixture(session, now: .zero)
    fixture.disk = fixture.session.openingRecords()
    fixture.session.didSaveOpening()
    let looker = fixture.connect()
    looker.join(name: "Looker")
    try fixture.turn(looker)
    looker.send("x", .appended, key: 1)
    try fixture.save(looker)
    fixture.pass(milliseconds: 60_000)
    for object in fixture.session.attachmentObjects {
      _ = fixture.session.removeAttachment(object.id, now: fixture.now)
    }
    let plan = fixture.session.beginCompaction()
    _ = fixture.session.compactionSlice(after: 0, through: plan.through)
    _ = fixture.session.shouldCompact(logBytes: 1)
    looker.leave()
    try fixture.save()
    fixture.close()
  }

  @Test("a `run` record is refused if one of its frames has no entry")
  func emptyFrame() {
    let body: [UInt8] = [0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF] + Self.frame(nil, Self.entry(1, 1))
    var frames = RunFrames()
    var error: RecordError?
    do throws(RecordError) {
      _ = try frames.next(in: body.span)
    } catch let thrown {
      error = thrown
    }
    #expect(error?.fault == .entry(.entryTooShort(length: 0, needed: GatewayEntry.fixedLength)))
  }
}
