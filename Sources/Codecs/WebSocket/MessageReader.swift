/// A reader of the frames that one peer sends (RFC 6455 §5, RFC 7692 §6). It returns the messages and control frames
/// as events.
///
/// It reads from a buffer that belongs to the caller and that all connections may share. The caller may overwrite the buffer
/// between two calls, because the reader copies the bytes that it still needs. A message that is not compressed is unmasked in
/// the buffer and never copied; an idle reader owns no memory outside its own value.
package struct MessageReader: Sendable {
  /// An event from the peer.
  package enum Event: Equatable, Sendable {
    /// A piece of a message that is not compressed: `payload` is the range of its unmasked bytes in the buffer. A frame that
    /// spans several buffers gives one piece for each buffer. Only the last piece can be empty. A piece of a text may end
    /// inside a character; the text up to that character is valid.
    case piece(kind: MessageKind, payload: Range<Int>, isFirst: Bool, isLast: Bool)

    /// A whole message that was compressed. `payload` is the inflated payload.
    case message(kind: MessageKind, payload: [UInt8])

    /// A ping with its payload, at most 125 bytes. The caller must answer with a pong that has the same payload (§5.5.2).
    case ping([UInt8])

    /// A pong: the answer to our ping, or unsolicited (§5.5.3).
    case pong([UInt8])

    /// The peer's close frame, which is its last frame. The caller must answer with a close frame, unless it has sent one
    /// already (§5.5.1). The code is nil if the frame was empty.
    case close(CloseCode?, reason: String)
  }

  /// The position inside a frame. Rare cases are `indirect` to keep the value small, because every connection
  /// stores such a value.
  private enum State {
    case header
    case data(DataFrame)
    indirect case control(ControlFrame)
    indirect case inflating(Inflation)
    case closed
    indirect case failed(ProtocolError)
  }

  private struct DataFrame {
    var remaining: Int
    var maskingKey: MaskingKey?
    let isFinal: Bool

    init(_ header: FrameHeader) {
      isFinal = header.isFinal
      remaining = header.payloadLength
      maskingKey = header.maskingKey
    }
  }

  private struct ControlFrame {
    let opcode: Opcode
    var remaining: Int
    var maskingKey: MaskingKey?
    var payload: [UInt8] = []

    init(_ header: FrameHeader) {
      opcode = header.opcode
      remaining = header.payloadLength
      maskingKey = header.maskingKey
    }
  }

  /// A whole compressed message that takes several steps to inflate.
  private struct Inflation {
    let kind: MessageKind
    let bytes: [UInt8]
    var progress = Inflater.Progress()
  }

  private enum Message {
    case none
    case plain(PlainMessage)
    case compressed(kind: MessageKind, bytes: [UInt8])
  }

  private struct PlainMessage {
    var length = 0
    var validator = UTF8Validator()
    let kind: MessageKind

    init(kind: MessageKind) {
      self.kind = kind
    }

    /// Checks the next bytes of a text. After the last bytes, also checks that the last character is complete (RFC 6455
    /// §8.1).
    mutating func check(_ bytes: Span<UInt8>, isLast: Bool) throws(ProtocolError) {
      if let offset = validator.firstError(in: bytes) {
        throw .invalidUTF8(offset: length + offset)
      }
      if isLast, !validator.isComplete {
        throw .invalidUTF8(offset: length + bytes.count - validator.pendingCount)
      }
    }
  }

  private let role: Role
  private var headers = FrameHeaderReader()
  private let limits: MessageLimits
  /// The negotiated compression; nil if messages must not be compressed.
  package let deflate: DeflateParameters?
  private var state = State.header
  private var message = Message.none

  /// Creates a reader for one end of a connection, after the opening handshake.
  ///
  /// - Parameters:
  ///   - role: the end that reads.
  ///   - limits: the limits for the peer's messages.
  ///   - deflate: the negotiated compression; nil if messages must not be compressed.
  package init(role: Role, limits: MessageLimits, deflate: DeflateParameters? = nil) {
    self.role = role
    self.limits = limits
    self.deflate = deflate
  }

  /// The number of stored bytes of a compressed message or control frame for which no event has been returned. The reader stores
  /// no bytes of a message that is not compressed.
  package var bufferedBytes: Int {
    var count = 0
    if case .compressed(_, let bytes) = message { count += bytes.count }
    switch state {
    case .control(let frame): count += frame.payload.count
    case .inflating(let inflation): count += inflation.bytes.count + inflation.progress.output.count
    case .header, .data, .closed, .failed: break
    }
    return count
  }

  /// True while a complete compressed message is inflated in steps: `next` then needs no more bytes of this message.
  package var isInflating: Bool {
    if case .inflating = state { true } else { false }
  }

  /// True from the first byte of a message, or of a frame of any kind, to its last byte. The caller limits how long this may
  /// take.
  package var isInsideMessage: Bool {
    switch (state, message) {
    case (.closed, _), (.failed, _), (.inflating, _): false
    case (.header, .none): !headers.isEmpty
    case (.header, _), (.data, _), (.control, _): true
    }
  }

  /// Reads from `position` to `end`, up to the next event.
  ///
  /// - Parameters:
  ///   - buffer: the received bytes; payloads in it are unmasked in place.
  ///   - position: the index of the first byte to read; moved after the bytes that were read.
  ///   - end: the end of the received bytes.
  ///   - inflater: required if compression was negotiated. Connections may share an inflater while `isInflating` is false. While
  ///     `isInflating` is true, each call must pass the same inflater, which no other connection uses.
  ///   - inflatedBytes: the number of bytes after which inflating pauses. After the first pause in a message, the next call
  ///     inflates the message again from its beginning. Each later call continues at the previous pause.
  /// - Returns: nil when all bytes are read and more are needed, or inflating pauses. Bytes after a close frame are dropped
  ///   (§1.4).
  /// - Throws: the rule that the peer broke. Every later call throws the same error.
  package mutating func next(
    in buffer: inout [UInt8], at position: inout Int, upTo end: Int, inflater: Inflater? = nil,
    inflatedBytes: Int = .max
  ) throws(ProtocolError) -> Event? {
    do throws(ProtocolError) {
      return try advance(
        in: &buffer, at: &position, upTo: end, inflater: inflater, inflatedBytes: inflatedBytes)
    } catch {
      state = .failed(error)
      message = .none
      throw error
    }
  }

  private mutating func advance(
    in buffer: inout [UInt8], at position: inout Int, upTo end: Int, inflater: Inflater?, inflatedBytes: Int
  ) throws(ProtocolError) -> Event? {
    precondition(
      position >= 0 && position <= end && end <= buffer.count, "the received bytes must be inside the buffer")
    while true {
      switch state {
      case .header:
        guard let header = try readHeader(in: buffer, at: &position, upTo: end) else { return nil }
        switch header.opcode {
        case .close, .ping, .pong:
          // Usually the whole frame has arrived, and needs no memory in `state`.
          return try read(ControlFrame(header), in: &buffer, at: &position, upTo: end)
        case .continuation: state = .data(DataFrame(header))
        case .text: begin(.text, with: header)
        case .binary: begin(.binary, with: header)
        }
      case .data(let frame):
        guard let payload = read(frame, in: &buffer, at: &position, upTo: end) else { return nil }
        if let event = try add(payload, of: frame, in: buffer, inflater, inflatedBytes) { return event }
        if isInflating { return nil }
      case .inflating(var inflation):
        state = .header  // releases a reference to the earlier output, so that `inflate` does not copy it
        if let event = try inflate(&inflation, inflater, inflatedBytes) { return event }
        state = .inflating(inflation)
        return nil
      case .control(let frame):
        return try read(frame, in: &buffer, at: &position, upTo: end)
      case .closed:
        position = end
        return nil
      case .failed(let error):
        throw error
      }
    }
  }
}

