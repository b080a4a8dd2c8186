import FoundationEssentials
import Testing
import Wire
import TestSupport

/// PROTOCOL 3: entries of clients, compared with literal bytes.
@Suite("PROTOCOL 3: entries from clients have the documented bytes")
struct ClientEntryTests {
  /// The bytes of an entry, and the parts into which these bytes are parsed.
  struct Example: Sendable, CustomTestStringConvertible {
    let name: String
    let flags: EntryFlags
    let clientSequence: UInt32
    var key = EntryKey.zero
    var targets: [ParticipantNumber] = []
    let type: String
    let payload: [UInt8]
    let bytes: [UInt8]

    var testDescription: String { name }
  }

  static let key = EntryKey(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF)

  static let examples = [
    Example(
      name: "reliable, nothing kept", flags: .reliable, clientSequence: 1, type: "T", payload: [0xAA, 0xBB],
      bytes: hex("00000009 01 01 00000001 54 AABB")),
    Example(
      name: "unreliable, no payload", flags: [], clientSequence: 0, type: "Cu", payload: [],
      bytes: hex("00000008 00 02 00000000 4375")),
    Example(
      name: "append", flags: EntryFlags(.reliable, retention: .append), clientSequence: 258, key: key,
      type: "S", payload: [1],
      bytes: hex("00000018 03 01 00000102 00112233445566778899AABBCCDDEEFF 53 01")),
    Example(
      name: "replace, existing, sealed",
      flags: EntryFlags([.reliable, .existing, .sealed], retention: .replace),
      clientSequence: 0xFFFF_FFFF, key: key, type: "é", payload: [0],
      bytes: hex("00000019 35 02 FFFFFFFF 00112233445566778899AABBCCDDEEFF C3A9 00")),
    Example(
      name: "remove", flags: EntryFlags(.reliable, retention: .remove), clientSequence: 7, key: key,
      type: "R", payload: [],
      bytes: hex("00000017 07 01 00000007 00112233445566778899AABBCCDDEEFF 52")),
    Example(
      name: "targeted at two", flags: [.reliable, .targeted], clientSequence: 2, targets: [3, 0x0102_0304],
      type: "P", payload: [9],
      bytes: hex("00000012 09 01 00000002 0002 00000003 01020304 50 09")),
    Example(
      name: "targeted at nobody, unreliable", flags: .targeted, clientSequence: 0, type: "P", payload: [],
      bytes: hex("00000009 08 01 00000000 0000 50")),
  ]

