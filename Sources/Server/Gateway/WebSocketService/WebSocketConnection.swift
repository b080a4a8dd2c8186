internal import FoundationEssentials
internal import Networking
internal import Platform
internal import Primitives
internal import SessionCore
internal import WebSocket
internal import Wire

/// A connection that speaks WebSocket.
final class WebSocketConnection: ConnectionHandler {
  enum Phase {
    /// An echo: each message is sent back.
    case echo
    /// The session is being loaded. The socket is not read.
    case loading
    /// The socket is open, and its client has not sent a message.
    case opened(LiveSession)
    case waiting(LiveSession)
    case joined(LiveSession)
    /// A close frame is sent or buffered. The peer's close frame is expected.
    case closing
  }

  let connection: Connection
  let service: WebSocketService
  var phase: Phase {
    willSet {
      // The counter prevents the unloading of a session that a client is about to join.
      if case .opened(let live) = phase { live.unjoinedSockets -= 1 }
      if case .opened(let live) = newValue { live.unjoinedSockets += 1 }
    }
  }
  // The properties are ordered so that memory has few gaps, because there is one object per socket: small values follow optional
  // ones.
  let subscriber: Subscriber
  var messages: MessageReader
  /// The first fragments of a message.
  var fragments: [UInt8] = []
  /// A message whose first entries were handled in an earlier turn.
  var unfinished: UnfinishedMessage?
  /// The time of the last activity of the peer: it sent input, or acknowledged output.
  var activeAt: MonotonicTime
  var pingedAt: MonotonicTime
  /// The time from which the client could join, because the socket was open and the session was loaded.
  var joinableSince: MonotonicTime
  /// The time of the `join` whose catch-up is in progress; distant future if there is none.
  var joinedAt = MonotonicTime.distantFuture
  var pausedUntil: MonotonicTime?
  /// True when the end of the connection is logged.
  var isCloseLogged = false
  /// The code of the close frame, for the log.
  var closeCode: UInt16?
  /// The side that closed the socket first, and the reason if it was the gateway.
  var closedBy = ClosedBy.nobody
  var closeError: ErrorCode?
  var hasPeerClosed = false
  /// The session for the log, even after the connection has left the session.
  var sessionID: SessionID?
  /// A copy of `messages.isInflating`, made after each call. Reading it from `messages` would copy `messages`, at 1,000
  /// instructions a message.
  var isInflating = false
  /// True while the socket waits for the inflater. Then the socket is not read.
  var awaitsInflater = false
  /// True when the socket is to be closed after its output is written, because the peer's close frame has arrived.
  var isFinished = false
  private var unacknowledged: UInt32 = 0
  /// The time at which an incomplete message began.
  var messageBegan: MonotonicTime?
  /// The number of the participant; 0, which no participant has, until the client has joined.
  var participant: ParticipantNumber = 0

  init(
    _ connection: Connection, _ service: WebSocketService, phase: Phase, subscriber: Subscriber,
    limits: MessageLimits, deflate: DeflateParameters?
  ) {
    if case .opened(let live) = phase { live.unjoinedSockets += 1 }
    self.connection = connection
    self.service = service
    self.phase = phase
    self.subscriber = subscriber
    messages = MessageReader(role: .server, limits: limits, deflate: deflate)
    let now = service.clock.now
    activeAt = now
    pingedAt = now
    joinableSince = now
  }

  var io: ConnectionIO { service.io }
  var now: MonotonicTime { service.clock.now }

  /// The number of bytes in the kernel's send buffer at the last check. A smaller number later means that the peer acknowledged
  /// some of them.
  var unacknowledgedBytes: Int {
    get { Int(unacknowledged) }
    set { unacknowledged = UInt32(clamping: newValue) }
  }

  /// The session of the client, or the session that the client may join.
  var live: LiveSession? {
    switch phase {
    case .opened(let live), .waiting(let live), .joined(let live): live
    case .echo, .loading, .closing: nil
    }
  }

  /// The session in which the client waits or participates.
  var enteredSession: Session? {
    switch phase {
    case .waiting(let live), .joined(let live): live.session
    case .echo, .loading, .opened, .closing: nil
    }
  }

  /// The session, participant and address for the log.
  var subject: EventSubject {
    EventSubject(session: sessionID, participant: participant, address: connection.clientAddress)
  }

  var isEcho: Bool {
    if case .echo = phase { true } else { false }
  }

  var isClosing: Bool {
    if case .closing = phase { true } else { false }
  }

  /// True while input cannot be handled.
  var isInputPaused: Bool {
    if case .loading = phase { true } else { pausedUntil != nil || awaitsInflater }
  }

  // MARK: - ConnectionHandler

  var isWebSocket: Bool { true }
  var isUploading: Bool { false }
  var stage: ReservedConnections.Stage { .silent }

  /// True while a complete message waits for its next time slice.
  var hasUnhandledInput: Bool { isInflating || unfinished != nil }

  /// The number of bytes of incomplete messages, and of output for this socket alone.
  var bufferedBytes: Int {
    fragments.count + messages.bufferedBytes + (unfinished?.bytes.count ?? 0)
      + max(0, subscriber.bufferedOutputBytes - Connection.freeBytes)
  }

  func peerEnded() {
    // Deferred input is handled first. The reader then calls again.
    guard !connection.hasDeferredInput else { return }
    io.abort(connection, reason: "the peer closed the connection")
  }

  func connectionBroke(reason: String) {
    leaveSession(pageGone: false)
    logClose(end: reason)
  }

  func willClose() {
    service.releaseInflater(of: connection)
    logClose(end: "stopped")
  }

  var isQuiet: Bool { false }
  func drain() {}
  func socketBecameWritable() {}
  func didWritePending() {}

  func becameWritable() {
    activeAt = now
    // Sockets wait in the write queue, because a thousand of them may become writable at the same time. Until then no other bytes
    // are sent to this socket, because it may be in the middle of a frame.
    io.writeQueue.append(connection, isBulk: subscriber.isCatchingUp)
  }

  func continueWriting() { flush() }
}

/// A complete binary message of which some entries were handled.
final class UnfinishedMessage {
  let bytes: [UInt8]
  /// The offset of the next entry.
  var offset: Int

  /// Creates the rest of a message that begins with an entry.
  init(_ rest: [UInt8]) {
    bytes = rest
    offset = 0
  }
}
