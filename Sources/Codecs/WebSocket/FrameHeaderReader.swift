/// A reader that collects the bytes of one header after the other, and checks each rule at the first byte that breaks
/// it.
struct FrameHeaderReader: Sendable {
  /// The state of the connection that the rules for a header depend on.
  struct Context {
    let role: Role
    let limits: MessageLimits
    let acceptsCompression: Bool
    /// The message whose next fragment is expected; nil between messages.
    let openMessage: OpenMessage?

    /// A message that is not complete.
    struct OpenMessage {
      let kind: MessageKind
      let length: Int
      let isCompressed: Bool
    }
  }

  private var bytes: [14 of UInt8] = .init(repeating: 0)
  private var received: UInt8 = 0
  private var count: Int {
    get { Int(received) }
    set { received = UInt8(newValue) }
  }

  /// True between frames.
  var isEmpty: Bool { count == 0 }

  /// Appends the next byte. Returns the header with its last byte, and nil before.
  mutating func receive(_ byte: UInt8, in context: Context) throws(ProtocolError) -> FrameHeader? {
    bytes[count] = byte
    count += 1
    if count == 1 {
      try checkFirst(byte, in: context)
      return nil
    }
    if count == 2 {
      try checkSecond(byte, in: context)
    }
    let lengthEnd = self.lengthEnd
    if count <= lengthEnd {
      try checkLength(end: lengthEnd, in: context)
    }
    guard count == lengthEnd + (isMasked ? 4 : 0) else { return nil }
    count = 0
    return header(lengthEnd: lengthEnd)
  }

  private var isMasked: Bool { bytes[1] & 0x80 != 0 }

  /// The end of the length field, which depends on its first seven bits.
  private var lengthEnd: Int {
    switch bytes[1] & 0x7F {
    case 127: 10
    case 126: 4
    default: 2
    }
  }

  private func checkFirst(_ byte: UInt8, in context: Context) throws(ProtocolError) {
    guard let opcode = Opcode(rawValue: byte & 0x0F) else { throw .reservedOpcode(byte & 0x0F) }  // §5.2
    let isCompressed = byte & 0x40 != 0
    // §5.2: RSV1 has a meaning only with permessage-deflate; RSV2 and RSV3 have none.
    guard byte & 0x30 == 0, context.acceptsCompression || !isCompressed else {
      throw .reservedBits(byte & 0x70)
    }
    switch opcode {
    case .close, .ping, .pong:
      if byte & 0x80 == 0 { throw .fragmentedControlFrame(opcode) }  // §5.5
      if isCompressed { throw .compressedControlFrame(opcode) }  // RFC 7692 §6.1
    case .continuation:
      if context.openMessage == nil { throw .continuationWithoutMessage }  // §5.4
      if isCompressed { throw .compressedContinuation }  // RFC 7692 §6.1
    case .text, .binary:
      if context.openMessage != nil { throw .messageInsideMessage(opcode) }  // §5.4
    }
  }

  private func checkSecond(_ byte: UInt8, in context: Context) throws(ProtocolError) {
    switch (context.role, isMasked) {  // §5.1
    case (.server, false): throw .unmaskedFrame
    case (.client, true): throw .maskedFrame
    case (.server, true), (.client, false): break
    }
    if bytes[0] & 0x08 != 0, byte & 0x7F > 125 {
      throw .controlFrameTooLong(byte & 0x7F)  // §5.5
    }
  }

  private func checkLength(end: Int, in context: Context) throws(ProtocolError) {
    switch (end, count) {
    case (10, 3):
      if bytes[2] & 0x80 != 0 { throw .lengthOutOfRange(firstByte: bytes[2]) }  // §5.2
    case (10, 8):
      if length(upTo: 8) == 0 { throw .lengthNotMinimal(width: 8) }  // §5.2
    case (4, 4):
      if length(upTo: 4) < 126 { throw .lengthNotMinimal(width: 2) }  // §5.2
    default: break
    }
    // Checked before the payload arrives, and before memory is allocated for it.
    guard count == end, bytes[0] & 0x08 == 0 else { return }
    let open = context.openMessage
    try context.limits.check(
      frame: length(upTo: end), after: open?.length ?? 0,
      of: open?.kind ?? (bytes[0] & 0x0F == Opcode.text.rawValue ? .text : .binary),
      isCompressed: open?.isCompressed ?? (bytes[0] & 0x40 != 0))
  }

  /// Returns the number in the bytes of the length field up to `end`.
  private func length(upTo end: Int) -> Int {
    guard end > 2 else { return Int(bytes[1] & 0x7F) }
    var length = 0
    for index in 2..<end {
      length = length << 8 | Int(bytes[index])
    }
    return length
  }

  private func header(lengthEnd end: Int) -> FrameHeader {
    guard let opcode = Opcode(rawValue: bytes[0] & 0x0F) else {
      preconditionFailure("the opcode was checked with the first byte")
    }
    var key: MaskingKey?
    if isMasked {
      key = MaskingKey(bytes[end], bytes[end + 1], bytes[end + 2], bytes[end + 3])
    }
    return FrameHeader(
      opcode: opcode, isFinal: bytes[0] & 0x80 != 0, isCompressed: bytes[0] & 0x40 != 0,
      payloadLength: length(upTo: end), maskingKey: key)
  }
}
