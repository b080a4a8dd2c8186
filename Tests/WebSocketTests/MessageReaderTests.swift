import Testing
import WebSocket

/// Valid frames and their events.
struct Example: Sendable, CustomTestStringConvertible {
  let rule: String
  var role = Role.client
  let bytes: [UInt8]
  let events: [FeedEvent]

  var testDescription: String { rule }
}

@Suite("RFC 6455 §5: MessageReader returns the expected events for valid frames")
struct MessageReaderTests {
  static let hello: [UInt8] = Array("Hello".utf8)

  static let examples: [Example] = [
    Example(
      rule: "§5.7 a text in one frame, unmasked",
      bytes: [0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F], events: [.message(.text, hello)]),
    Example(
      rule: "§5.7 a text in one frame, masked", role: .server,
      bytes: [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58],
      events: [.message(.text, hello)]),
    Example(
      rule: "§5.7 a text in two frames",
      bytes: [0x01, 0x03, 0x48, 0x65, 0x6C, 0x80, 0x02, 0x6C, 0x6F], events: [.message(.text, hello)]),
    Example(
      rule: "§5.7 a ping, unmasked",
      bytes: [0x89, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F], events: [.ping(hello)]),
    Example(
      rule: "§5.7 a pong, masked", role: .server,
      bytes: [0x8A, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58], events: [.pong(hello)]),
    Example(
      rule: "§5.7 256 bytes in one frame",
      bytes: [0x82, 0x7E, 0x01, 0x00] + Array(0...255), events: [.message(.binary, Array(0...255))]),
    Example(
      rule: "§5.7 64 KiB in one frame",
      bytes: [0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0] + [UInt8](repeating: 7, count: 65_536),
      events: [.message(.binary, [UInt8](repeating: 7, count: 65_536))]),
    Example(rule: "§5.2 an empty text", bytes: [0x81, 0x00], events: [.message(.text, [])]),
    Example(
      rule: "§5.2 an empty binary message, masked", role: .server, bytes: [0x82, 0x80, 1, 2, 3, 4],
      events: [.message(.binary, [])]),
    Example(
      rule: "§5.2 125 bytes", bytes: [0x82, 0x7D] + [UInt8](repeating: 1, count: 125),
      events: [.message(.binary, [UInt8](repeating: 1, count: 125))]),
    Example(
      rule: "§5.2 126 bytes", bytes: [0x82, 0x7E, 0x00, 0x7E] + [UInt8](repeating: 1, count: 126),
      events: [.message(.binary, [UInt8](repeating: 1, count: 126))]),
    Example(
      rule: "§5.2 65,535 bytes", bytes: [0x82, 0x7E, 0xFF, 0xFF] + [UInt8](repeating: 1, count: 65_535),
      events: [.message(.binary, [UInt8](repeating: 1, count: 65_535))]),
    Example(
      rule: "§5.4 a message whose frames are all empty", bytes: [0x02, 0x00, 0x00, 0x00, 0x80, 0x00],
      events: [.message(.binary, [])]),
    Example(
      rule: "§5.4 empty frames before and after a frame with payload",
      bytes: [0x02, 0x00, 0x00, 0x01, 0x55, 0x80, 0x00],
      events: [.message(.binary, [0x55])]),
    Example(
      rule: "§5.4 control frames between fragments",
      bytes: [
        0x01, 0x02, 0x48, 0x65, 0x89, 0x01, 0x31, 0x00, 0x01, 0x6C, 0x8A, 0x00, 0x80, 0x02, 0x6C, 0x6F,
      ],
      events: [.ping([0x31]), .pong([]), .message(.text, hello)]),
    Example(
      rule: "§5.5 a control frame of 125 bytes", bytes: [0x89, 0x7D] + [UInt8](repeating: 9, count: 125),
      events: [.ping([UInt8](repeating: 9, count: 125))]),
    Example(
      rule: "§5.6 a text divided inside a character",
      bytes: [0x01, 0x02, 0xE2, 0x82, 0x80, 0x02, 0xAC, 0x21], events: [.message(.text, Array("€!".utf8))]),
  ]

  @Test(
    "example frames give the same events in one piece, byte by byte, and with another frame after them",
    arguments: examples)
  func tells(_ example: Example) {
    let expected = Outcome(events: example.events, fedBytes: example.bytes.count)
    #expect(readWhole(example.bytes, role: example.role) == expected)
    #expect(readByteByByte(example.bytes, role: example.role) == expected)
    let twice = Outcome(events: example.events + example.events, fedBytes: 2 * example.bytes.count)
    #expect(readWhole(example.bytes + example.bytes, role: example.role) == twice)
  }

