/// The header of a frame (RFC 6455 §5.2).
package struct FrameHeader: Equatable, Sendable {
  /// The maximum number of bytes of a header.
  package static let maximumLength = 14

  package let opcode: Opcode
  /// True for the last frame of its message.
  package let isFinal: Bool
  /// RSV1: true for the first frame of a compressed message (RFC 7692 §6).
  package let isCompressed: Bool
  /// The length of the payload in bytes, never negative.
  package let payloadLength: Int
  /// The masking key, which only frames of a client have.
  package let maskingKey: MaskingKey?

  /// Creates the header of one frame. By default that frame is a whole message, not compressed and not masked.
  package init(
    opcode: Opcode, isFinal: Bool = true, isCompressed: Bool = false, payloadLength: Int,
    maskingKey: MaskingKey? = nil
  ) {
    precondition(payloadLength >= 0, "the length of a payload must not be negative")
    self.opcode = opcode
    self.isFinal = isFinal
    self.isCompressed = isCompressed
    self.payloadLength = payloadLength
    self.maskingKey = maskingKey
  }

  /// Returns the length of a header with these properties, 2 to 14 bytes.
  package static func length(payloadLength: Int, isMasked: Bool) -> Int {
    let masking = isMasked ? 4 : 0
    switch payloadLength {
    case ...125: return 2 + masking
    case ...0xFFFF: return 4 + masking
    default: return 10 + masking
    }
  }

  /// The number of bytes that `append(to:)` appends.
  package var length: Int {
    Self.length(payloadLength: payloadLength, isMasked: maskingKey != nil)
  }

  /// Appends the header, with the payload length in the fewest possible bytes (§5.2). The caller appends the payload, masked
  /// with the key if there is one.
  package func append(to bytes: inout [UInt8]) {
    Self.append(
      firstByte: (isFinal ? 0x80 : 0) | (isCompressed ? 0x40 : 0) | opcode.rawValue,
      maskBit: maskingKey == nil ? 0 : 0x80, length: payloadLength, to: &bytes)
    if let key = maskingKey?.bytes {
      for index in key.indices {
        bytes.append(key[index])
      }
    }
  }

  /// Appends the header of a server's final frame, whose payload has `length` bytes.
  package static func append(
    _ opcode: Opcode, length: Int, isCompressed: Bool = false, to bytes: inout [UInt8]
  ) {
    append(
      firstByte: 0x80 | (isCompressed ? 0x40 : 0) | opcode.rawValue, maskBit: 0, length: length, to: &bytes)
  }

  private static func append(firstByte: UInt8, maskBit: UInt8, length: Int, to bytes: inout [UInt8]) {
    bytes.append(firstByte)
    switch length {
    case ...125:
      bytes.append(maskBit | UInt8(length))
    case ...0xFFFF:
      bytes.append(maskBit | 126)
      bytes.append(UInt8(truncatingIfNeeded: length >> 8))
      bytes.append(UInt8(truncatingIfNeeded: length))
    default:
      bytes.append(maskBit | 127)
      for shift in stride(from: 56, through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: length >> shift))
      }
    }
  }
}
