internal import WebSocket
internal import Networking
internal import Platform
internal import Primitives
internal import SessionCore
internal import Wire

extension WebSocketConnection {
  /// The time between two pings.
  private static let pingInterval = Duration.seconds(20)
  /// The time without activity of the peer after which the socket is closed.
  private static let silenceLimit = Duration.seconds(40)

  /// Checks the time limits of the socket, and sends a ping if one is due.
  func sweep() {
    if isClosing {
      if connection.deadline <= now { io.abort(connection, reason: "no answer to the close frame") }
      return
    }
    if case .opened = phase, now - joinableSince >= .seconds(service.limits.joinSeconds) {
      service.counters.values.refusals[.notJoined] += 1
      disconnect(.noJoin)
      return
    }
    // A socket that waits for the inflater is not read, so missing pongs do not count as silence.
    if awaitsInflater { activeAt = now }
    if silence >= Self.silenceLimit / 2 { checkUnacknowledgedBytes() }
    if silence >= Self.silenceLimit {
      service.counters.values.refusals[.noAnswer] += 1
      disconnect(.unresponsive)
      return
    }
    if let messageBegan, now - messageBegan >= .seconds(service.limits.messageSeconds) {
      var reason = CloseReason.badEntry
      reason.reasonCode = ErrorCode.badRequest.rawValue
      reason.detail = "A message did not arrive within \(service.limits.messageSeconds) s."
      disconnect(reason)
      return
    }
    // The number of buffered bytes may have grown since the last check: when a segment of the log is dropped, a subscriber gets
    // its own copy of the rest of a frame that was sent in part.
    if subscriber.hasBufferedOutput, !io.updateBufferedBytes(of: connection) {
      disconnect(.tryAgainLater(.tooMany, retryAfterMs: 5000))
      return
    }
    if let until = pausedUntil, until <= now {
      pausedUntil = nil
      io.resumeReading(connection)
    }
    guard now - pingedAt >= Self.pingInterval else { return }
    pingedAt = now
    guard !subscriber.isOutboxFull else { return }
    subscriber.enqueue(.ping, [])
    enteredSession?.session.markPending(subscriber)
    flush()
  }

  /// The time since the last activity of the peer.
  private var silence: Duration { now - activeAt }

  /// Counts acknowledged output as activity of the peer. On a slow line, a pong may be late because other output is transmitted
  /// before the ping.
  private func checkUnacknowledgedBytes() {
    do throws(SystemError) {
      let bytes = try connection.socket.unacknowledgedBytes()
      if bytes < unacknowledgedBytes { activeAt = now }
      unacknowledgedBytes = bytes
    } catch {
      // The kernel does not report the length of the socket's send buffer, so no activity is recorded.
      unacknowledgedBytes = 0
    }
  }
}
