internal import Primitives
internal import SessionCore
internal import Platform
internal import WebSocket
internal import Wire

/// How sockets come to their end, and how those on them leave their session by it.
extension Reactor {
  /// How long the peer has to answer a close frame.
  private static let closeTime = Duration.seconds(3)

  /// The peer broke a rule of the protocol: the connection fails (RFC 6455 §7.1.7).
  func fail(
    _ connection: Connection, _ conversation: WebSocketConversation, _ error: ProtocolError
  ) {
    guard !conversation.isClosing else {
      conversation.isFinished = true
      return
    }
    var reason = CloseReason.protocolError
    reason.code = error.closeCode.rawValue
    reason.detail = error.reason
    if error.closeCode == .messageTooBig { reason.reasonCode = ErrorCode.messageTooLarge.rawValue }
    disconnect(connection, conversation, reason)
    // A peer that breaks the protocol cannot be trusted to answer a close frame.
    conversation.isFinished = true
  }

  /// The peer says that it is done: it is answered, and the socket closed.
  func peerClosed(
    _ connection: Connection, _ conversation: WebSocketConversation, _ code: CloseCode?
  ) {
    conversation.peerClosed = true
    if !conversation.isClosing {
      depart(connection, conversation, pageGone: code == .goingAway)
      conversation.phase = .closing
      conversation.closeCode = code?.rawValue ?? 1005
      conversation.closedBy = .peer
      var payload: [UInt8] = []
      if let code { payload = ClosePayload(code: code).bytes }
      conversation.subscriber.enqueue(.close, payload)
      connection.deadline = now + Self.closeTime
    }
    conversation.isFinished = true
  }

  /// Closes a socket for a fault of its own: it has not left its session, the grace time runs.
  func disconnect(
    _ connection: Connection, _ conversation: WebSocketConversation, _ reason: CloseReason
  ) {
    depart(connection, conversation, pageGone: false)
    close(connection, conversation, reason)
  }

  /// Sends a close frame, and waits for the peer's.
  func close(_ connection: Connection, _ conversation: WebSocketConversation, _ reason: CloseReason) {
    guard conversation.closeCode == nil else { return }
    conversation.phase = .closing
    conversation.closeCode = reason.code
    conversation.closedBy = .gateway
    conversation.closeWord = ErrorCode(rawValue: reason.reasonCode)
    conversation.assembly = []
    var payload = [UInt8(reason.code >> 8), UInt8(truncatingIfNeeded: reason.code)]
    payload.append(contentsOf: reason.payloadReason())
    conversation.subscriber.enqueue(.close, payload)
    connection.deadline = now + Self.closeTime
    conversation.pausedUntil = nil
    flush(connection, conversation)
  }

  /// Takes a socket out of its session, if it is in one.
  func depart(_ connection: Connection, _ conversation: WebSocketConversation, pageGone: Bool) {
    guard let hosted = conversation.hosted else { return }
    if conversation.enteredSession != nil {
      hosted.session.disconnected(conversation.subscriber, pageGone: pageGone, now: now)
    }
    conversation.phase = .closing
    // Nobody may be left who needs the session in memory.
    touch(hosted)
  }

  /// Logs the end of a WebSocket, once.
  func logClose(
    _ connection: Connection, _ conversation: WebSocketConversation, end: @autoclosure () -> String
  ) {
    guard !conversation.isCloseLogged else { return }
    conversation.isCloseLogged = true
    logger.log(
      .socketClosed(
        PeerEvent.SocketClose(
          subject: conversation.subject(at: connection.clientAddress), code: conversation.closeCode ?? 1006,
          reason: conversation.closeReason, closedBy: conversation.closedBy, end: end(),
          socket: connection.socket, duration: now - conversation.joinableSince)))
  }
}
