/// Functions that append whole frames to an array (RFC 6455 §5.2). A client passes a masking key for each frame; a server
/// passes nil.
package enum FrameWriter {
  /// Appends one frame: its header, and the payload, masked if there is a key. The payload of a compressed message is
  /// the output of `Deflater`. Only the first frame of a compressed message has `isCompressed` set.
  package static func append(
    _ opcode: Opcode, payload: Span<UInt8>, isFinal: Bool = true, isCompressed: Bool = false,
    maskingKey: MaskingKey? = nil, to bytes: inout [UInt8]
  ) {
    precondition(
      !opcode.isControl || (payload.count <= 125 && isFinal && !isCompressed),
      "a control frame must not be fragmented, compressed, or longer than 125 bytes")
    let header = FrameHeader(
      opcode: opcode, isFinal: isFinal, isCompressed: isCompressed, payloadLength: payload.count,
      maskingKey: maskingKey)
    header.append(to: &bytes)
    let start = bytes.count
    bytes.append(copying: payload)
    maskingKey?.apply(to: &bytes, in: start..<bytes.count)
  }

  /// Appends a close frame (§5.5.1).
  package static func appendClose(
    _ payload: ClosePayload, maskingKey: MaskingKey? = nil, to bytes: inout [UInt8]
  ) {
    append(.close, payload: payload.bytes.span, maskingKey: maskingKey, to: &bytes)
  }
}
