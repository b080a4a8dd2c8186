internal import Primitives
internal import SessionCore
internal import Platform
internal import WebSocket
internal import Wire

extension WebSocketConnection {
  /// The time within which the peer must answer a close frame.
  private static let closeTime = Duration.seconds(3)

  /// Fails the connection, because the peer violated the protocol (RFC 6455 §7.1.7).
  func fail(_ error: ProtocolError) {
    guard !isClosing else {
      isFinished = true
      return
    }
    var reason = CloseReason.protocolError
    reason.code = error.closeCode.rawValue
    reason.detail = error.reason
    if error.closeCode == .messageTooBig { reason.reasonCode = ErrorCode.messageTooLarge.rawValue }
    disconnect(reason)
    // The gateway does not wait for the peer's close frame, because a peer that violates the protocol may not send one.
    isFinished = true
  }

  /// Handles the peer's close frame: answers it if necessary, and closes the socket after the output is written.
  func peerClosed(_ code: CloseCode?) {
    hasPeerClosed = true
    if !isClosing {
      leaveSession(pageGone: code == .goingAway)
      phase = .closing
      closeCode = code?.rawValue ?? 1005
      closedBy = .peer
      var payload: [UInt8] = []
      if let code { payload = ClosePayload(code: code).bytes }
      subscriber.enqueue(.close, payload)
      connection.deadline = now + Self.closeTime
      io.hastenCheck(of: connection)
    }
    isFinished = true
  }

  /// Closes the socket, but the participant does not leave: the client may reconnect within the grace time.
  func disconnect(_ reason: CloseReason) {
    leaveSession(pageGone: false)
    close(reason)
  }

  /// Sends a close frame, and waits for the peer's close frame.
  func close(_ reason: CloseReason) {
    guard closeCode == nil else { return }
    phase = .closing
    closeCode = reason.code
    closedBy = .gateway
    closeError = ErrorCode(rawValue: reason.reasonCode)
    fragments = []
    var payload = [UInt8(reason.code >> 8), UInt8(truncatingIfNeeded: reason.code)]
    payload.append(contentsOf: reason.payloadReason())
    subscriber.enqueue(.close, payload)
    connection.deadline = now + Self.closeTime
    io.hastenCheck(of: connection)
    pausedUntil = nil
    flush()
  }

  /// Detaches the socket from its session, if it has one. `pageGone` is true if the peer closed the socket with code 1001.
  func leaveSession(pageGone: Bool) {
    guard let live else { return }
    if enteredSession != nil { live.session.disconnected(subscriber, pageGone: pageGone, now: now) }
    phase = .closing
    // The session may have become idle. So a turn of the session is requested, after which its deadlines are computed again.
    service.broadcaster.touch(live)
  }

  /// Logs the end of the connection, unless it is logged already.
  func logClose(end: @autoclosure () -> String) {
    guard !isCloseLogged else { return }
    isCloseLogged = true
    let reason =
      switch closedBy {
      case .nobody: "broken"
      case .peer: "closed"
      case .gateway: closeError?.rawValue ?? "other"
      }
    service.logger.log(
      .socketClosed(
        PeerEvent.SocketClose(
          subject: subject, code: closeCode ?? 1006, reason: reason, closedBy: closedBy, end: end(),
          socket: connection.socket, duration: now - joinableSince)))
  }
}