// MARK: - Headers

extension MessageReader {
  private mutating func readHeader(
    in buffer: [UInt8], at position: inout Int, upTo end: Int
  ) throws(ProtocolError) -> FrameHeader? {
    let context = FrameHeaderReader.Context(
      role: role, limits: limits, acceptsCompression: deflate != nil, openMessage: openMessage)
    return try headers.next(in: buffer, at: &position, upTo: end, context)
  }

  private var openMessage: FrameHeaderReader.Context.OpenMessage? {
    switch message {
    case .none: nil
    case .plain(let plain): .init(kind: plain.kind, length: plain.length, isCompressed: false)
    case .compressed(let kind, let bytes): .init(kind: kind, length: bytes.count, isCompressed: true)
    }
  }

  private mutating func begin(_ kind: MessageKind, with header: FrameHeader) {
    state = .data(DataFrame(header))
    message = header.isCompressed ? .compressed(kind: kind, bytes: []) : .plain(PlainMessage(kind: kind))
  }
}

// MARK: - Payloads

extension MessageReader {
  /// Unmasks the available payload of a frame. Returns nil if the frame is incomplete and no byte of its payload is available.
  private mutating func read(
    _ frame: DataFrame, in buffer: inout [UInt8], at position: inout Int, upTo end: Int
  ) -> Range<Int>? {
    let count = min(frame.remaining, end - position)
    guard count > 0 || frame.remaining == 0 else { return nil }
    let payload = position..<position + count
    frame.maskingKey?.apply(to: &buffer, in: payload)
    position += count
    if count == frame.remaining {
      state = .header
    } else {
      var rest = frame
      rest.remaining -= count
      rest.maskingKey = frame.maskingKey?.advanced(by: count)
      state = .data(rest)
    }
    return payload
  }

