import Testing
import WebSocket

/// A sequence of bytes whose last byte breaks a rule.
struct Refusal: Sendable, CustomTestStringConvertible {
  let rule: String
  var role = Role.client
  let bytes: [UInt8]
  let error: ProtocolError
  var events: [FeedEvent] = []

  var testDescription: String { rule }
}

@Suite("RFC 6455 §5: frames that violate the protocol are refused")
struct RefusalTests {
  static let limits = MessageLimits(frameBytes: 1_000, messageBytes: 1_500, textBytes: 800)

  static let refusals: [Refusal] = [
    Refusal(rule: "§5.2 RSV1 without negotiated compression", bytes: [0xC1], error: .reservedBits(0x40)),
    Refusal(rule: "§5.2 RSV2", bytes: [0xA1], error: .reservedBits(0x20)),
    Refusal(rule: "§5.2 RSV3", bytes: [0x92], error: .reservedBits(0x10)),
    Refusal(rule: "§5.2 all reserved bits on a ping", bytes: [0xF9], error: .reservedBits(0x70)),
    Refusal(rule: "§5.2 opcode 3", bytes: [0x83], error: .reservedOpcode(3)),
    Refusal(rule: "§5.2 opcode 7", bytes: [0x07], error: .reservedOpcode(7)),
    Refusal(rule: "§5.2 opcode 11", bytes: [0x8B], error: .reservedOpcode(11)),
    Refusal(rule: "§5.2 opcode 15", bytes: [0x8F], error: .reservedOpcode(15)),
    Refusal(
      rule: "§5.1 a client's frame without a mask", role: .server, bytes: [0x81, 0x05], error: .unmaskedFrame),
    Refusal(
      rule: "§5.1 a client's empty ping without a mask", role: .server, bytes: [0x89, 0x00],
      error: .unmaskedFrame),
    Refusal(rule: "§5.1 a server's frame with a mask", bytes: [0x82, 0x85], error: .maskedFrame),
    Refusal(rule: "§5.5 a ping in two frames", bytes: [0x09], error: .fragmentedControlFrame(.ping)),
    Refusal(rule: "§5.5 a pong in two frames", bytes: [0x0A], error: .fragmentedControlFrame(.pong)),
    Refusal(rule: "§5.5 a close in two frames", bytes: [0x08], error: .fragmentedControlFrame(.close)),
    Refusal(rule: "§5.5 a ping of 126 bytes", bytes: [0x89, 0x7E], error: .controlFrameTooLong(126)),
    Refusal(
      rule: "§5.5 a masked close of 126 bytes", role: .server, bytes: [0x88, 0xFE],
      error: .controlFrameTooLong(126)),
    Refusal(rule: "§5.5 a pong with a 64-bit length", bytes: [0x8A, 0x7F], error: .controlFrameTooLong(127)),
    Refusal(rule: "§5.4 a continuation without a message", bytes: [0x80], error: .continuationWithoutMessage),
    Refusal(
      rule: "§5.4 a continuation without FIN and without a message", bytes: [0x00],
      error: .continuationWithoutMessage),
    Refusal(
      rule: "§5.4 a continuation after the end of a message", bytes: [0x82, 0x00, 0x80],
      error: .continuationWithoutMessage,
      events: [.message(.binary, [])]),
    Refusal(
      rule: "§5.4 a text inside a text", bytes: [0x01, 0x00, 0x81], error: .messageInsideMessage(.text)),
    Refusal(
      rule: "§5.4 a binary message inside a text, after a ping", bytes: [0x01, 0x00, 0x89, 0x00, 0x02],
      error: .messageInsideMessage(.binary), events: [.ping([])]),
    Refusal(
      rule: "a text one byte above the limit, in one frame", bytes: [0x81, 0x7E, 0x03, 0x21],
      error: .messageTooLarge(length: 801, limit: 800)),
    Refusal(
      rule: "a text one byte above the limit, in two frames",
      bytes: [0x01, 0x01, 0x61, 0x80, 0x7E, 0x03, 0x20], error: .messageTooLarge(length: 801, limit: 800),
      events: []),
    Refusal(
      rule: "§5.2 a length of 125 in two bytes", bytes: [0x82, 0x7E, 0x00, 0x7D],
      error: .lengthNotMinimal(width: 2)),
    Refusal(
      rule: "§5.2 a length of 0 in two bytes", bytes: [0x82, 0x7E, 0x00, 0x00],
      error: .lengthNotMinimal(width: 2)),
    Refusal(
      rule: "§5.2 a length up to 65,535 in eight bytes", bytes: [0x82, 0x7F, 0, 0, 0, 0, 0, 0],
      error: .lengthNotMinimal(width: 8)),
    Refusal(
      rule: "§5.2 a length of more than 63 bits", bytes: [0x82, 0x7F, 0x80],
      error: .lengthOutOfRange(firstByte: 0x80)),
    Refusal(
      rule: "§10.4 a frame above the limit, refused before its masking key", role: .server,
      bytes: [0x82, 0xFE, 0x03, 0xE9],
      error: .frameTooLarge(length: 1_001, limit: 1_000)),
    Refusal(
      rule: "§10.4 a frame with the largest possible length",
      bytes: [0x82, 0x7F, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
      error: .frameTooLarge(length: .max, limit: 1_000)),
    Refusal(
      rule: "§10.4 frames that together exceed the limit of a message",
      bytes: [0x02, 0x7E, 0x03, 0xE8] + [UInt8](repeating: 0, count: 1_000) + [0x80, 0x7E, 0x01, 0xF5],
      error: .messageTooLarge(length: 1_501, limit: 1_500)),
    Refusal(
      rule: "§5.5.1 one byte of a close code", bytes: [0x88, 0x01, 0x03], error: .closePayloadTooShort),
    Refusal(rule: "§7.4.2 close code 0", bytes: [0x88, 0x02, 0x00, 0x00], error: .invalidCloseCode(0)),
    Refusal(rule: "§7.4.2 close code 999", bytes: [0x88, 0x02, 0x03, 0xE7], error: .invalidCloseCode(999)),
    Refusal(rule: "§7.4.1 close code 1004", bytes: [0x88, 0x02, 0x03, 0xEC], error: .invalidCloseCode(1004)),
    Refusal(rule: "§7.4.1 close code 1005", bytes: [0x88, 0x02, 0x03, 0xED], error: .invalidCloseCode(1005)),
    Refusal(rule: "§7.4.1 close code 1006", bytes: [0x88, 0x02, 0x03, 0xEE], error: .invalidCloseCode(1006)),
    Refusal(rule: "§7.4.1 close code 1015", bytes: [0x88, 0x02, 0x03, 0xF7], error: .invalidCloseCode(1015)),
    Refusal(rule: "§7.4.2 close code 2999", bytes: [0x88, 0x02, 0x0B, 0xB7], error: .invalidCloseCode(2999)),
    Refusal(rule: "§7.4.2 close code 5000", bytes: [0x88, 0x02, 0x13, 0x88], error: .invalidCloseCode(5000)),
    Refusal(
      rule: "§5.5.1 a reason that is not UTF-8", bytes: [0x88, 0x04, 0x03, 0xE8, 0x61, 0xFF],
      error: .invalidCloseReason),
    Refusal(
      rule: "§5.5.1 a reason that ends inside a character", bytes: [0x88, 0x04, 0x03, 0xE8, 0xE2, 0x82],
      error: .invalidCloseReason),
  ]

  @Test(
    "frames are refused at their first invalid byte, however the bytes are divided and whatever bytes follow",
    arguments: refusals)
  func refuses(_ refusal: Refusal) {
    let expected = Outcome(events: refusal.events, error: refusal.error, fedBytes: refusal.bytes.count)
    #expect(readWhole(refusal.bytes, role: refusal.role, limits: Self.limits) == expected)
    let behind: [UInt8] = [0x81, 0x00, 0x81]
    #expect(
      readByteByByte(refusal.bytes + behind, role: refusal.role, limits: Self.limits) == expected,
      "its last byte is the first that breaks the rule")
    let whole = readWhole(refusal.bytes + behind, role: refusal.role, limits: Self.limits)
    #expect(whole.events == refusal.events)
    #expect(whole.error == refusal.error)
  }

