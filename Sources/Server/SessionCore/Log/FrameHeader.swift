/// The header of an unmasked, final WebSocket frame, as a gateway sends it (RFC 6455 §5.2).
///
/// The log contains whole frames, so that its own bytes are written to the sockets.
package enum FrameHeader {
  package enum Opcode: UInt8, Sendable {
    case text = 0x1
    case binary = 0x2
    case close = 0x8
    case ping = 0x9
    case pong = 0xA
  }

  /// Appends the header of a frame whose payload is `length` bytes; `isCompressed` is the bit of RFC 7692 §6.
  package static func append(
    _ opcode: Opcode, length: Int, isCompressed: Bool = false, to bytes: inout [UInt8]
  ) {
    bytes.append(0x80 | (isCompressed ? 0x40 : 0) | opcode.rawValue)
    switch length {
    case ..<126:
      bytes.append(UInt8(length))
    case ..<65_536:
      bytes.append(126)
      bytes.append(UInt8(truncatingIfNeeded: length >> 8))
      bytes.append(UInt8(truncatingIfNeeded: length))
    default:
      bytes.append(127)
      for shift in stride(from: 56, through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: length >> shift))
      }
    }
  }
}
