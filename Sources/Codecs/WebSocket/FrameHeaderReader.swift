/// A reader of consecutive frame headers. It checks each rule at the first byte that can break the rule.
struct FrameHeaderReader: Sendable {
  /// The properties of a connection that determine the rules for a header.
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

  /// True if the reader has no bytes of an incomplete header.
  var isEmpty: Bool { count == 0 }

  /// Reads the next header, from `position` on. Returns nil if the buffer ends before the header does.
  mutating func next(
    in buffer: [UInt8], at position: inout Int, upTo end: Int, _ context: Context
  ) throws(ProtocolError) -> FrameHeader? {
    if isEmpty, end - position >= FrameHeader.maximumLength {
      // Usually the buffer contains the whole header. Reading the whole header in one call takes a third of the instructions of
      // the loop below.
      return try Self.whole(in: buffer, at: &position, context)
    }
    while position < end {
      let byte = buffer[position]
      position += 1
      if let header = try receive(byte, context) { return header }
    }
    return nil
  }

  /// Reads a header that is in the buffer as a whole.
  private static func whole(
    in buffer: [UInt8], at position: inout Int, _ context: Context
  ) throws(ProtocolError) -> FrameHeader {
    let (first, second) = (buffer[position], buffer[position + 1])
    try checkFirst(first, context)
    try checkSecond(second, after: first, context)
    var length = Int(second & 0x7F)
    var offset = position + 2
    if length >= 126 {
      let end = position + lengthEnd(second)
      try checkLengthStart(buffer[offset], width: end - offset)
      length = 0
      while offset < end {
        length = length << 8 | Int(buffer[offset])
        offset += 1
      }
      try checkMinimal(length, width: end - position - 2)
    }
    try checkLimit(length, first, context)
    var key: MaskingKey?
    if isMasked(second) {
      key = MaskingKey(buffer[offset], buffer[offset + 1], buffer[offset + 2], buffer[offset + 3])
      offset += 4
    }
    position = offset
    return header(first, length: length, key)
  }

  /// Appends the next byte. Returns the header when this was its last byte; else nil.
  private mutating func receive(_ byte: UInt8, _ context: Context) throws(ProtocolError) -> FrameHeader? {
    bytes[count] = byte
    count += 1
    if count == 1 {
      try Self.checkFirst(byte, context)
      return nil
    }
    if count == 2 {
      try Self.checkSecond(byte, after: bytes[0], context)
    }
    let lengthEnd = Self.lengthEnd(bytes[1])
    if count <= lengthEnd {
      try checkLength(end: lengthEnd, context)
    }
    let isMasked = Self.isMasked(bytes[1])
    guard count == lengthEnd + (isMasked ? 4 : 0) else { return nil }
    count = 0
    let key =
      isMasked
      ? MaskingKey(bytes[lengthEnd], bytes[lengthEnd + 1], bytes[lengthEnd + 2], bytes[lengthEnd + 3]) : nil
    return Self.header(bytes[0], length: length(upTo: lengthEnd), key)
  }

  private static func isMasked(_ second: UInt8) -> Bool { second & 0x80 != 0 }

  /// Returns the index after the length field, which depends on the field's first seven bits.
  private static func lengthEnd(_ second: UInt8) -> Int {
    switch second & 0x7F {
    case 127: 10
    case 126: 4
    default: 2
    }
  }

  private static func checkFirst(_ byte: UInt8, _ context: Context) throws(ProtocolError) {
    // RFC 6455 §5.2: all other opcodes are reserved.
    guard let opcode = Opcode(rawValue: byte & 0x0F) else { throw .reservedOpcode(byte & 0x0F) }
    let isCompressed = byte & 0x40 != 0
    // RFC 6455 §5.2: RSV1 has a meaning only with permessage-deflate; RSV2 and RSV3 have none.
    guard byte & 0x30 == 0, context.acceptsCompression || !isCompressed else {
      throw .reservedBits(byte & 0x70)
    }
    switch opcode {
    case .close, .ping, .pong:
      if byte & 0x80 == 0 { throw .fragmentedControlFrame(opcode) }  // RFC 6455 §5.5
      if isCompressed { throw .compressedControlFrame(opcode) }  // RFC 7692 §6.1
    case .continuation:
      if context.openMessage == nil { throw .continuationWithoutMessage }  // RFC 6455 §5.4
      if isCompressed { throw .compressedContinuation }  // RFC 7692 §6.1
    case .text, .binary:
      if context.openMessage != nil { throw .messageInsideMessage(opcode) }  // RFC 6455 §5.4
    }
  }

  private static func checkSecond(
    _ byte: UInt8, after first: UInt8, _ context: Context
  ) throws(ProtocolError) {
    switch (context.role, isMasked(byte)) {  // RFC 6455 §5.1
    case (.server, false): throw .unmaskedFrame
    case (.client, true): throw .maskedFrame
    case (.server, true), (.client, false): break
    }
    if first & 0x08 != 0, byte & 0x7F > 125 {
      throw .controlFrameTooLong(byte & 0x7F)  // RFC 6455 §5.5
    }
  }

  private func checkLength(end: Int, _ context: Context) throws(ProtocolError) {
    switch (end, count) {
    case (10, 3): try Self.checkLengthStart(bytes[2], width: 8)
    // If the first six of the eight bytes are zero, the length fits into two bytes.
    case (10, 8): try Self.checkMinimal(length(upTo: 8) << 16, width: 8)
    case (4, 4): try Self.checkMinimal(length(upTo: 4), width: 2)
    default: break
    }
    if count == end { try Self.checkLimit(length(upTo: end), bytes[0], context) }
  }

  private static func checkLengthStart(_ byte: UInt8, width: Int) throws(ProtocolError) {
    if width == 8, byte & 0x80 != 0 { throw .lengthOutOfRange(firstByte: byte) }  // RFC 6455 §5.2
  }

  private static func checkMinimal(_ length: Int, width: Int) throws(ProtocolError) {
    if length < (width == 8 ? 0x1_0000 : 126) { throw .lengthNotMinimal(width: width) }  // RFC 6455 §5.2
  }

  /// Checks the length of a data frame before its payload arrives, and before memory is allocated for the payload.
  private static func checkLimit(
    _ length: Int, _ first: UInt8, _ context: Context
  ) throws(ProtocolError) {
    guard first & 0x08 == 0 else { return }
    let open = context.openMessage
    try context.limits.check(
      frame: length, after: open?.length ?? 0,
      of: open?.kind ?? (first & 0x0F == Opcode.text.rawValue ? .text : .binary),
      isCompressed: open?.isCompressed ?? (first & 0x40 != 0))
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

  private static func header(_ first: UInt8, length: Int, _ key: MaskingKey?) -> FrameHeader {
    guard let opcode = Opcode(rawValue: first & 0x0F) else {
      preconditionFailure("a frame header has an opcode that was not checked")
    }
    return FrameHeader(
      opcode: opcode, isFinal: first & 0x80 != 0, isCompressed: first & 0x40 != 0, payloadLength: length,
      maskingKey: key)
  }
}
