import FoundationEssentials
import Primitives
import SessionCore
import Wire

/// A generator with the same numbers for the same seed, on every machine.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  /// Returns the next number of the generator SplitMix64.
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
    return word ^ word >> 31
  }

  mutating func below(_ count: Int) -> Int {
    Int(next() % UInt64(count))
  }

  mutating func chance(_ percent: Int) -> Bool {
    below(100) < percent
  }
}

/// An entry that a client sends, as comparable values.
struct SentEntry: Equatable {
  var flags = EntryFlags.reliable
  var clientSequence: UInt32 = 0
  var key = EntryKey.zero
  var targets: [ParticipantNumber] = []
  var type = Array("T".utf8)
  var payload: [UInt8] = []

  func append(to message: inout [UInt8]) {
    ClientEntry.append(
      to: &message, flags: flags, clientSequence: clientSequence, key: key, targets: targets,
      type: type.span, payload: payload.span)
  }

  static func message(_ entries: [SentEntry]) -> [UInt8] {
    var message: [UInt8] = []
    for entry in entries { entry.append(to: &message) }
    return message
  }
}

/// An entry that the gateway sends, as comparable values.
struct ReceivedEntry: Equatable {
  var flags: EntryFlags
  var sequence: UInt64
  var sender: ParticipantNumber
  var clientSequence: UInt32
  var key: EntryKey
  var type: [UInt8]
  var payload: [UInt8]

  var typeText: String { String(decoding: type, as: UTF8.self) }

  /// Returns the entries of a binary message.
  static func all(in message: [UInt8]) throws -> [ReceivedEntry] {
    var entries: [ReceivedEntry] = []
    var offset = 0
    while offset < message.count {
      let entry = try GatewayEntry.parse(message.span, at: offset)
      entries.append(
        ReceivedEntry(
          flags: entry.flags, sequence: entry.sequence, sender: entry.sender,
          clientSequence: entry.clientSequence, key: entry.key, type: Array(message[entry.type]),
          payload: Array(message[entry.payload])))
      offset = entry.end
    }
    return entries
  }
}

/// A message that was received from a gateway.
enum ReceivedMessage {
  case control(GatewayControl)
  case entries([ReceivedEntry])
  case close(UInt16, reason: String)
}

/// A simple compressor for tests, which replaces consecutive zeros by their number.
func withoutZeros(_ message: Span<UInt8>) -> [UInt8] {
  var bytes: [UInt8] = []
  var zeros: UInt8 = 0
  for index in 0..<message.count {
    let byte = message[index]
    if zeros > 0, byte != 0 || zeros == 255 {
      bytes += [0, zeros]
      zeros = 0
    }
    if byte == 0 { zeros += 1 } else { bytes.append(byte) }
  }
  return zeros > 0 ? bytes + [0, zeros] : bytes
}

/// Returns the message that `withoutZeros` compressed.
func withZeros(_ bytes: some Sequence<UInt8>) -> [UInt8] {
  var message: [UInt8] = []
  var rest = bytes.makeIterator()
  while let byte = rest.next() {
    if byte == 0 {
      message += Array(repeating: 0, count: Int(rest.next() ?? 0))
    } else {
      message.append(byte)
    }
  }
  return message
}

/// A rule that was violated, with a description.
struct Violation: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// Throws a violation unless the condition is true.
func require(_ condition: Bool, _ words: @autoclosure () -> String) throws {
  if !condition { throw Violation(words()) }
}

/// A minimal reader of a gateway's WebSocket frames (RFC 6455), independent of the code under test.
struct FrameStream {
  private var bytes: [UInt8] = []

  /// True if all bytes that were read form whole frames.
  var isOnBoundary: Bool { bytes.isEmpty }

  mutating func append(_ more: some Sequence<UInt8>) {
    bytes.append(contentsOf: more)
  }

  mutating func next() throws -> ReceivedMessage? {
    guard bytes.count >= 2 else { return nil }
    let isCompressed = bytes[0] == 0xC2
    try require(
      isCompressed || bytes[0] & 0xF0 == 0x80, "a frame is not complete: the next one begins with \(bytes[0])"
    )
    try require(bytes[1] & 0x80 == 0, "a gateway's frame is masked, or torn")
    var length = Int(bytes[1])
    var header = 2
    if length >= 126 {
      header = length == 126 ? 4 : 10
      guard bytes.count >= header else { return nil }
      length = bytes[2..<header].reduce(0) { $0 << 8 | Int($1) }
    }
    try require(length < 1 << 24, "a frame of \(length) bytes, or a torn one")
    guard bytes.count >= header + length else { return nil }
    let opcode = bytes[0] & 0xF
    let taken = bytes[header..<header + length]
    let payload = isCompressed ? withZeros(taken) : Array(taken)
    bytes.removeFirst(header + length)
    switch opcode {
    case 1: return .control(try GatewayControl.decode(payload.span))
    case 2: return .entries(try ReceivedEntry.all(in: payload))
    case 8:
      return .close(
        UInt16(payload[0]) << 8 | UInt16(payload[1]),
        reason: String(decoding: payload.dropFirst(2), as: UTF8.self))
    default: throw Violation("a frame with opcode \(opcode), or a torn one")
    }
  }
}

extension MonotonicTime {
  static let zero = MonotonicTime(nanoseconds: 0)
}
