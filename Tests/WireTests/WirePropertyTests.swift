import Testing
import Wire
import TestSupport

/// Random messages, whole and in parts.
@Suite("Random JSON, entries and messages")
struct WirePropertyTests {
  @Test(
    "random JSON is unchanged after it is written and parsed, and truncated JSON is refused",
    arguments: UInt64(1)...40)
  func json(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let value = Self.value(&random, depth: 1)
    let written = WireJSON.encode(value)
    #expect(try JSONParser.parse(written) == value)
    #expect(WireJSON.encode(try JSONParser.parse(written)) == written)
    #expect(try JSONParser.parse([0x0A, 0x20] + written + [0x0D, 0x09]) == value)
    let isComposite = written.first == 0x5B || written.first == 0x7B || written.first == 0x22
    guard isComposite else { return }
    for _ in 0..<20 {
      let cut = Array(written[..<Int.random(in: 0..<written.count, using: &random)])
      #expect(throws: WireError.notJSON) { try JSONParser.parse(cut) }
    }
  }

  @Test(
    "an entry inside a message is parsed like the entry alone, and a truncated entry does not affect the entries before it",
    arguments: UInt64(1)...40)
  func entries(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var message: [UInt8] = []
    var ends: [Int] = []
    for _ in 0..<Int.random(in: 1...20, using: &random) {
      Self.appendEntry(to: &message, &random)
      ends.append(message.count)
    }
    #expect(Self.ends(of: message) == ends)
    for _ in 0..<30 {
      let cut = Int.random(in: 0...message.count, using: &random)
      #expect(Self.ends(of: Array(message[..<cut])) == ends.filter { $0 <= cut })
    }
    var start = 0
    for end in ends {
      let alone = try clientEntry(Array(message[start..<end]))
      let within = try clientEntry(message, at: start)
      #expect(alone.flags == within.flags && alone.key == within.key && alone.end == within.end - start)
      #expect(alone.payload.count == within.payload.count && alone.targetCount == within.targetCount)
      start = end
    }
  }

  /// Returns the ends of the entries that can be parsed in a message.
  private static func ends(of message: [UInt8]) -> [Int] {
    var ends: [Int] = []
    do throws(WireError) {
      while (ends.last ?? 0) < message.count {
        ends.append(try clientEntry(message, at: ends.last ?? 0).end)
      }
    } catch {
      // The rest of the message cannot be parsed as entries.
    }
    return ends
  }

  private static func appendEntry(to message: inout [UInt8], _ random: inout SeededGenerator) {
    let bytes = (0..<Int.random(in: 0...300, using: &random)).map { _ in
      UInt8.random(in: 0...255, using: &random)
    }
    let type = bytes.prefix(Int.random(in: 0...255, using: &random))
    ClientEntry.append(
      to: &message, flags: EntryFlags(rawValue: UInt8.random(in: 0...255, using: &random)),
      clientSequence: UInt32.random(in: 0...9, using: &random),
      key: EntryKey(high: random.next(), low: random.next()),
      targets: (0..<Int.random(in: 0...3, using: &random)).map { _ in 7 }, type: Array(type).span,
      payload: bytes.span)
  }

  private static func value(_ random: inout SeededGenerator, depth: Int) -> JSONValue {
    switch Int.random(in: 0..<(depth < 6 ? 8 : 6), using: &random) {
    case 0: .null
    case 1: .bool(Bool.random(using: &random))
    case 2: .integer(Int64.random(in: .min ... .max, using: &random))
    case 3: .unsigned(UInt64.random(in: 1 << 63 ... .max, using: &random))
    case 4: .number(Double.random(in: -1e6...1e6, using: &random) + 0.5)
    case 5: .string(text(&random))
    case 6: .array((0..<Int.random(in: 0...5, using: &random)).map { _ in value(&random, depth: depth + 1) })
    default:
      .object(
        Dictionary(
          (0..<Int.random(in: 0...5, using: &random)).map { _ in
            (text(&random), value(&random, depth: depth + 1))
          },
          uniquingKeysWith: { first, _ in first }))
    }
  }

  private static func text(_ random: inout SeededGenerator) -> String {
    let scalars = (0..<Int.random(in: 0...12, using: &random)).compactMap { _ in
      Unicode.Scalar(
        UInt32.random(in: 0...([0x7F, 0x7FF, 0x10FFFF].randomElement(using: &random) ?? 0), using: &random))
    }
    return String(String.UnicodeScalarView(scalars))
  }
}

extension JSONParser {
  /// Parses the bytes of an array. Tests pass arrays, because the argument of a macro cannot contain a span.
  fileprivate static func parse(_ bytes: [UInt8]) throws(WireError) -> JSONValue {
    try parse(bytes.span)
  }
}
