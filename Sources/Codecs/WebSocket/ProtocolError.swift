/// A rule of RFC 6455 or RFC 7692 that the peer broke, with the number that was wrong. It fails the connection (§7.1.7).
package enum ProtocolError: Error, Equatable, Sendable {
  /// RSV bits without a negotiated meaning (RFC 6455 §5.2); the bits as they stood in the first byte.
  case reservedBits(UInt8)
  /// RSV1 on a control frame (RFC 7692 §6.1).
  case compressedControlFrame(Opcode)
  /// RSV1 on a frame that does not begin its message (RFC 7692 §6.1).
  case compressedContinuation
  /// An opcode that has no meaning yet (RFC 6455 §5.2).
  case reservedOpcode(UInt8)
  /// A client's frame without a mask (RFC 6455 §5.1).
  case unmaskedFrame
  /// A server's frame with a mask (RFC 6455 §5.1).
  case maskedFrame
  /// A control frame without FIN (RFC 6455 §5.5).
  case fragmentedControlFrame(Opcode)
  /// A control frame whose seven length bits name more than 125 bytes (RFC 6455 §5.5); those bits.
  case controlFrameTooLong(UInt8)
  /// A continuation where no message is open (RFC 6455 §5.4).
  case continuationWithoutMessage
  /// A new message inside one that has not ended (RFC 6455 §5.4).
  case messageInsideMessage(Opcode)
  /// A length in more bytes than it needs (RFC 6455 §5.2); the form's width in bytes.
  case lengthNotMinimal(width: Int)
  /// A 64-bit length with its highest bit set (RFC 6455 §5.2); its first byte.
  case lengthOutOfRange(firstByte: UInt8)
  /// A frame that names a payload above our limit (RFC 6455 §10.4).
  case frameTooLarge(length: Int, limit: Int)
  /// Frames that add up to a message above our limit (RFC 6455 §10.4).
  case messageTooLarge(length: Int, limit: Int)
  /// A compressed message that inflates to more than our limit.
  case inflatedMessageTooLarge(limit: Int)
  /// Text that is not UTF-8 (RFC 6455 §8.1); where in the message the wrong sequence begins.
  case invalidUTF8(offset: Int)
  /// A compressed message that is not whole DEFLATE blocks (RFC 7692 §7.2.2); zlib's code.
  case invalidDeflateData(code: Int32)
  /// A close frame with half a code (RFC 6455 §5.5.1).
  case closePayloadOfOneByte
  /// A close code that may not be sent (RFC 6455 §7.4).
  case invalidCloseCode(UInt16)
  /// A close reason that is not UTF-8 (RFC 6455 §5.5.1).
  case invalidCloseReason

  /// What our close frame says: 1002, 1007 or 1009 (RFC 6455 §7.4.1).
  package var closeCode: CloseCode {
    switch self {
    case .reservedBits, .compressedControlFrame, .compressedContinuation, .reservedOpcode, .unmaskedFrame,
      .maskedFrame, .fragmentedControlFrame, .controlFrameTooLong, .continuationWithoutMessage,
      .messageInsideMessage, .lengthNotMinimal, .lengthOutOfRange, .closePayloadOfOneByte, .invalidCloseCode:
      .protocolError
    case .invalidUTF8, .invalidDeflateData, .invalidCloseReason:
      .invalidPayload
    case .frameTooLarge, .messageTooLarge, .inflatedMessageTooLarge:
      .messageTooBig
    }
  }

  /// The rule in words, short enough for a close frame's reason.
  package var reason: String {
    switch self {
    case .reservedBits(let bits): "reserved bits \(hexadecimal(bits)) are set"
    case .compressedControlFrame(let opcode): "a \(opcode) frame cannot be compressed"
    case .compressedContinuation: "only a message's first frame may say that it is compressed"
    case .reservedOpcode(let opcode): "opcode \(hexadecimal(opcode)) is reserved"
    case .unmaskedFrame: "a client's frames must be masked"
    case .maskedFrame: "a server's frames must not be masked"
    case .fragmentedControlFrame(let opcode): "a \(opcode) frame cannot be fragmented"
    case .controlFrameTooLong: "a control frame holds at most 125 bytes"
    case .continuationWithoutMessage: "a continuation without a message"
    case .messageInsideMessage(let opcode): "a \(opcode) frame inside an unfinished message"
    case .lengthNotMinimal(let width): "a length that needs no \(width) bytes"
    case .lengthOutOfRange: "a length of more than 63 bits"
    case .frameTooLarge(let length, let limit): "a frame of \(length) bytes; the limit is \(limit)"
    case .messageTooLarge(let length, let limit): "a message of \(length) bytes; the limit is \(limit)"
    case .inflatedMessageTooLarge(let limit): "a message that inflates to more than \(limit) bytes"
    case .invalidUTF8(let offset): "text that is not UTF-8 at byte \(offset)"
    case .invalidDeflateData: "compressed data that does not inflate"
    case .closePayloadOfOneByte: "a close frame with half a code"
    case .invalidCloseCode(let code): "close code \(code) must not be sent"
    case .invalidCloseReason: "a close reason that is not UTF-8"
    }
  }

  private func hexadecimal(_ value: UInt8) -> String {
    "0x" + String(value, radix: 16, uppercase: true)
  }
}
