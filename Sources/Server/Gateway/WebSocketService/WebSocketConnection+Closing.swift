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
    let wasClosing = isClosing
    if !wasClosing { leaveSession(pageGone: code == .goingAway) }
    let end = beginClosing()
    end.hasPeerClosed = true
    if !wasClosing {
      end.code = code?.rawValue ?? 1005
      end.closedBy = .peer
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
    let end = beginClosing()
    guard end.code == nil else { return }
    end.code = reason.code
    end.closedBy = .gateway
    end.error = ErrorCode(rawValue: reason.reasonCode)
    partial = .none
    var payload = [UInt8(reason.code >> 8), UInt8(truncatingIfNeeded: reason.code)]
    payload.append(contentsOf: reason.payloadReason())
    subscriber.enqueue(.close, payload)
    connection.deadline = now + Self.closeTime
    io.hastenCheck(of: connection)
    pausedUntil = .distantFuture
    flush()
  }

  /// Detaches the socket from its session, if it has one. `pageGone` is true if the peer closed the socket with code 1001.
  func leaveSession(pageGone: Bool) {
    guard let live else { return }
    if enteredSession != nil { live.session.disconnected(subscriber, pageGone: pageGone, now: now) }
    _ = beginClosing()
    // The session may have become idle. So a turn of the session is requested, after which its deadlines are computed again.
    service.broadcaster.touch(live)
  }

  /// Changes the phase to `closing`, unless it is `closing` already. Returns the data of this phase, which the log needs.
  func beginClosing() -> Unattached {
    switch phase {
    case .closing(let end): return end
    case .echo, .loading, .opened, .waiting, .joined:
      let end = Unattached(session: subject.session)
      phase = .closing(end)
      return end
    }
  }

  /// Logs the end of the connection, unless it is logged already.
  func logClose(end: @autoclosure () -> String) {
    let closing = beginClosing()
    guard !closing.isLogged else { return }
    closing.isLogged = true
    let reason =
      switch closing.closedBy {
      case .nobody: "broken"
      case .peer: "closed"
      case .gateway: closing.error?.rawValue ?? "other"
      }
    service.logger.log(
      .socketClosed(
        PeerEvent.SocketClose(
          subject: subject, code: closing.code ?? 1006, reason: reason, closedBy: closing.closedBy,
          end: end(),
          socket: connection.socket, duration: now - joinableSince)))
  }
}
