import Testing
import WebSocket

@Suite("RFC 6455 §5.2: frames are written with the expected header and payload")
struct FrameWriterTests {
  struct Header: Sendable {
    let header: FrameHeader
    let bytes: [UInt8]
  }

  static let key = MaskingKey(0xA1, 0xB2, 0xC3, 0xD4)

  static let headers: [Header] = [
    Header(header: FrameHeader(opcode: .text, payloadLength: 0), bytes: [0x81, 0x00]),
    Header(header: FrameHeader(opcode: .binary, payloadLength: 125), bytes: [0x82, 0x7D]),
    Header(header: FrameHeader(opcode: .binary, payloadLength: 126), bytes: [0x82, 0x7E, 0x00, 0x7E]),
    Header(header: FrameHeader(opcode: .binary, payloadLength: 65_535), bytes: [0x82, 0x7E, 0xFF, 0xFF]),
    Header(
      header: FrameHeader(opcode: .binary, payloadLength: 65_536),
      bytes: [0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0]),
    Header(
      header: FrameHeader(opcode: .text, isFinal: false, isCompressed: true, payloadLength: 1),
      bytes: [0x41, 0x01]),
    Header(
      header: FrameHeader(opcode: .continuation, isFinal: false, payloadLength: 1), bytes: [0x00, 0x01]),
    Header(
      header: FrameHeader(opcode: .pong, payloadLength: 3, maskingKey: key),
      bytes: [0x8A, 0x83, 0xA1, 0xB2, 0xC3, 0xD4]),
    Header(
      header: FrameHeader(opcode: .binary, payloadLength: 256, maskingKey: key),
      bytes: [0x82, 0xFE, 0x01, 0x00, 0xA1, 0xB2, 0xC3, 0xD4]),
    Header(
      header: FrameHeader(opcode: .binary, payloadLength: .max, maskingKey: key),
      bytes: [0x82, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xA1, 0xB2, 0xC3, 0xD4]),
  ]

  @Test("frame headers have the expected bytes and lengths", arguments: headers)
  func header(_ example: Header) {
    var bytes: [UInt8] = [0x99]
    example.header.append(to: &bytes)
    #expect(bytes == [0x99] + example.bytes)
    #expect(example.header.length == example.bytes.count)
  }

  @Test("RFC 6455 §5.7: frames are written with their payload")
  func frames() {
    let hello: [UInt8] = [0x48, 0x65, 0x6C, 0x6C, 0x6F]
    var bytes: [UInt8] = []
    FrameWriter.append(.text, payload: hello.span, to: &bytes)
    #expect(bytes == [0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F])
    bytes = [0x00]
    FrameWriter.append(
      .text, payload: hello.span, maskingKey: MaskingKey(0x37, 0xFA, 0x21, 0x3D), to: &bytes)
    #expect(bytes == [0x00, 0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58])
  }

  @Test("RFC 6455 §5.5.1: close frames are written with their code and reason")
  func close() {
    var bytes: [UInt8] = []
    FrameWriter.appendClose(ClosePayload(), to: &bytes)
    FrameWriter.appendClose(ClosePayload(code: .goingAway, reason: "bye"), to: &bytes)
    FrameWriter.appendClose(
      ClosePayload(code: .normalClosure), maskingKey: MaskingKey(0x01, 0x02, 0x03, 0x04), to: &bytes)
    #expect(
      bytes == [
        0x88, 0x00, 0x88, 0x05, 0x03, 0xE9, 0x62, 0x79, 0x65, 0x88, 0x82, 0x01, 0x02, 0x03, 0x04, 0x02, 0xEA,
      ])
  }

  @Test("RFC 6455 §5.5: a long close reason is truncated between two characters, to at most 123 bytes")
  func longReason() {
    let ascii = ClosePayload(code: .protocolError, reason: String(repeating: "a", count: 200))
    #expect(ascii.bytes == [0x03, 0xEA] + [UInt8](repeating: 0x61, count: 123))
    let euros = ClosePayload(code: .protocolError, reason: "ab" + String(repeating: "€", count: 50))
    #expect(euros.reason == "ab" + String(repeating: "€", count: 40))
    let fits = ClosePayload(code: .protocolError, reason: String(repeating: "€", count: 41))
    #expect(fits.bytes.count == 125)
  }

  @Test("RFC 6455 §7.4: only valid close codes may be sent")
  func codes() {
    let valid = (0...65_535).filter { CloseCode(rawValue: UInt16($0)).isValidOnTheWire }
    #expect(valid == Array(1000...1003) + Array(1007...1014) + Array(3000...4999))
  }
}
