internal import FoundationEssentials
internal import SessionCore
internal import Transport
internal import WebSocket
internal import Wire

/// A connection that speaks WebSocket.
final class WebSocketConversation {
  enum Phase {
    /// Sends back what it gets.
    case echo
    /// Open, and nothing said yet.
    case opened(Hosted)
    case waiting(Hosted)
    case joined(Hosted)
    /// A close frame is sent or queued; its peer's is waited for.
    case closing
  }

  var phase: Phase
  /// What the socket is still to be sent.
  let reader: Reader
  var messages: MessageReader
  let deflate: DeflateParameters?
  /// A half-received message.
  var assembly: [UInt8] = []
  var messageBegan: MonotonicTime?
  /// What is counted of it in the gateway's bound on all half-received messages.
  var countedIncomplete = 0

  var heardAt: MonotonicTime
  /// When the peer last made room for what we send.
  var tookAt: MonotonicTime
  var pingedAt: MonotonicTime
  /// What waited in the kernel when it was looked at last: less of it now means that the peer took something.
  var queuedBytes = 0
  let openedAt: MonotonicTime
  var pausedUntil: MonotonicTime?
  /// Whose socket it was in which session, for the log.
  var session: SessionID?
  var participant: ParticipantNumber?
  /// The code that the socket is closed with, for the log.
  var closeCode: UInt16?
  var peerClosed = false
  /// Close the socket as soon as all is sent: the peer's close frame has come.
  var isFinished = false

  init(
    phase: Phase, reader: Reader, limits: MessageLimits, deflate: DeflateParameters?, now: MonotonicTime
  ) {
    self.phase = phase
    self.reader = reader
    self.deflate = deflate
    messages = MessageReader(role: .server, limits: limits, deflate: deflate)
    heardAt = now
    tookAt = now
    pingedAt = now
    openedAt = now
  }

  /// The session that the socket is in or waits for.
  var hosted: Hosted? {
    switch phase {
    case .opened(let hosted), .waiting(let hosted), .joined(let hosted): hosted
    case .echo, .closing: nil
    }
  }

  /// The session whose member or waiting guest it is.
  var enteredSession: Session? {
    switch phase {
    case .waiting(let hosted), .joined(let hosted): hosted.session
    case .echo, .opened, .closing: nil
    }
  }

  var isClosing: Bool {
    if case .closing = phase { true } else { false }
  }
}

/// A session and what the reactor notes about it.
final class Hosted {
  let session: Session
  /// Something was said in this turn.
  var isDirty = false
  /// What its last turn came to is being sent; until all have it, what arrives is collected for the next flush.
  var isFlushing = false
  var scheduledAt: Instant?
  /// When its turn was ended last, where a flush interval is set.
  var flushedAt: MonotonicTime?
  /// It has ended or expired: nothing of it counts any more.
  var isRemoved = false
  /// What of it is in the reactor's gauges.
  var countedParticipants = 0
  var countedLogBytes = 0
  /// Uploads under way, by their attachment.
  var uploads: [UUID: UploadSlot] = [:]
  /// Something of it may be on the disk.
  var hasFiles = false

  init(_ session: Session) {
    self.session = session
  }
}
