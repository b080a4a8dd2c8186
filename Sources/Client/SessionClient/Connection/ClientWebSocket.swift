internal import WebSocket

/// The client's side of one WebSocket, from the request for it to the close frames: bytes in, what they say out. It knows no
/// socket.
struct ClientWebSocket {
  /// What the gateway said.
  enum Event: Equatable {
    /// The WebSocket is open.
    case opened
    /// A text message.
    case text([UInt8])
    /// A binary message.
    case entries([UInt8])
    /// There is nothing more to be said: it was refused, closed or broke a rule. Nothing follows.
    case ended(SocketEnd)
  }

  private enum State {
    case upgrading(UpgradeHandshake)
    /// Closing: we have said our last, and the gateway's close frame is still to come.
    case open(MessageReader, isClosing: Bool)
    case ended
  }

  /// The most bytes of a message from the gateway; what it sends at once is far below.
  static let messageBytes = 8 << 20
  /// The most bytes of a text message: a `joined` with the largest payload of an activity takes some 20 KiB.
  static let textBytes = 1 << 20

  private var state: State
  private var assembly: [UInt8] = []
  /// The newest ping that waits for its answer: others are answered with it (RFC 6455 §5.5.3).
  private var unansweredPing: [UInt8]?
  /// Bytes to be sent, in their order; whoever sends them takes them out.
  private var outgoing: [UInt8]

  /// Begins with the request for the WebSocket at a path.
  init(path: String, authority: String) {
    let handshake = UpgradeHandshake(path: path, authority: authority)
    outgoing = handshake.request
    state = .upgrading(handshake)
  }

  /// Whether messages can be sent.
  var isOpen: Bool {
    if case .open(_, isClosing: false) = state { true } else { false }
  }

  /// Whether nothing more is to come from the gateway that matters.
  var hasEnded: Bool {
    if case .ended = state { true } else { false }
  }

  // MARK: - Reading

  /// Reads on from `position` to `end`, up to the next thing that the gateway said; nil when all is read.
  mutating func next(
    in buffer: inout [UInt8], at position: inout Int, upTo end: Int, inflater: Inflater
  ) -> Event? {
    switch state {
    case .upgrading(var handshake):
      state = .ended  // so that `handshake` has one owner
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
        // What comes behind our close frame is of no use.
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

  /// The connection has ended; what that means, if that was not known before.
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
          // §5.5.1: answered with the same code, unless we were first.
          if !isClosing { appendClose(code.map { ClosePayload(code: $0) } ?? ClosePayload()) }
          return .ended(.closed(code: (code ?? .noStatusReceived).rawValue, reason: Array(reason.utf8)))
        }
      }
      return nil
    } catch {
      assembly = []
      if !isClosing { appendClose(ClosePayload(code: error.closeCode, reason: error.reason)) }
      return .ended(.broken("The gateway broke a rule of WebSocket: \(error.reason)."))
    }
  }

  // MARK: - Writing

  /// Puts a message behind what is to be sent. Only for one that is open.
  mutating func send(_ kind: MessageKind, _ payload: Span<UInt8>) {
    precondition(isOpen, "messages are sent over an open WebSocket")
    FrameWriter.append(
      kind == .text ? .text : .binary, payload: payload, maskingKey: .random(), to: &outgoing)
  }

  /// Puts a pong that nobody asked for behind what is to be sent: a sign of life (RFC 6455 §5.5.3).
  mutating func sendUnsolicitedPong() {
    guard isOpen else { return }
    FrameWriter.append(.pong, payload: [UInt8]().span, maskingKey: .random(), to: &outgoing)
  }

  /// Puts a close frame behind what is to be sent; nothing can be sent after it.
  mutating func close(code: UInt16) {
    guard case .open(let reader, _) = state, isOpen else { return }
    let code = CloseCode(rawValue: code)
    appendClose(ClosePayload(code: code.isValidOnTheWire ? code : .normalClosure))
    state = .open(reader, isClosing: true)
  }

  /// Whether something is to be sent.
  var hasOutgoing: Bool { !outgoing.isEmpty || unansweredPing != nil }

  /// Gives out what is to be sent. A ping is answered only when `answersPings`: not while much waits for the socket, or
  /// whoever pings without reading fills our memory.
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
    // A pong behind a close frame would be one too many (§5.5.1).
    unansweredPing = nil
    FrameWriter.appendClose(payload, maskingKey: .random(), to: &outgoing)
  }
}