  static let deflateRefusals: [Refusal] = [
    Refusal(rule: "RFC 7692 §6.1 a compressed ping", bytes: [0xC9], error: .compressedControlFrame(.ping)),
    Refusal(rule: "RFC 7692 §6.1 a compressed close", bytes: [0xC8], error: .compressedControlFrame(.close)),
    Refusal(
      rule: "RFC 7692 §6.1 RSV1 on a continuation", bytes: [0x41, 0x00, 0xC0], error: .compressedContinuation),
    Refusal(rule: "RFC 6455 §5.2 RSV2 in addition to RSV1", bytes: [0xE1], error: .reservedBits(0x60)),
  ]

  @Test("with negotiated compression, invalid frames are refused", arguments: deflateRefusals)
  func refusesWithDeflate(_ refusal: Refusal) throws {
    let deflate = try #require(DeflateParameters.negotiate(offers: ["permessage-deflate"]))
    let expected = Outcome(events: refusal.events, error: refusal.error, fedBytes: refusal.bytes.count)
    #expect(readWhole(refusal.bytes, role: .client, deflate: deflate) == expected)
    #expect(readByteByByte(refusal.bytes + [0x00], role: .client, deflate: deflate) == expected)
  }

  @Test("messages exactly at their limits are allowed")
  func allowsItsLimits() {
    let first: [UInt8] = [0x02, 0x7E, 0x03, 0xE8] + [UInt8](repeating: 1, count: 1_000)
    let second: [UInt8] = [0x80, 0x7E, 0x01, 0xF4] + [UInt8](repeating: 2, count: 500)
    let outcome = readWhole(first + second, role: .client, limits: Self.limits)
    #expect(outcome.error == nil)
    let message = [UInt8](repeating: 1, count: 1_000) + [UInt8](repeating: 2, count: 500)
    #expect(outcome.events == [.message(.binary, message)])
  }

