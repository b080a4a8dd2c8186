/// The header of a frame (RFC 6455 §5.2).
package struct FrameHeader: Equatable, Sendable {
  /// The most bytes of a header.
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
    precondition(payloadLength >= 0, "the length of a payload is not negative")
    self.opcode = opcode
    self.isFinal = isFinal
    self.isCompressed = isCompressed
    self.payloadLength = payloadLength
    self.maskingKey = maskingKey
  }

  /// Returns the number of bytes of such a header: 2 to 14.
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

  /// Appends the header, with the length in the fewest bytes (§5.2). The caller appends the payload, masked with the
  /// key if there is one.
  package func append(to bytes: inout [UInt8]) {
    let masked: UInt8 = maskingKey == nil ? 0 : 0x80
    bytes.append((isFinal ? 0x80 : 0) | (isCompressed ? 0x40 : 0) | opcode.rawValue)
    switch payloadLength {
    case ...125:
      bytes.append(masked | UInt8(payloadLength))
    case ...0xFFFF:
      bytes.append(masked | 126)
      appendLength(width: 2, to: &bytes)
    default:
      bytes.append(masked | 127)
      appendLength(width: 8, to: &bytes)
    }
    if let key = maskingKey?.bytes {
      for index in key.indices {
        bytes.append(key[index])
      }
    }
  }

  private func appendLength(width: Int, to bytes: inout [UInt8]) {
    for index in (0..<width).reversed() {
      bytes.append(UInt8(truncatingIfNeeded: payloadLength >> (index * 8)))
    }
  }
}
