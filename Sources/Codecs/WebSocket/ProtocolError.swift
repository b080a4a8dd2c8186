/// A rule of RFC 6455 or RFC 7692 that the peer broke, with the invalid value. The error fails the connection (§7.1.7).
package enum ProtocolError: Error, Equatable, Sendable {
  /// RSV bits without a negotiated meaning (RFC 6455 §5.2). The value is the bits, at their position in the first byte.
  case reservedBits(UInt8)
  /// RSV1 on a control frame (RFC 7692 §6.1).
  case compressedControlFrame(Opcode)
  /// RSV1 on a frame that does not begin its message (RFC 7692 §6.1).
  case compressedContinuation
  /// A reserved opcode (RFC 6455 §5.2).
  case reservedOpcode(UInt8)
  /// A client's frame without a mask (RFC 6455 §5.1).
  case unmaskedFrame
  /// A server's frame with a mask (RFC 6455 §5.1).
  case maskedFrame
  /// A control frame without FIN (RFC 6455 §5.5).
  case fragmentedControlFrame(Opcode)
  /// A control frame of more than 125 bytes (RFC 6455 §5.5). The value is the seven bits of its length.
  case controlFrameTooLong(UInt8)
  /// A continuation frame without an open message (RFC 6455 §5.4).
  case continuationWithoutMessage
  /// A new message before the end of the previous one (RFC 6455 §5.4).
  case messageInsideMessage(Opcode)
  /// A payload length that is encoded in more bytes than necessary (RFC 6455 §5.2). The value is the number of these bytes.
  case lengthNotMinimal(width: Int)
  /// A 64-bit length with its highest bit set (RFC 6455 §5.2). The value is the first byte.
  case lengthOutOfRange(firstByte: UInt8)
  /// A frame with a payload above our limit (RFC 6455 §10.4).
  case frameTooLarge(length: Int, limit: Int)
  /// A message whose frames are together longer than our limit (RFC 6455 §10.4).
  case messageTooLarge(length: Int, limit: Int)
  /// A compressed message that inflates to more than our limit.
  case inflatedMessageTooLarge(limit: Int)
  /// Text that is not UTF-8 (RFC 6455 §8.1). The value is the offset of the invalid sequence in the message.
  case invalidUTF8(offset: Int)
  /// A compressed message that does not consist of whole DEFLATE blocks (RFC 7692 §7.2.2). The value is zlib's code.
  case invalidDeflateData(code: Int32)
  /// A close frame with one byte of payload (RFC 6455 §5.5.1).
  case closePayloadTooShort
  /// A close code that must not be sent (RFC 6455 §7.4).
  case invalidCloseCode(UInt16)
  /// A close reason that is not UTF-8 (RFC 6455 §5.5.1).
  case invalidCloseReason

  /// The code of our close frame: 1002, 1007 or 1009 (RFC 6455 §7.4.1).
  package var closeCode: CloseCode {
    switch self {
    case .reservedBits, .compressedControlFrame, .compressedContinuation, .reservedOpcode, .unmaskedFrame,
      .maskedFrame, .fragmentedControlFrame, .controlFrameTooLong, .continuationWithoutMessage,
      .messageInsideMessage, .lengthNotMinimal, .lengthOutOfRange, .closePayloadTooShort, .invalidCloseCode:
      .protocolError
    case .invalidUTF8, .invalidDeflateData, .invalidCloseReason:
      .invalidPayload
    case .frameTooLarge, .messageTooLarge, .inflatedMessageTooLarge:
      .messageTooBig
    }
  }

  /// The broken rule in words, short enough for the reason of a close frame.
  package var reason: String {
    switch self {
    case .reservedBits(let bits): "reserved bits \(hexadecimal(bits)) are set"
    case .compressedControlFrame(let opcode): "a \(opcode) frame cannot be compressed"
    case .compressedContinuation: "a continuation frame must not be marked as compressed"
    case .reservedOpcode(let opcode): "opcode \(hexadecimal(opcode)) is reserved"
    case .unmaskedFrame: "a client's frames must be masked"
    case .maskedFrame: "a server's frames must not be masked"
    case .fragmentedControlFrame(let opcode): "a \(opcode) frame cannot be fragmented"
    case .controlFrameTooLong: "a control frame must not have more than 125 bytes"
    case .continuationWithoutMessage: "a continuation frame arrived outside a message"
    case .messageInsideMessage(let opcode): "a \(opcode) frame arrived inside an unfinished message"
    case .lengthNotMinimal(let width):
      "a frame's length is written in \(width) bytes, but fits into fewer bytes"
    case .lengthOutOfRange: "a frame's length has more than 63 bits"
    case .frameTooLarge(let length, let limit): "a frame has \(length) bytes; the limit is \(limit)"
    case .messageTooLarge(let length, let limit): "a message has \(length) bytes; the limit is \(limit)"
    case .inflatedMessageTooLarge(let limit): "a message inflates to more than \(limit) bytes"
    case .invalidUTF8(let offset): "the text is not UTF-8 at byte \(offset)"
    case .invalidDeflateData: "the compressed data of a message cannot be inflated"
    case .closePayloadTooShort: "a close frame has one byte, but a close code has two"
    case .invalidCloseCode(let code): "close code \(code) must not be sent"
    case .invalidCloseReason: "the reason in a close frame is not UTF-8"
    }
  }

  private func hexadecimal(_ value: UInt8) -> String {
    "0x" + String(value, radix: 16, uppercase: true)
  }
}