  static let closes: [Example] = [
    Example(rule: "§5.5.1 a close frame without a code", bytes: [0x88, 0x00], events: [.close(nil, "")]),
    Example(
      rule: "§5.5.1 a close frame with a code", bytes: [0x88, 0x02, 0x03, 0xE8],
      events: [.close(.normalClosure, "")]),
    Example(
      rule: "§5.5.1 a close frame with a reason", bytes: [0x88, 0x05, 0x03, 0xE9, 0x62, 0x79, 0x65],
      events: [.close(.goingAway, "bye")]),
    Example(
      rule: "§7.4.2 a close frame with an application code", bytes: [0x88, 0x02, 0x0F, 0xA4],
      events: [.close(CloseCode(rawValue: 4004), "")]),
    Example(
      rule: "§5.5.1 a masked close frame", role: .server,
      bytes: [0x88, 0x82, 0x01, 0x02, 0x03, 0x04, 0x02, 0xEA],
      events: [.close(.normalClosure, "")]),
    Example(
      rule: "§5.5.1 a close frame inside a message", bytes: [0x01, 0x01, 0x48, 0x88, 0x00],
      events: [.close(nil, "")]),
  ]

  @Test("RFC 6455 §1.4: bytes after a close frame are ignored", arguments: closes)
  func endsWithClose(_ example: Example) {
    let behind: [UInt8] = [0x89, 0x00, 0xFF, 0xFF]
    for bytes in [example.bytes, example.bytes + behind] {
      let expected = Outcome(events: example.events, fedBytes: bytes.count)
      #expect(readWhole(bytes, role: example.role) == expected)
      #expect(readByteByByte(bytes, role: example.role) == expected)
    }
  }

  @Test("a message that is complete in the buffer is returned as one piece and unmasked in the buffer")
  func onePiece() throws {
    var reader = MessageReader(role: .server, limits: .tests)
    var buffer: [UInt8] = [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58, 0x89]
    var position = 0
    let event = try reader.next(in: &buffer, at: &position, upTo: buffer.count)
    #expect(event == .piece(kind: .text, payload: 6..<11, isFirst: true, isLast: true))
    #expect(position == 11)
    #expect(
      buffer == [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x89],
      "nothing around it is touched")
  }

  @Test("a message in parts is returned in pieces, and no part of it is buffered")
  func pieces() throws {
    var reader = MessageReader(role: .client, limits: .tests)
    #expect(!reader.isInsideMessage)
    let steps: [([UInt8], MessageReader.Event?)] = [
      ([0x02], nil),
      ([0x03, 0x01], .piece(kind: .binary, payload: 1..<2, isFirst: true, isLast: false)),
      ([0x02, 0x03], .piece(kind: .binary, payload: 0..<2, isFirst: false, isLast: false)),
      ([0x00, 0x00], nil),
    ]
    for (part, expected) in steps {
      var buffer = part
      var position = 0
      #expect(try reader.next(in: &buffer, at: &position, upTo: buffer.count) == expected)
      #expect(reader.isInsideMessage)
      #expect(reader.bufferedBytes == 0)
    }
    var buffer: [UInt8] = [0x80, 0x01, 0x04]
    var position = 0
    #expect(
      try reader.next(in: &buffer, at: &position, upTo: 3)
        == .piece(kind: .binary, payload: 2..<3, isFirst: false, isLast: true))
    #expect(!reader.isInsideMessage)
  }

  @Test("an incomplete control frame is buffered and counted in `bufferedBytes`")
  func holdsControlFrames() throws {
    var reader = MessageReader(role: .client, limits: .tests)
    var buffer: [UInt8] = [0x89, 0x04, 0x01, 0x02, 0x03]
    var position = 0
    #expect(try reader.next(in: &buffer, at: &position, upTo: 5) == nil)
    #expect(reader.bufferedBytes == 3)
    #expect(reader.isInsideMessage)
    position = 4
    #expect(try reader.next(in: &buffer, at: &position, upTo: 5) == .ping([1, 2, 3, 3]))
    #expect(reader.bufferedBytes == 0)
    #expect(!reader.isInsideMessage)
  }

  @Test("an idle message reader takes less than 200 bytes of memory")
  func size() {
    #expect(MemoryLayout<MessageReader>.size < 200)
  }
}