  @Test("a message reader that has failed throws the same error again")
  func staysFailed() {
    var reader = MessageReader(role: .client, limits: .tests)
    var buffer: [UInt8] = [0x83, 0x81, 0x00]
    var position = 0
    for _ in 0..<3 {
      #expect(throws: ProtocolError.reservedOpcode(3)) {
        try reader.next(in: &buffer, at: &position, upTo: buffer.count)
      }
    }
    #expect(!reader.isInsideMessage)
  }

  @Test("each protocol error has the expected close code, and its text fits into a close frame")
  func closeCodes() {
    let errors: [(ProtocolError, CloseCode)] = [
      (.reservedBits(0x70), .protocolError), (.compressedControlFrame(.ping), .protocolError),
      (.compressedContinuation, .protocolError), (.reservedOpcode(11), .protocolError),
      (.unmaskedFrame, .protocolError), (.maskedFrame, .protocolError),
      (.fragmentedControlFrame(.close), .protocolError), (.controlFrameTooLong(126), .protocolError),
      (.continuationWithoutMessage, .protocolError), (.messageInsideMessage(.binary), .protocolError),
      (.lengthNotMinimal(width: 8), .protocolError), (.lengthOutOfRange(firstByte: 0xFF), .protocolError),
      (.frameTooLarge(length: .max, limit: .max), .messageTooBig),
      (.messageTooLarge(length: .max, limit: .max), .messageTooBig),
      (.inflatedMessageTooLarge(limit: .max), .messageTooBig), (.invalidUTF8(offset: .max), .invalidPayload),
      (.invalidDeflateData(code: -3), .invalidPayload), (.closePayloadTooShort, .protocolError),
      (.invalidCloseCode(65_535), .protocolError), (.invalidCloseReason, .invalidPayload),
    ]
    for (error, code) in errors {
      #expect(error.closeCode == code)
      #expect((1...ClosePayload.maximumReasonLength).contains(error.reason.utf8.count))
    }
  }
}
