import Testing
import WebSocket

/// Frames that are right, and what they mean.
struct Example: Sendable, CustomTestStringConvertible {
  let rule: String
  var role = Role.server
  let bytes: [UInt8]
  let told: [Told]

  var testDescription: String { rule }
}

@Suite("RFC 6455 §5: what frames mean")
struct MessageReaderTests {
  static let hello: [UInt8] = Array("Hello".utf8)

  static let examples: [Example] = [
    Example(
      rule: "§5.7 a text in one frame, unmasked", role: .client,
      bytes: [0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F], told: [.message(.text, hello)]),
    Example(
      rule: "§5.7 a text in one frame, masked",
      bytes: [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58],
      told: [.message(.text, hello)]),
    Example(
      rule: "§5.7 a text in two frames", role: .client,
      bytes: [0x01, 0x03, 0x48, 0x65, 0x6C, 0x80, 0x02, 0x6C, 0x6F], told: [.message(.text, hello)]),
    Example(
      rule: "§5.7 a ping, unmasked", role: .client,
      bytes: [0x89, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F], told: [.ping(hello)]),
    Example(
      rule: "§5.7 a pong, masked",
      bytes: [0x8A, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58], told: [.pong(hello)]),
    Example(
      rule: "§5.7 256 bytes in one frame", role: .client,
      bytes: [0x82, 0x7E, 0x01, 0x00] + Array(0...255), told: [.message(.binary, Array(0...255))]),
    Example(
      rule: "§5.7 64 KiB in one frame", role: .client,
      bytes: [0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0] + [UInt8](repeating: 7, count: 65_536),
      told: [.message(.binary, [UInt8](repeating: 7, count: 65_536))]),
  ]

  @Test("Examples, at once, byte by byte and with another behind", arguments: examples)
  func tells(_ example: Example) {
    let expected = Outcome(told: example.told, fedBytes: example.bytes.count)
    #expect(readWhole(example.bytes, role: example.role) == expected)
    #expect(readByteByByte(example.bytes, role: example.role) == expected)
    let twice = Outcome(told: example.told + example.told, fedBytes: 2 * example.bytes.count)
    #expect(readWhole(example.bytes + example.bytes, role: example.role) == twice)
  }
}
