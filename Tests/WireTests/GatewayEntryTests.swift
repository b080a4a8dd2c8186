import FoundationEssentials
import Testing
import Wire
import TestSupport

/// PROTOCOL 3: entries of the gateway, compared with literal bytes.
@Suite("PROTOCOL 3: entries from the gateway have the documented bytes")
struct GatewayEntryTests {
  static let examples = EntryVectors.file.fromGateway

  @Test(
    "an entry is parsed into its parts, both alone and between other bytes of a message", arguments: examples)
  func parses(_ example: EntryVector) throws {
    for (before, behind) in [([], []), (hex("DEADBEEF00"), hex("00000004"))] as [([UInt8], [UInt8])] {
      let message = before + example.bytes.bytes + behind
      let entry = try gatewayEntry(message, at: before.count)
      #expect(entry.flags == example.entryFlags)
      #expect(entry.sequence == example.sequence)
      #expect(entry.sender == example.sender)
      #expect(entry.clientSequence == example.clientSequence)
      #expect(entry.key == example.entryKey)
      #expect(text(Array(message[entry.type])) == example.type)
      #expect(Array(message[entry.payload]) == example.payload.bytes)
      #expect(entry.end == before.count + example.bytes.bytes.count)
      #expect(
        entry.payload.lowerBound - before.count
          == GatewayEntry.headerLength(flags: example.entryFlags, typeLength: example.type.utf8.count))
    }
  }

  @Test("encoding the parts of an entry gives the expected bytes", arguments: examples)
  func appends(_ example: EntryVector) throws {
    var written: [UInt8] = [0xEE]
    let sequence = try #require(example.sequence)
    let sender = try #require(example.sender)
    GatewayEntry.append(
      to: &written, flags: example.entryFlags, sequence: sequence, sender: sender,
      clientSequence: example.clientSequence, key: example.entryKey, type: WireTests.bytes(example.type).span,
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
        try gatewayEntry(Array(bytes.prefix(count)))
      }
    }
  }

  @Test("an entry whose length field is below the length of its header is refused", arguments: examples)
  func tooShort(_ example: EntryVector) {
    let header = example.bytes.bytes.count - example.payload.bytes.count - 4
    for length in 0..<header {
      var message = example.bytes.bytes
      message[3] = UInt8(length)
      let needed = length < 18 ? 18 : header
      #expect(throws: WireError.entryTooShort(length: length, needed: needed)) {
        try gatewayEntry(message, at: 0)
      }
    }
  }

  @Test(
    "an invalid message is refused, unless it breaks a rule that only other receivers check",
    arguments: EntryVectors.file.refusedFromGateway)
  func refuses(_ vector: RefusedMessageVector) throws {
    if vector.refusedBy.contains("swift") {
      #expect(throws: WireError.self) { try gatewayEntry(vector.bytes.bytes) }
    } else {
      #expect(try gatewayEntry(vector.bytes.bytes).end == vector.bytes.bytes.count)
    }
  }

  @Test("randomly changed bytes are parsed within bounds or refused, without a trap", arguments: 0..<16)
  func mutations(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<2_000 {
      var message: [UInt8] = []
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        message += Self.examples[Int.random(in: 0..<Self.examples.count, using: &random)].bytes.bytes
      }
      for _ in 0..<Int.random(in: 0...4, using: &random) {
        let index = Int.random(in: 0..<message.count, using: &random)
        message[index] = UInt8.random(in: 0...255, using: &random)
      }
      var offset = 0
      while offset < message.count, let entry = try? gatewayEntry(message, at: offset) {
        #expect(entry.end > offset && entry.end <= message.count)
        #expect(entry.payload.upperBound == entry.end)
        #expect(entry.type.upperBound == entry.payload.lowerBound)
        offset = entry.end
      }
    }
  }
}

/// The flags and the key of an entry.
@Suite("PROTOCOL 3: flags and keys of entries have the documented bits and bytes")
struct FlagsAndKeysTests {
  @Test("each entry flag has its own bit")
  func bits() {
    #expect(EntryFlags.reliable.rawValue == 0x01)
    #expect(EntryFlags.targeted.rawValue == 0x08)
    #expect(EntryFlags.sealed.rawValue == 0x10)
    #expect(EntryFlags.existing.rawValue == 0x20)
    #expect(EntryFlags.reserved.rawValue == 0x40)
    #expect(EntryFlags.system.rawValue == 0x80)
  }

  @Test(
    "the retention is in bits 1 and 2, and setting it changes no other bit", arguments: Retention.allCases)
  func retention(_ retention: Retention) {
    for raw in UInt8.min...UInt8.max {
      var flags = EntryFlags(rawValue: raw)
      #expect(flags.retention.rawValue == raw >> 1 & 3)
      flags.retention = retention
      #expect(flags.retention == retention)
      #expect(flags.rawValue & 0b1111_1001 == raw & 0b1111_1001)
    }
  }

  @Test("a key has the bytes of a UUID in the order of the UUID's text")
  func keys() throws {
    let uuid = try #require(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))
    let key = EntryKey(uuid)
    var written: [UInt8] = []
    key.append(to: &written)
    #expect(written == hex("00112233445566778899AABBCCDDEEFF"))
    let read = EntryKey(written.span, at: 0)
    #expect(read == key)
    #expect(key.uuid == uuid)
  }
}
