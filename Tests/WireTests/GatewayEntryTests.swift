import FoundationEssentials
import Testing
import Wire
import TestSupport

/// PROTOCOL 3: entries of the gateway, compared with literal bytes.
@Suite("PROTOCOL 3: entries from the gateway have the documented bytes")
struct GatewayEntryTests {
  /// The bytes of an entry and its parts.
  struct Example: Sendable, CustomTestStringConvertible {
    let name: String
    let flags: EntryFlags
    let sequence: UInt64
    let sender: ParticipantNumber
    let clientSequence: UInt32
    var key = EntryKey.zero
    let type: String
    let payload: [UInt8]
    let bytes: [UInt8]

    var testDescription: String { name }
  }

  static let examples = [
    Example(
      name: "reliable", flags: .reliable, sequence: 815, sender: 3, clientSequence: 41, type: "T",
      payload: [0xAA], bytes: hex("00000014 01 01 000000000000032F 00000003 00000029 54 AA")),
    Example(
      name: "unreliable", flags: [], sequence: 0, sender: 0xFFFF_FFFF, clientSequence: 0, type: "Cu",
      payload: [], bytes: hex("00000014 00 02 0000000000000000 FFFFFFFF 00000000 4375")),
    Example(
      name: "replace", flags: EntryFlags(.reliable, retention: .replace), sequence: 0x1F_FFFF_FFFF_FFFF,
      sender: 1, clientSequence: 2, key: EntryKey(high: 1, low: 2), type: "S", payload: [1, 2],
      bytes: hex(
        """
        00000025 05 01 001FFFFFFFFFFFFF 00000001 00000002
        0000000000000001 0000000000000002 53 0102
        """)),
    Example(
      name: "system", flags: [.reliable, .system], sequence: 4, sender: 0, clientSequence: 0,
      type: "activity", payload: WireTests.bytes("{}"),
      bytes: hex("0000001C 81 08 0000000000000004 00000000 00000000 6163746976697479 7B7D")),
  ]

  @Test(
    "an entry is parsed into its parts, both alone and between other bytes of a message", arguments: examples)
  func parses(_ example: Example) throws {
    for (before, behind) in [([], []), (hex("DEADBEEF00"), hex("00000004"))] as [([UInt8], [UInt8])] {
      let message = before + example.bytes + behind
      let entry = try gatewayEntry(message, at: before.count)
      #expect(entry.flags == example.flags)
      #expect(entry.sequence == example.sequence)
      #expect(entry.sender == example.sender)
      #expect(entry.clientSequence == example.clientSequence)
      #expect(entry.key == example.key)
      #expect(text(Array(message[entry.type])) == example.type)
      #expect(Array(message[entry.payload]) == example.payload)
      #expect(entry.end == before.count + example.bytes.count)
      #expect(
        entry.payload.lowerBound - before.count
          == GatewayEntry.headerLength(flags: example.flags, typeLength: example.type.utf8.count))
    }
  }

  @Test("encoding the parts of an entry gives the expected bytes", arguments: examples)
  func appends(_ example: Example) {
    var written: [UInt8] = [0xEE]
    GatewayEntry.append(
      to: &written, flags: example.flags, sequence: example.sequence, sender: example.sender,
      clientSequence: example.clientSequence, key: example.key, type: WireTests.bytes(example.type).span,
      payload: example.payload.span)
    #expect(written == [0xEE] + example.bytes)
  }

  @Test("a message that ends within an entry is refused", arguments: examples)
  func prefixes(_ example: Example) {
    for count in 0..<example.bytes.count {
      let expected: WireError =
        count < 4
        ? .entryLengthTruncated(have: count)
        : .entryExceedsMessage(length: example.bytes.count - 4, available: count - 4)
      #expect(throws: expected) {
        try gatewayEntry(Array(example.bytes.prefix(count)))
      }
    }
  }

  @Test("an entry whose length field is below the length of its header is refused", arguments: examples)
  func tooShort(_ example: Example) {
    let header = example.bytes.count - example.payload.count - 4
    for length in 0..<header {
      var message = example.bytes
      message[3] = UInt8(length)
      let needed = length < 18 ? 18 : header
      #expect(throws: WireError.entryTooShort(length: length, needed: needed)) {
        try gatewayEntry(message, at: 0)
      }
    }
  }

  @Test("randomly changed bytes are parsed within bounds or refused, without a trap", arguments: 0..<16)
  func mutations(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<2_000 {
      var message: [UInt8] = []
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        message += Self.examples[Int.random(in: 0..<Self.examples.count, using: &random)].bytes
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
