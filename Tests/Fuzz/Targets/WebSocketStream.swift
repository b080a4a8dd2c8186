internal import WebSocket

/// The fuzz target for the frames that one end of a WebSocket receives.
enum WebSocketStream {
  /// Byte 0 of the input chooses the division of the stream into pieces. Byte 1 chooses the limits and the negotiated
  /// compression. The other bytes are the stream.
  static func check(_ input: [UInt8], role: Role) throws {
    var reader = InputReader(input)
    let plan = reader.byte()
    let choice = reader.byte()
    let bytes = reader.takeRest()
    let deflate = choice & 1 == 0 ? nil : DeflateParameters.negotiate(offers: ["permessage-deflate"])
    let limits = MessageLimits(
      frameBytes: choice & 2 == 0 ? .max : 100, messageBytes: [65_536, 16, 200, 0][Int(choice >> 2 & 3)])
    let make = { MessageReader(role: role, limits: limits, deflate: deflate) }

    var whole = FrameReading(make(), limits)
    try whole.feed(bytes[...])
    var cut = FrameReading(make(), limits)
    for range in Cuts(plan, of: bytes.count) { try cut.feed(bytes[range]) }
    try expect(
      cut.told == whole.told && cut.error == whole.error,
      "cut: \(cut.told) \(cut.error as Any)\nwhole: \(whole.told) \(whole.error as Any)")
    try expect(
      cut.isInside == whole.isInside && cut.buffered == whole.buffered,
      "the two readers end in different states")

    // If the messages are written as frames again, a new reader returns the same messages.
    var written: [UInt8] = []
    for said in whole.told { said.append(to: &written, isMasked: role == .server) }
    var again = FrameReading(make(), limits)
    try again.feed(written[...])
    try expect(
      again.told == whole.told && again.error == nil,
      "\(whole.told) became \(again.told) \(again.error as Any)")
    try expect(!again.isInside && again.buffered == 0, "complete messages leave the reader inside a message")
  }
}

/// The messages and control frames of a peer. The fragments of a message are joined.
private enum Said: Equatable {
  case message(MessageKind, [UInt8])
  case ping([UInt8])
  case pong([UInt8])
  case close(CloseCode?, String)

  func append(to bytes: inout [UInt8], isMasked: Bool) {
    let key = isMasked ? MaskingKey(1, 2, 3, 4) : nil
    switch self {
    case .message(let kind, let payload):
      // The frames have 64 bytes, which every limit allows.
      var rest = payload[...]
      var opcode = kind.opcode
      repeat {
        let part = Array(rest.prefix(64))
        rest = rest.dropFirst(64)
        FrameWriter.append(opcode, payload: part.span, isFinal: rest.isEmpty, maskingKey: key, to: &bytes)
        opcode = .continuation
      } while !rest.isEmpty
    case .ping(let payload): FrameWriter.append(.ping, payload: payload.span, maskingKey: key, to: &bytes)
    case .pong(let payload): FrameWriter.append(.pong, payload: payload.span, maskingKey: key, to: &bytes)
    case .close(let code, let reason):
      let payload = code.map { ClosePayload(code: $0, reason: reason) } ?? ClosePayload()
      FrameWriter.appendClose(payload, maskingKey: key, to: &bytes)
    }
  }
}

/// Feeds a reader from a shared buffer, as a reactor does.
private struct FrameReading {
  private(set) var told: [Said] = []
  private(set) var error: ProtocolError?
  private var reader: MessageReader
  private let limits: MessageLimits
  private let inflater = Inflater()
  private var open: (kind: MessageKind, bytes: [UInt8])?
  private var fed = 0

  init(_ reader: MessageReader, _ limits: MessageLimits) {
    self.reader = reader
    self.limits = limits
  }

  var isInside: Bool { reader.isInsideMessage }
  var buffered: Int { reader.bufferedBytes }

  mutating func feed(_ part: ArraySlice<UInt8>) throws {
    guard error == nil else { return try expectSameError() }
    var buffer: [UInt8] = [0xAA, 0xBB, 0xCC] + part + [0xDD, 0xEE]
    var position = 3
    let end = buffer.count - 2
    fed += part.count
    do {
      while let event = try reader.next(in: &buffer, at: &position, upTo: end, inflater: inflater) {
        try receive(event, in: buffer)
      }
    } catch let error as ProtocolError {
      self.error = error
      try expect(error.reason.utf8.count <= ClosePayload.maximumReasonLength, "the reason '\(error.reason)'")
      try expect(error.closeCode.isValidOnTheWire, "the code \(error.closeCode)")
    }
    try expect(
      buffer[..<3] == [0xAA, 0xBB, 0xCC] && buffer[end...] == [0xDD, 0xEE],
      "the reader changed bytes outside its range")
    try expect(
      error != nil || position == end, "the reader needs more input, but left \(end - position) bytes")
    try expect(buffered <= min(fed, limits.compressedBytes + 125), "\(buffered) of \(fed) bytes are buffered")
  }

  private mutating func expectSameError() throws {
    var buffer: [UInt8] = [0x81]
    var position = 0
    do throws(ProtocolError) {
      _ = try reader.next(in: &buffer, at: &position, upTo: 1, inflater: inflater)
    } catch let again {
      return try expect(again == error, "the first error was \(error as Any), the next error is \(again)")
    }
    throw Finding("the reader continued after \(error as Any)")
  }

  private mutating func receive(_ event: MessageReader.Event, in buffer: [UInt8]) throws {
    if case .close? = told.last { throw Finding("\(event) after a close frame") }
    switch event {
    case .piece(let kind, let payload, let isFirst, let isLast):
      try expect(isFirst == (open == nil), "a second first piece, or no first piece")
      try expect(isLast || !payload.isEmpty, "an empty piece that is not the last")
      let bytes = (open?.bytes ?? []) + buffer[payload]
      try expect(open.map { $0.kind == kind } ?? true, "the pieces of a message have different kinds")
      open = isLast ? nil : (kind, bytes)
      try expect(bytes.count <= limits.messageBytes, "a message of \(bytes.count) bytes")
      if isLast { try receive(kind, bytes) }
    case .message(let kind, let payload):
      try expect(payload.count <= limits.messageBytes, "a message of \(payload.count) bytes")
      try receive(kind, payload)
    case .ping(let payload):
      try expect(payload.count <= 125, "a ping of \(payload.count) bytes")
      told.append(.ping(payload))
    case .pong(let payload):
      try expect(payload.count <= 125, "a pong of \(payload.count) bytes")
      told.append(.pong(payload))
    case .close(let code, let reason):
      try expect(code?.isValidOnTheWire ?? reason.isEmpty, "close \(code as Any) '\(reason)'")
      told.append(.close(code, reason))
    }
  }

  private mutating func receive(_ kind: MessageKind, _ bytes: [UInt8]) throws {
    if kind == .text {
      try expect(String(validating: bytes, as: UTF8.self) != nil, "a text message that is not UTF-8")
    }
    told.append(.message(kind, bytes))
  }
}
