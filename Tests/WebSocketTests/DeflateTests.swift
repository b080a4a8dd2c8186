import Testing
import WebSocket
import TestSupport

@Suite("RFC 7692 §7.2: compressed messages")
struct DeflateTests {
  struct Compressed: Sendable, CustomTestStringConvertible {
    let rule: String
    let payload: [UInt8]
    let message: [UInt8]

    var testDescription: String { rule }
  }

  static let examples: [Compressed] = [
    Compressed(
      rule: "§7.2.3.1 one block", payload: [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00],
      message: Array("Hello".utf8)),
    Compressed(
      rule: "§7.2.3.3 a block that is not compressed",
      payload: [0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00],
      message: Array("Hello".utf8)),
    Compressed(
      rule: "§7.2.3.4 a final block", payload: [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00],
      message: Array("Hello".utf8)),
    Compressed(
      rule: "§7.2.3.5 two blocks",
      payload: [0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00],
      message: Array("Hello".utf8)),
    Compressed(rule: "§7.2.3.6 an empty message", payload: [0x00], message: []),
    Compressed(
      rule: "a final block at the end", payload: [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00],
      message: Array("Hello".utf8)),
    Compressed(rule: "a final block without its end-of-block code", payload: [0x01], message: []),
  ]

  @Test(
    "the compressed examples of RFC 7692 can be read in one frame, in two frames, and between other messages",
    arguments: examples)
  func inflates(_ example: Compressed) throws {
    let deflate = try #require(DeflateParameters.negotiate(offers: ["permessage-deflate"]))
    let count = UInt8(example.payload.count)
    let frame: [UInt8] = [0xC1, count] + example.payload
    let fragments: [UInt8] =
      [0x41, 0x01, example.payload[0], 0x89, 0x00, 0x80, count - 1] + example.payload[1...]
    let plain: [UInt8] = [0x81, 0x01, 0x2E]
    let bytes = frame + plain + fragments + frame
    let message = FeedEvent.message(.text, example.message)
    let expected = Outcome(
      events: [message, .message(.text, [0x2E]), .ping([]), message, message], fedBytes: bytes.count)
    #expect(readWhole(bytes, role: .client, deflate: deflate) == expected)
    #expect(readByteByByte(bytes, role: .client, deflate: deflate) == expected)
  }

  static let wrong: [Compressed] = [
    Compressed(rule: "a block of an unknown type", payload: [0x06], message: []),
    Compressed(
      rule: "a stored block with a wrong length", payload: [0x00, 0x05, 0x00, 0x05, 0x00], message: []),
    Compressed(
      rule: "a back-reference to before the beginning", payload: [0x4A, 0x84, 0x01, 0x00], message: []),
    Compressed(
      rule: "a truncated stored block", payload: [0x00, 0x06, 0x00, 0xF9, 0xFF, 0x48], message: []),
    Compressed(rule: "a truncated block", payload: [0xF2, 0x48, 0xCD, 0xC9], message: []),
    Compressed(rule: "no block", payload: [], message: []),
  ]

  @Test(
    "compressed data that does not consist of whole DEFLATE blocks is refused with 1007", arguments: wrong)
  func refuses(_ example: Compressed) throws {
    let deflate = try #require(DeflateParameters.negotiate(offers: ["permessage-deflate"]))
    let bytes = [0xC2, UInt8(example.payload.count)] + example.payload
    for outcome in [
      readWhole(bytes, role: .client, deflate: deflate),
      readByteByByte(bytes, role: .client, deflate: deflate),
    ] {
      #expect(outcome.error?.closeCode == .invalidPayload)
      #expect(outcome.events == [])
    }
  }

  @Test("a compressed text that is not UTF-8 after inflating is refused")
  func inflatedText() throws {
    let deflate = try #require(DeflateParameters.negotiate(offers: ["permessage-deflate"]))
    // A stored block with the byte 0xFF, then the first byte of an empty block. The sender has removed the other four bytes of
    // the empty block, as from every message.
    let payload: [UInt8] = [0x00, 0x01, 0x00, 0xFE, 0xFF, 0xFF, 0x00]
    let text = readWhole([0xC1, 0x07] + payload, role: .client, deflate: deflate)
    #expect(text.error == .invalidUTF8(offset: 0))
    let binary = readWhole([0xC2, 0x07] + payload, role: .client, deflate: deflate)
    #expect(binary.events == [.message(.binary, [0xFF])])
  }

  @Test("a compressed message inflates to the original", arguments: 9...15)
  func roundTrips(windowBits: Int) throws {
    var random = SeededGenerator(seed: 7)
    let deflater = Deflater()
    let inflater = Inflater()
    for count in [0, 1, 2, 100, 16_383, 16_384, 16_385, 70_000] {
      let noise = random.bytes(count: count)
      let words = (0..<count).map { UInt8(truncatingIfNeeded: $0 / 300 % 7 &* ($0 % 11)) }
      for message in [noise, words, [UInt8](repeating: 0, count: count)] {
        var payload: [UInt8] = [0x5A]
        deflater.compress(message.span, into: &payload, windowBits: windowBits)
        #expect(payload.first == 0x5A, "the compressed bytes are appended to the array")
        #expect(payload.count > 1, "§7.2.3.6: even an empty message compresses to one byte")
        let inflated = try inflater.inflate(payload.span.extracting(droppingFirst: 1), limit: count)
        #expect(inflated == message)
      }
    }
  }

