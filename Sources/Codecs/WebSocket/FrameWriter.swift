/// Puts whole frames behind one another (RFC 6455 §5.2). A client gives a masking key for each, a server none.
package enum FrameWriter {
  /// Appends one frame: its header, and the payload, masked when there is a key. Of a compressed message, the
  /// payload is what `Deflater` made and only the first frame says `isCompressed`.
  package static func append(
    _ opcode: Opcode, payload: Span<UInt8>, isFinal: Bool = true, isCompressed: Bool = false,
    maskingKey: MaskingKey? = nil, to bytes: inout [UInt8]
  ) {
    precondition(
      !opcode.isControl || (payload.count <= 125 && isFinal && !isCompressed),
      "a control frame is whole, not compressed, and holds at most 125 bytes")
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
