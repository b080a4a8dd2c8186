internal import WebSocket
internal import Networking
internal import Platform
internal import Primitives
internal import SessionCore
internal import Wire

extension WebSocketConnection {
  /// The time between two pings, and the time without activity of the peer after which the socket is closed.
  private static let pingInterval = Duration.seconds(20)
  private static let silenceLimit = Duration.seconds(40)

  /// Checks the time limits of the socket, and pings its client.
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
    // Pongs are not read while the socket waits for the inflater.
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
    // When a segment is dropped, a slow subscriber has its own copy of a frame that was sent to it in part.
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
    enteredSession?.markPending(subscriber)
    flush()
  }

  /// The time since the last activity of the peer.
  private var silence: Duration { now - activeAt }

  /// Counts acknowledged output as activity. On a slow line a pong may be late, because the ping is behind unacknowledged output.
  private func checkUnacknowledgedBytes() {
    do throws(SystemError) {
      let bytes = try connection.socket.unacknowledgedBytes()
      if bytes < unacknowledgedBytes { activeAt = now }
      unacknowledgedBytes = bytes
    } catch {
      // If the kernel does not report the socket's queue, no activity is recorded.
      unacknowledgedBytes = 0
    }
  }
}
