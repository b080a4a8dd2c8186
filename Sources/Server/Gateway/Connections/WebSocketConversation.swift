internal import Networking
internal import FoundationEssentials
internal import SessionCore
internal import Primitives
internal import WebSocket
internal import Wire

/// A connection that speaks WebSocket.
final class WebSocketConversation {
  enum Phase {
    /// Sends back what it gets.
    case echo
    /// Its session is being read from the disk; what the peer says waits.
    case finding
    /// Open, and nothing said yet.
    case opened(Hosted)
    case waiting(Hosted)
    case joined(Hosted)
    /// A close frame is sent or queued; its peer's is waited for.
    case closing

    var isEcho: Bool {
      if case .echo = self { true } else { false }
    }
  }

  let connection: Connection
  let hooks: ReactorHooks
  var phase: Phase {
    willSet {
      // A session that somebody is about to join is not put away.
      if case .opened(let hosted) = phase { hosted.openedSockets -= 1 }
      if case .opened(let hosted) = newValue { hosted.openedSockets += 1 }
    }
  }
  // In an order that leaves few gaps in memory: there are as many of these as sockets.
  var peerClosed = false
  /// Close the socket as soon as all is sent: the peer's close frame has come.
  var isFinished = false
  /// The log has the line of its end.
  var isCloseLogged = false
  /// Who closed it first, and why we did.
  var closedBy = ClosedBy.nobody
  var closeWord: ErrorCode?
  /// The code that the socket is closed with, for the log.
  var closeCode: UInt16?
  /// What the socket is still to be sent.
  let subscriber: Subscriber
  var messages: MessageReader
  /// A copy of `messages.isInflating`, made after each call: reading it from `messages` would copy that, 1,000 instructions a message.
  var isInflating = false
  /// True while it is in the queue for the inflater. Until then nothing is read from its socket.
  var awaitsInflater = false
  /// A half-received message.
  var assembly: [UInt8] = []
  /// A message of which an earlier turn handled the first entries.
  var unfinished: UnfinishedMessage?

  var heardAt: MonotonicTime
  /// When the peer last made room for what we send.
  var tookAt: MonotonicTime
  var pingedAt: MonotonicTime
  /// When the socket was open and its session there: from then on the peer has time to join, and its stay is counted.
  var joinableSince: MonotonicTime
  /// When it asked to join; nobody waits to be caught up: distant future.
  var joinedAt = MonotonicTime.distantFuture
  var pausedUntil: MonotonicTime?
  var messageBegan: MonotonicTime?
  private var queued: UInt32 = 0
  /// Whose socket it was in which session, for the log.
  var session: SessionID?
  /// 0, which is given to nobody, until it has joined.
  var participant: ParticipantNumber = 0

  /// What waited in the kernel when it was looked at last: less of it now means that the peer took something.
  var queuedBytes: Int {
    get { Int(queued) }
    set { queued = UInt32(clamping: newValue) }
  }

  /// What was agreed on about compression.
  var deflate: DeflateParameters? { messages.deflate }

  init(
    _ connection: Connection, _ hooks: ReactorHooks, phase: Phase, subscriber: Subscriber,
    limits: MessageLimits, deflate: DeflateParameters?,
    now: MonotonicTime
  ) {
    if case .opened(let hosted) = phase { hosted.openedSockets += 1 }
    self.connection = connection
    self.hooks = hooks
    self.phase = phase
    self.subscriber = subscriber
    messages = MessageReader(role: .server, limits: limits, deflate: deflate)
    heardAt = now
    tookAt = now
    pingedAt = now
    joinableSince = now
  }

  /// The session that the socket is in or waits for.
  var hosted: Hosted? {
    switch phase {
    case .opened(let hosted), .waiting(let hosted), .joined(let hosted): hosted
    case .echo, .finding, .closing: nil
    }
  }

  /// The session whose member or waiting guest it is.
  var enteredSession: Session? {
    switch phase {
    case .waiting(let hosted), .joined(let hosted): hosted.session
    case .echo, .finding, .opened, .closing: nil
    }
  }

  /// The session, participant and address for the log.
  func subject(at address: IPAddress?) -> EventSubject {
    EventSubject(session: session, participant: participant, address: address)
  }

  /// Why it was closed, in a word.
  var closeReason: String {
    switch closedBy {
    case .nobody: "broken"
    case .peer: "closed"
    case .gateway: closeWord?.rawValue ?? "other"
    }
  }

  var isClosing: Bool {
    if case .closing = phase { true } else { false }
  }

  /// The bytes that it holds of messages and of output for this socket alone.
  var bufferedBytes: Int {
    assembly.count + messages.bufferedBytes + (unfinished?.bytes.count ?? 0)
      + max(0, subscriber.bufferedOutputBytes - Connection.freeBytes)
  }

  /// True while a completely received message waits for its next time slice.
  var hasUnfinishedMessage: Bool { isInflating || unfinished != nil }

  /// Nothing of what the peer says is looked at for now.
  var isHeld: Bool {
    if case .finding = phase { true } else { pausedUntil != nil || awaitsInflater }
  }
}

/// A complete binary message of which some entries were handled.
final class UnfinishedMessage {
  let bytes: [UInt8]
  /// The offset of the next entry.
  var offset: Int

  /// Creates the rest of a message, from an entry on.
  init(_ rest: [UInt8]) {
    bytes = rest
    offset = 0
  }
}
