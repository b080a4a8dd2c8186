import FoundationEssentials
import Testing
import Wire
import TestSupport

/// PROTOCOL 3: entries of clients, compared with literal bytes.
@Suite("PROTOCOL 3: entries from clients have the documented bytes")
struct ClientEntryTests {
  static let examples = EntryVectors.file.fromClients

  @Test("an entry is parsed into its parts, whether it is alone or between other bytes", arguments: examples)
  func parses(_ example: EntryVector) throws {
    for (before, behind) in [([], []), ([], hex("00000009")), (hex("DEADBEEF00"), hex("FF"))]
      as [([UInt8], [UInt8])]
    {
      let message = before + example.bytes.bytes + behind
      let entry = try clientEntry(message, at: before.count)
      #expect(entry.flags == example.entryFlags)
      #expect(entry.clientSequence == example.clientSequence)
      #expect(entry.key == example.entryKey)
      #expect((0..<entry.targetCount).map { entry.target(at: $0, in: message) } == example.targets ?? [])
      #expect(Array(message[entry.type]) == WireTests.bytes(example.type))
      #expect(Array(message[entry.payload]) == example.payload.bytes)
      #expect(entry.end == before.count + example.bytes.bytes.count)
      #expect(entry.validationError(in: message) == nil)
    }
  }

  @Test("encoding the fields of an example entry gives the bytes of the example", arguments: examples)
  func appends(_ example: EntryVector) {
    var written: [UInt8] = [0xEE]
    ClientEntry.append(
      to: &written, flags: example.entryFlags, clientSequence: example.clientSequence, key: example.entryKey,
      targets: example.targets ?? [], type: WireTests.bytes(example.type).span,
      payload: example.payload.bytes.span)
    #expect(written == [0xEE] + example.bytes.bytes)
  }

  @Test("a message that ends within an entry is refused", arguments: examples)
  func prefixes(_ example: EntryVector) {
    let bytes = example.bytes.bytes
    for count in 0..<bytes.count {
      let expected: WireError =
        count < 4
        ? .entryLengthTruncated(have: count)
        : .entryExceedsMessage(length: bytes.count - 4, available: count - 4)
      #expect(throws: expected) {
        try clientEntry(Array(bytes.prefix(count)))
      }
    }
  }

  @Test("an entry whose length field is below the length of its header is refused", arguments: examples)
  func tooShort(_ example: EntryVector) {
    let header = example.bytes.bytes.count - example.payload.bytes.count - 4
    for length in 0..<header {
      var message = example.bytes.bytes
      message[2] = 0
      message[3] = UInt8(length)
      let error = #expect(throws: WireError.self) { try clientEntry(message) }
      guard case .entryTooShort(length, let needed)? = error else {
        Issue.record("length \(length): \(String(describing: error))")
        continue
      }
      #expect(needed > length && needed <= header)
    }
  }

  @Test("a message that cannot be divided into entries is refused", arguments: EntryVectors.file.undividable)
  func refuses(_ vector: UndividableVector) throws {
    let expected = try #require(vector.wireError)
    #expect(throws: expected) { try clientEntry(vector.bytes.bytes) }
    #expect(expected.refusal.code == .badEntry)
  }

  @Test("an entry that begins at or behind the end of its message is refused without a trap")
  func edges() {
    #expect(throws: WireError.entryLengthTruncated(have: 0)) {
      try clientEntry([])
    }
    #expect(throws: WireError.entryLengthTruncated(have: 0)) {
      try clientEntry([0, 0], at: 5)
    }
  }

  @Test(
    "an entry that breaks a rule is parsed, and its error has the limit and the actual value",
    arguments: EntryVectors.file.refusedFromClients)
  func findsFault(_ vector: RefusedEntryVector) throws {
    let entry = try clientEntry(vector.bytes.bytes)
    #expect(entry.end == vector.bytes.bytes.count)
    let error = try #require(entry.validationError(in: vector.bytes.bytes))
    #expect(error == vector.entryError)
    let refusal = error.refusal(clientSequence: 9)
    #expect(refusal.clientSequence == 9)
    #expect(!refusal.detail.isEmpty)
    #expect(refusal.code.rawValue == vector.code)
    #expect(refusal.limit == vector.limit.map { UInt64($0) })
    #expect(refusal.actual == vector.actual.map { UInt64($0) })
  }

  @Test("an entry whose values are exactly at the limits is valid")
  func limits() throws {
    let payload = hex("00040007 01 01 00000001 54") + [UInt8](repeating: 0, count: 262_144)
    #expect(try clientEntry(payload).validationError(in: payload) == nil)
    #expect(
      try clientEntry(payload).validationError(in: payload, messageBytes: 10)
        == .payloadTooLarge(limit: 10, actual: 262_144))
    let targets = hex("00000FA9 09 01 00000001 03E8") + [UInt8](repeating: 0, count: 4_000) + [0x54]
    #expect(try clientEntry(targets).validationError(in: targets) == nil)
    let type = hex("00000105 01 FF 00000001") + [UInt8](repeating: 0x54, count: 255)
    #expect(try clientEntry(type).validationError(in: type) == nil)
  }

  @Test("randomly changed bytes are parsed within bounds or refused, without a trap", arguments: 0..<16)
  func mutations(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let refused = EntryVectors.file.refusedFromClients.map(\.bytes.bytes).filter { $0.count < 100 }
    let all = Self.examples.map(\.bytes.bytes) + refused
    for _ in 0..<2_000 {
      var message: [UInt8] = []
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        message += all[Int.random(in: 0..<all.count, using: &random)]
      }
      for _ in 0..<Int.random(in: 0...4, using: &random) {
        let index = Int.random(in: 0..<message.count, using: &random)
        message[index] = UInt8.random(in: 0...255, using: &random)
      }
      message.removeLast(Int.random(in: 0...min(5, message.count), using: &random))
      var offset = 0
      while offset < message.count, let entry = try? clientEntry(message, at: offset) {
        #expect(entry.end > offset && entry.end <= message.count)
        #expect(entry.payload.upperBound == entry.end)
        #expect(entry.type.upperBound == entry.payload.lowerBound)
        _ = entry.validationError(in: message)
        for index in 0..<entry.targetCount { _ = entry.target(at: index, in: message) }
        offset = entry.end
      }
    }
  }
}