  /// Adds a payload to its message. Returns nil if there is no event yet.
  private mutating func add(
    _ payload: Range<Int>, of frame: DataFrame, in buffer: [UInt8], _ inflater: Inflater?,
    _ inflatedBytes: Int
  ) throws(ProtocolError) -> Event? {
    let isLast = frame.isFinal && payload.count == frame.remaining
    switch message {
    case .none:
      preconditionFailure("a data frame arrived outside a message")
    case .plain(var plain):
      let isFirst = plain.length == 0
      if plain.kind == .text {
        try plain.check(buffer.span.extracting(payload), isLast: isLast)
      }
      plain.length += payload.count
      message = isLast ? .none : .plain(plain)
      guard isLast || !payload.isEmpty else { return nil }
      return .piece(kind: plain.kind, payload: payload, isFirst: isFirst, isLast: isLast)
    case .compressed(let kind, var bytes):
      message = .none  // drops the other reference to the array, so that `append` does not copy the array
      bytes.append(copying: buffer.span.extracting(payload))
      guard isLast else {
        message = .compressed(kind: kind, bytes: bytes)
        return nil
      }
      var inflation = Inflation(kind: kind, bytes: bytes)
      if let event = try inflate(&inflation, inflater, inflatedBytes) { return event }
      // The shared inflater has inflated only a part of the message. Other connections need this inflater, so its output is
      // discarded. The next call inflates the message again from its beginning, with an inflater that only this reader uses until
      // the end of the message.
      state = .inflating(Inflation(kind: kind, bytes: bytes))
      return nil
    }
  }

  /// Inflates a part of a message. Returns nil if the message is not complete.
  private func inflate(
    _ inflation: inout Inflation, _ inflater: Inflater?, _ inflatedBytes: Int
  ) throws(ProtocolError) -> Event? {
    guard let inflater else { preconditionFailure("a connection with compression needs an inflater") }
    let bytes = inflation.bytes
    let isComplete = try inflater.advance(
      &inflation.progress, with: bytes.span, limit: limits.bytes(of: inflation.kind), step: inflatedBytes)
    guard isComplete else { return nil }
    let payload = inflation.progress.output
    if inflation.kind == .text {
      var whole = PlainMessage(kind: inflation.kind)
      try whole.check(payload.span, isLast: true)
    }
    return .message(kind: inflation.kind, payload: payload)
  }

  /// Collects a control frame. Returns nil until it is complete.
  private mutating func read(
    _ frame: ControlFrame, in buffer: inout [UInt8], at position: inout Int, upTo end: Int
  ) throws(ProtocolError) -> Event? {
    var frame = frame
    let count = min(frame.remaining, end - position)
    let payload = position..<position + count
    frame.maskingKey?.apply(to: &buffer, in: payload)
    frame.payload.append(copying: buffer.span.extracting(payload))
    frame.maskingKey = frame.maskingKey?.advanced(by: count)
    frame.remaining -= count
    position += count
    guard frame.remaining == 0 else {
      state = .control(frame)
      return nil
    }
    state = .header
    switch frame.opcode {
    case .ping: return .ping(frame.payload)
    case .pong: return .pong(frame.payload)
    case .close:
      let close = try ClosePayload(parsing: frame.payload)
      state = .closed
      message = .none
      return .close(close.code, reason: close.reason)
    case .continuation, .text, .binary:
      preconditionFailure("a data frame was collected as a control frame")
    }
  }
}
