internal import WebSocket

/// The client's side of one WebSocket without I/O, from the upgrade request to the close frames. It receives bytes and returns
/// events.
struct ClientWebSocket {
  /// An event on the WebSocket.
  enum Event: Equatable {
    /// The WebSocket is open.
    case opened
    /// A text message.
    case text([UInt8])
    /// A binary message.
    case entries([UInt8])
    /// The WebSocket was refused or closed, or the gateway violated the protocol. This is the last event.
    case ended(SocketEnd)
  }

  private enum State {
    case upgrading(UpgradeHandshake)
    /// The WebSocket is open. If `isClosing` is true, our close frame was sent and the gateway's close frame is expected.
    case open(MessageReader, isClosing: Bool)
    case ended
  }

  /// The maximum length of a message in bytes. The gateway's messages are far shorter.
  static let messageBytes = 8 << 20
  /// The maximum length of a text message in bytes. A `joined` with the largest activity payload takes some 20 KiB.
  static let textBytes = 1 << 20

  private var state: State
  private var assembly: [UInt8] = []
  /// The payload of the newest unanswered ping. A pong with this payload answers this ping and all earlier pings (RFC 6455
  /// §5.5.3).
  private var unansweredPing: [UInt8]?
  /// The bytes to be sent.
  private var outgoing: [UInt8]

  /// Creates a WebSocket that is not open yet. Its first outgoing bytes are the upgrade request.
  init(path: String, authority: String) {
    let handshake = UpgradeHandshake(path: path, authority: authority)
    outgoing = handshake.request
    state = .upgrading(handshake)
  }

  /// True when messages can be sent.
  var isOpen: Bool {
    if case .open(_, isClosing: false) = state { true } else { false }
  }

  /// True when no further event can follow.
  var hasEnded: Bool {
    if case .ended = state { true } else { false }
  }

  // MARK: - Reading

  /// Reads the bytes from `position` to `end` up to the next event; returns nil when all bytes are read.
  mutating func next(
    in buffer: inout [UInt8], at position: inout Int, upTo end: Int, inflater: Inflater
  ) -> Event? {
    switch state {
    case .upgrading(var handshake):
      state = .ended  // makes `handshake` the only reference to its buffers, so no buffer is copied
      let verdict = handshake.next(in: buffer.span.extracting(first: end), at: &position)
      switch verdict {
      case nil:
        state = .upgrading(handshake)
        return nil
      case .agreed(let agreement):
        let limits = MessageLimits(messageBytes: Self.messageBytes, textBytes: Self.textBytes)
        let reader = MessageReader(role: .client, limits: limits, deflate: agreement.deflate)
        state = .open(reader, isClosing: false)
        return .opened
      case .refused(let refusal):
        return .ended(refusal)
      }
    case .open(var reader, let isClosing):
      state = .ended
      while let event = read(
        &reader, isClosing: isClosing, in: &buffer, at: &position, upTo: end, inflater: inflater)
      {
        if case .ended = event { return isClosing ? nil : event }
        // Messages after our close frame are ignored.
        guard isClosing else {
          state = .open(reader, isClosing: false)
          return event
        }
      }
      state = .open(reader, isClosing: isClosing)
      return nil
    case .ended:
      position = end
      return nil
    }
  }

  /// Handles the end of the TCP connection. Returns the last event; nil if the WebSocket had already ended or was closing.
  mutating func finish() -> Event? {
    defer { state = .ended }
    switch state {
    case .upgrading(let handshake):
      guard case .refused(let end) = handshake.finish() else { return nil }
      return .ended(end)
    case .open(_, isClosing: false): return .ended(.broken("The connection ended without a close frame."))
    case .open, .ended: return nil
    }
  }

  /// Reads up to the next event.
  private mutating func read(
    _ reader: inout MessageReader, isClosing: Bool, in buffer: inout [UInt8], at position: inout Int,
    upTo end: Int, inflater: Inflater
  ) -> Event? {
    do throws(ProtocolError) {
      while let event = try reader.next(in: &buffer, at: &position, upTo: end, inflater: inflater) {
        switch event {
        case .piece(let kind, let range, _, let isLast):
          assembly.append(contentsOf: buffer[range])
          guard isLast else { continue }
          var message: [UInt8] = []
          swap(&message, &assembly)
          return kind == .text ? .text(message) : .entries(message)
        case .message(let kind, let payload):
          return kind == .text ? .text(payload) : .entries(payload)
        case .ping(let payload):
          if !isClosing { unansweredPing = payload }
        case .pong:
          continue
        case .close(let code, let reason):
          // RFC 6455 §5.5.1: our close frame repeats the received code. It is not sent if we sent a close frame first.
          if !isClosing { appendClose(code.map { ClosePayload(code: $0) } ?? ClosePayload()) }
          return .ended(.closed(code: (code ?? .noStatusReceived).rawValue, reason: Array(reason.utf8)))
        }
      }
      return nil
    } catch {
      assembly = []
      if !isClosing { appendClose(ClosePayload(code: error.closeCode, reason: error.reason)) }
      return .ended(.broken("The gateway violated the WebSocket protocol: \(error.reason)."))
    }
  }

  // MARK: - Writing

  /// Appends a message to the bytes to be sent. The WebSocket must be open.
  mutating func send(_ kind: MessageKind, _ payload: Span<UInt8>) {
    precondition(isOpen, "the WebSocket must be open to send a message")
    FrameWriter.append(
      kind == .text ? .text : .binary, payload: payload, maskingKey: .random(), to: &outgoing)
  }

  /// Appends an unsolicited pong as a keepalive (RFC 6455 §5.5.3).
  mutating func sendUnsolicitedPong() {
    guard isOpen else { return }
    FrameWriter.append(.pong, payload: [UInt8]().span, maskingKey: .random(), to: &outgoing)
  }

  /// Appends a close frame. Nothing can be sent after it.
  mutating func close(code: UInt16) {
    guard case .open(let reader, _) = state, isOpen else { return }
    let code = CloseCode(rawValue: code)
    appendClose(ClosePayload(code: code.isValidOnTheWire ? code : .normalClosure))
    state = .open(reader, isClosing: true)
  }

  /// True when there are bytes to be sent.
  var hasOutgoing: Bool { !outgoing.isEmpty || unansweredPing != nil }

  /// Removes and returns the bytes to be sent.
  ///
  /// - Parameter answersPings: false while many bytes wait for the socket, so that a peer that sends pings without reading cannot
  ///   fill the memory.
  /// - Returns: the bytes, with a pong at the end if a ping is unanswered.
  mutating func takeOutgoing(answersPings: Bool) -> [UInt8] {
    if answersPings, let payload = unansweredPing {
      unansweredPing = nil
      FrameWriter.append(.pong, payload: payload.span, maskingKey: .random(), to: &outgoing)
    }
    var bytes: [UInt8] = []
    swap(&bytes, &outgoing)
    return bytes
  }

  private mutating func appendClose(_ payload: ClosePayload) {
    // A pong after a close frame is not allowed (RFC 6455 §5.5.1).
    unansweredPing = nil
    FrameWriter.appendClose(payload, maskingKey: .random(), to: &outgoing)
  }
}
