internal import FoundationEssentials
internal import Networking
internal import Platform
internal import Primitives
internal import SessionCore
internal import WebSocket
internal import Wire

/// The WebSocket handler of a connection.
final class WebSocketConnection: ConnectionHandler {
  enum Phase {
    /// The socket belongs to no session. Each message is sent back.
    case echo
    /// The session is being loaded. The socket is not read.
    case loading(Unattached)
    /// The socket is open, and the gateway waits for the client's first message.
    case opened(LiveSession)
    /// The client has sent `wait`.
    case waiting(LiveSession)
    /// The client has sent `join`.
    case joined(LiveSession)
    /// A close frame has been sent or buffered. The gateway waits for the peer's close frame, or for the output to be written.
    case closing(Unattached)
  }

  /// The data for the log about a socket that is not attached to a session yet, or is no longer attached. This is a class, so
  /// that a `Phase` needs only one reference for this data, which few sockets have.
  final class Unattached {
    let session: SessionID?
    /// The code of the first close frame; nil before that frame.
    var code: UInt16?
    /// The side that closed the socket first.
    var closedBy = ClosedBy.nobody
    /// The error for which the gateway closed the socket; nil if the peer closed it, or if the reason is not an error.
    var error: ErrorCode?
    var hasPeerClosed = false
    /// True after the end of the connection was logged.
    var isLogged = false

    init(session: SessionID?) {
      self.session = session
    }
  }

  /// The bytes of a message of which only a part was received or handled.
  enum PartialMessage {
    case none
    /// The payloads of the received fragments of an incomplete message.
    case fragments([UInt8])
    /// A message whose first entries were handled in an earlier turn.
    case unfinished(UnfinishedMessage)
  }

  let connection: Connection
  let service: WebSocketService
  var phase: Phase {
    willSet {
      // The session stays in memory while `unjoinedSockets` is above 0, because a client is about to join the session.
      if case .opened(let live) = phase { live.unjoinedSockets -= 1 }
      if case .opened(let live) = newValue { live.unjoinedSockets += 1 }
    }
  }
  // The order of the properties leaves few gaps in memory, which matters because there is one object per socket.
  let subscriber: Subscriber
  var messages: MessageReader
  var partial = PartialMessage.none
  /// The time at which the peer last sent input or acknowledged output.
  var activeAt: MonotonicTime
  var pingedAt: MonotonicTime
  /// The time at which the client became able to join: the socket was open, and the session was loaded.
  var joinableSince: MonotonicTime
  /// The time of the `join` whose catch-up is in progress; distant future if no catch-up is in progress.
  var joinedAt = MonotonicTime.distantFuture
  /// The end of a pause in reading; distant future if reading is not paused.
  var pausedUntil = MonotonicTime.distantFuture
  /// The time at which the first bytes of an incomplete message arrived; distant future if no message is incomplete.
  var messageBegan = MonotonicTime.distantFuture
  private var unacknowledged: UInt32 = 0
  /// The number of the participant. Until the client has joined, it is 0, which is not a valid number.
  var participant: ParticipantNumber = 0
  /// A copy of `messages.isInflating`, updated after each use of `messages`. Reading the property itself would copy `messages`,
  /// which costs 1,000 instructions per message.
  var isInflating = false
  /// True while the socket waits for the shared inflater. The socket is not read during the wait.
  var awaitsInflater = false
  /// True when the socket is to be closed after its output is written, without waiting for more frames of the peer. This is the
  /// case after the peer has sent a close frame or has violated the protocol.
  var isFinished = false

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
    joinableSince = now
    pingedAt = now
  }

  var io: ConnectionIO { service.io }
  var now: MonotonicTime { service.clock.now }

  /// The number of bytes in the kernel's send buffer at the last check. If the number is smaller at the next check, the peer has
  /// acknowledged some of the bytes.
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
  var enteredSession: LiveSession? {
    switch phase {
    case .waiting(let live), .joined(let live): live
    case .echo, .loading, .opened, .closing: nil
    }
  }

  /// The session, participant and address for the log. The id of the session is kept after the socket was detached from the
  /// session.
  var subject: EventSubject {
    let session: SessionID? =
      switch phase {
      case .echo: nil
      case .loading(let unattached), .closing(let unattached): unattached.session
      case .opened(let live), .waiting(let live), .joined(let live): live.id
      }
    return EventSubject(session: session, participant: participant, address: connection.clientAddress)
  }

  var isEcho: Bool {
    if case .echo = phase { true } else { false }
  }

  var isClosing: Bool {
    if case .closing = phase { true } else { false }
  }

  /// True while the socket's input must wait: the session is being loaded, the session paused the socket, or the socket waits for
  /// the shared inflater.
  var isInputPaused: Bool {
    if case .loading = phase { true } else { pausedUntil != .distantFuture || awaitsInflater }
  }

  // MARK: - ConnectionHandler

  var isWebSocket: Bool { true }
  var isUploading: Bool { false }
  var stage: ReservedConnections.Stage { .silent }

  /// True while a received message is being inflated, or has been handled only partly.
  var hasUnhandledInput: Bool {
    if case .unfinished = partial { true } else { isInflating }
  }

  /// The number of bytes of partly received or partly handled messages, and of output that only this socket gets.
  var bufferedBytes: Int {
    let part =
      switch partial {
      case .none: 0
      case .fragments(let bytes): bytes.count
      case .unfinished(let message): message.bytes.count
      }
    return part + messages.bufferedBytes + max(0, subscriber.bufferedOutputBytes - Connection.freeBytes)
  }

  func peerEnded() {
    // Deferred input is handled first. After that, `ConnectionReader` calls this function again.
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
    // The socket joins the write queue, which limits the writing time of a turn: a thousand sockets may become writable at the
    // same time. While the socket is in the queue, no other bytes are sent to it, because its last frame may have been sent only
    // in part.
    io.writeQueue.append(connection, isBulk: subscriber.isCatchingUp)
  }

  func continueWriting() { flush() }
}

/// The rest of a complete binary message whose first entries were handled in an earlier turn.
final class UnfinishedMessage {
  let bytes: [UInt8]
  /// The offset in `bytes` of the next entry to handle.
  var offset: Int

  /// Creates the rest of a message. `rest` begins with an entry.
  init(_ rest: [UInt8]) {
    bytes = rest
    offset = 0
  }
}