  @Test("RFC 7692 §7.2.3.6: an empty message compresses to one byte")
  func emptyMessage() {
    var payload: [UInt8] = []
    Deflater().compress([UInt8]().span, into: &payload)
    #expect(payload == [0x00])
  }

  @Test(
    "RFC 7692 §7.1.1: without context takeover, a compressed message does not depend on the messages before it"
  )
  func noContextTakeover() {
    let message = Array("drawing, drawing, drawing".utf8)
    let deflater = Deflater(level: 9)
    var first: [UInt8] = []
    deflater.compress(message.span, into: &first)
    var second: [UInt8] = []
    deflater.compress(message.span, into: &second)
    #expect(first == second)
  }

  @Test("RFC 7692 §7.1.2.1: the compressor does not refer to data before the negotiated window")
  func smallWindow() {
    // The second half of the data repeats the first half, which begins 1,000 bytes before it. A window of 512 bytes is too small
    // for this distance.
    var random = SeededGenerator(seed: 11)
    let half = random.bytes(count: 1_000)
    let deflater = Deflater()
    var wide: [UInt8] = []
    deflater.compress((half + half).span, into: &wide, windowBits: 15)
    var narrow: [UInt8] = []
    deflater.compress((half + half).span, into: &narrow, windowBits: 9)
    #expect(wide.count < 1_100)
    #expect(narrow.count > 1_900)
  }

  @Test("a decompression bomb is refused with 1009 when its inflated size exceeds the limit")
  func bomb() throws {
    let deflate = try #require(DeflateParameters.negotiate(offers: ["permessage-deflate"]))
    var payload: [UInt8] = []
    Deflater(level: 9).compress([UInt8](repeating: 0, count: 50_000_000).span, into: &payload)
    #expect(payload.count < 50_000)
    var bytes: [UInt8] = []
    FrameWriter.append(.binary, payload: payload.span, isCompressed: true, to: &bytes)
    let outcome = readWhole(
      bytes, role: .client, limits: MessageLimits(messageBytes: 100_000), deflate: deflate)
    #expect(outcome.error == .inflatedMessageTooLarge(limit: 100_000))
  }

  @Test("a message that inflates to exactly the limit is accepted, and one byte more is refused")
  func limit() throws {
    let inflater = Inflater()
    for count in [1, 16_383, 16_384, 16_385, 100_000] {
      var payload: [UInt8] = []
      Deflater().compress([UInt8](repeating: 65, count: count).span, into: &payload)
      #expect(try inflater.inflate(payload.span, limit: count).count == count)
      #expect(throws: ProtocolError.inflatedMessageTooLarge(limit: count - 1)) {
        try inflater.inflate(payload.span, limit: count - 1)
      }
    }
  }

  @Test(
    "the bytes of an incomplete compressed message are buffered and counted, and freed when the limit is exceeded"
  )
  func held() throws {
    let deflate = try #require(DeflateParameters.negotiate(offers: ["permessage-deflate"]))
    var reader = MessageReader(role: .client, limits: MessageLimits(messageBytes: 160), deflate: deflate)
    var buffer: [UInt8] = [0x42, 0x7D] + [UInt8](repeating: 0, count: 125)
    var position = 0
    #expect(try reader.next(in: &buffer, at: &position, upTo: 127, inflater: Inflater()) == nil)
    #expect(reader.bufferedBytes == 125)
    #expect(reader.isInsideMessage)
    // The limit is 160 bytes, plus a sixteenth of 160, plus 64; 125 bytes are buffered.
    buffer = [0x80, 0x6E]
    position = 0
    #expect(throws: ProtocolError.messageTooLarge(length: 235, limit: 234)) {
      try reader.next(in: &buffer, at: &position, upTo: 2, inflater: Inflater())
    }
    #expect(reader.bufferedBytes == 0)
  }

  @Test(
    "a message of incompressible bytes is accepted when its length is exactly the limit",
    arguments: [0, 1, 1_000, 100_000])
  func incompressible(count: Int) throws {
    let deflate = try #require(DeflateParameters.negotiate(offers: ["permessage-deflate"]))
    var random = SeededGenerator(seed: 5)
    let message = random.bytes(count: count)
    var payload: [UInt8] = []
    Deflater().compress(message.span, into: &payload, windowBits: 9)
    var bytes: [UInt8] = []
    FrameWriter.append(.binary, payload: payload.span, isCompressed: true, to: &bytes)
    let outcome = readWhole(
      bytes, role: .client, limits: MessageLimits(messageBytes: count), deflate: deflate)
    #expect(outcome.events == [.message(.binary, message)])
  }
}