  @Test("an entry is parsed into its parts, whether it is alone or between other bytes", arguments: examples)
  func parses(_ example: Example) throws {
    for (before, behind) in [([], []), ([], hex("00000009")), (hex("DEADBEEF00"), hex("FF"))]
      as [([UInt8], [UInt8])]
    {
      let message = before + example.bytes + behind
      let entry = try clientEntry(message, at: before.count)
      #expect(entry.flags == example.flags)
      #expect(entry.clientSequence == example.clientSequence)
      #expect(entry.key == example.key)
      #expect(entry.targetCount == example.targets.count)
      #expect(
        (0..<entry.targetCount).map { entry.target(at: $0, in: message) } == example.targets)
      #expect(Array(message[entry.type]) == WireTests.bytes(example.type))
      #expect(Array(message[entry.payload]) == example.payload)
      #expect(entry.end == before.count + example.bytes.count)
      #expect(entry.validationError(in: message) == nil)
    }
  }

  @Test("encoding the fields of an example entry gives the bytes of the example", arguments: examples)
  func appends(_ example: Example) {
    var written: [UInt8] = [0xEE]
    ClientEntry.append(
      to: &written, flags: example.flags, clientSequence: example.clientSequence, key: example.key,
      targets: example.targets, type: WireTests.bytes(example.type).span, payload: example.payload.span)
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
        try clientEntry(Array(example.bytes.prefix(count)))
      }
    }
  }

  @Test("an entry whose length field is below the length of its header is refused", arguments: examples)
  func tooShort(_ example: Example) {
    let header = example.bytes.count - example.payload.count - 4
    for length in 0..<header {
      var message = example.bytes
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

  @Test(
    "the largest entry length, the largest target count, and a missing length field are refused without a trap"
  )
  func edges() {
    #expect(throws: WireError.entryExceedsMessage(length: 0xFFFF_FFFF, available: 2)) {
      try clientEntry(hex("FFFFFFFF 01 01"))
    }
    #expect(throws: WireError.entryTooShort(length: 9, needed: 8 + 4 * 65_535 + 1)) {
      try clientEntry(hex("00000009 09 01 00000001 FFFF 50"))
    }
    #expect(throws: WireError.entryLengthTruncated(have: 0)) {
      try clientEntry([])
    }
    #expect(throws: WireError.entryLengthTruncated(have: 0)) {
      try clientEntry([0, 0], at: 5)
    }
  }

  /// The bytes of an entry that can be parsed but breaks a rule, and the expected error.
  struct Fault: Sendable, CustomTestStringConvertible {
    let rule: String
    let fault: EntryError
    let bytes: [UInt8]

    var testDescription: String { rule }
  }

  static let uncut = hex("00112233445566778899AABBCCDDEEFF")

  static let faults = [
    Fault(
      rule: "bit 7, which only the gateway may set", fault: .systemFlag,
      bytes: hex("00000007 81 01 00000001 54")),
    Fault(rule: "bit 6, which must be 0", fault: .reservedFlag, bytes: hex("00000007 41 01 00000001 54")),
    Fault(
      rule: "retention on an unreliable entry: append", fault: .retentionOnUnreliable(.append),
      bytes: hex("00000017 02 01 00000000") + uncut + [0x54]),
    Fault(
      rule: "retention on an unreliable entry: remove", fault: .retentionOnUnreliable(.remove),
      bytes: hex("00000017 06 01 00000000") + uncut + [0x54]),
    Fault(
      rule: "a client sequence on an unreliable entry", fault: .sequenceOnUnreliable(5),
      bytes: hex("00000007 00 01 00000005 54")),
    Fault(
      rule: "client sequence 0 on a reliable entry", fault: .noSequenceOnReliable,
      bytes: hex("00000007 01 01 00000000 54")),
    Fault(
      rule: "retention with a target list", fault: .retentionWithTargets(.replace),
      bytes: hex("00000019 0D 01 00000001") + uncut + hex("0000 54")),
    Fault(
      rule: "`existing` without retention", fault: .existingWithoutAppendOrReplace(.none),
      bytes: hex("00000007 21 01 00000001 54")),
    Fault(
      rule: "`existing` with retention remove", fault: .existingWithoutAppendOrReplace(.remove),
      bytes: hex("00000017 27 01 00000001") + uncut + [0x54]),
    Fault(
      rule: "`existing` on an unreliable entry", fault: .existingWithoutAppendOrReplace(.none),
      bytes: hex("00000007 20 01 00000000 54")),
    Fault(rule: "an empty type", fault: .emptyType, bytes: hex("00000007 01 00 00000001 54")),
    Fault(
      rule: "a type that is not UTF-8", fault: .typeNotUTF8, bytes: hex("00000008 01 02 00000001 C328")),
    Fault(
      rule: "a type that ends inside a character", fault: .typeNotUTF8,
      bytes: hex("00000008 01 01 00000001 C3A9")),
    Fault(
      rule: "retention remove with a payload", fault: .removeWithPayload(length: 1),
      bytes: hex("00000018 07 01 00000001") + uncut + hex("54 00")),
    Fault(
      rule: "too many targets", fault: .tooManyTargets(limit: 1_000, actual: 1_001),
      bytes: hex("00000FAD 09 01 00000001 03E9") + [UInt8](repeating: 0, count: 4_004) + [0x54]),
    Fault(
      rule: "a payload above the limit", fault: .payloadTooLarge(limit: 262_144, actual: 262_145),
      bytes: hex("00040008 01 01 00000001 54") + [UInt8](repeating: 0, count: 262_145)),
  ]

  @Test(
    "an entry that breaks a rule is parsed, and its error has the limit and the actual value",
    arguments: faults)
  func findsFault(_ example: Fault) throws {
    let entry = try clientEntry(example.bytes)
    #expect(entry.end == example.bytes.count)
    #expect(entry.validationError(in: example.bytes) == example.fault)
    let refusal = example.fault.refusal(clientSequence: 9)
    #expect(refusal.clientSequence == 9)
    #expect(!refusal.detail.isEmpty)
    if case .payloadTooLarge = example.fault {
      #expect(refusal.code == .messageTooLarge)
      #expect(refusal.limit == 262_144)
      #expect(refusal.actual == 262_145)
    } else {
      #expect(refusal.code == .badEntry)
    }
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
    let all = Self.examples.map(\.bytes) + Self.faults.prefix(14).map(\.bytes)
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
