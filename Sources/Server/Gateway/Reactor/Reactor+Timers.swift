internal import Networking
internal import Primitives
internal import HTTP
internal import SessionCore
internal import Platform
internal import WebSocket
internal import Wire

/// What did not happen in time.
extension Reactor {
  /// How often a peer is asked for a sign of life, and how long it may give none.
  private static let pingInterval = Duration.seconds(20)
  private static let silenceLimit = Duration.seconds(40)
  func sweepIfDue() {
    acceptor.acceptWaiting()
    continueDraining()
    sweepSessions()
    if draining == nil { certificateSchedule?.checkIfDue() }
    watchDisk()
    guard sweepAt <= now else { return }
    sweepAt = now + Self.sweepInterval
    io.sweep()
    for hosted in sessions.values { sweep(hosted) }
    logger.reportOmittedLines()
    if number == 0 { dataRefusalLog.update(shared.dataRefusal(now: now)) }
  }

  /// A session that was quiet since the last sweep needs no room for turns.
  private func sweep(_ hosted: Hosted) {
    if hosted.session.dataRefusal != nil { persister.reportBytes(of: hosted.stored) }
    guard !hosted.isFlushing else { return }
    let flush = hosted.session.flushNumber
    if hosted.sweptFlush != flush {
      hosted.sweptFlush = flush
      hosted.hasRoom = true
    } else if hosted.hasRoom {
      hosted.session.releaseRoom()
      hosted.hasRoom = false
    }
  }

  func sweep(_ connection: Connection, _ http: HTTPConversation) {
    if connection.isWriteBlocked { http.transfer?.releaseReadAhead() }
    if connection.deadline <= now { expired(connection, http) }
  }

  private func expired(_ connection: Connection, _ http: HTTPConversation) {
    let isWaitingForRequest = http.reader.isBetweenRequests && http.exchange == nil
    let isHandshaking = connection.tls.map { !$0.isHandshakeComplete } ?? false
    guard !isWaitingForRequest, !http.isBusy, !isHandshaking else {
      if isHandshaking { counters.values.handshakesFailed += 1 }
      close(connection, reason: isHandshaking ? "no TLS handshake in time" : "nothing happened for too long")
      return
    }
    let seconds = http.reader.isInHead ? shared.limits.headSeconds : shared.limits.bodyStallSeconds
    var refusal = Refusal(
      .badRequest,
      http.reader.isInHead
        ? "The request's head did not arrive within \(seconds) s."
        : "Nothing of the request's body arrived for \(seconds) s.", limit: seconds)
    refusal.status = 408
    http.upload?.cutCause = .stalled
    http.closesAfterOutput = true
    send(.problem(refusal), on: connection, http, for: http.exchange?.head)
  }

  func sweep(_ connection: Connection, _ conversation: WebSocketConversation) {
    if conversation.isClosing {
      if connection.deadline <= now { lost(connection, reason: "no answer to the close frame") }
      return
    }
    if case .opened = conversation.phase,
      now - conversation.joinableSince >= .seconds(shared.limits.joinSeconds)
    {
      counters.values.refusals[.notJoined] += 1
      disconnect(connection, conversation, .noJoin)
      return
    }
    // Its pongs are not read while it waits for the inflater.
    if conversation.awaitsInflater { conversation.heardAt = now }
    if now - max(conversation.heardAt, conversation.tookAt) >= Self.silenceLimit / 2 {
      noteTaking(connection, conversation)
    }
    if now - max(conversation.heardAt, conversation.tookAt) >= Self.silenceLimit {
      counters.values.refusals[.noAnswer] += 1
      disconnect(connection, conversation, .unresponsive)
      return
    }
    if let began = conversation.messageBegan, now - began >= .seconds(shared.limits.messageSeconds) {
      var reason = CloseReason.badEntry
      reason.reasonCode = ErrorCode.badRequest.rawValue
      reason.detail = "A message did not arrive within \(shared.limits.messageSeconds) s."
      disconnect(connection, conversation, reason)
      return
    }
    // When a segment is dropped, a slow subscriber keeps its own copy of a frame that was sent to it in part.
    if conversation.subscriber.hasBufferedOutput, !countHeld(by: connection) {
      disconnect(connection, conversation, .tryAgainLater(.tooMany, retryAfterMs: 5000))
      return
    }
    if let until = conversation.pausedUntil, until <= now {
      conversation.pausedUntil = nil
      resumeReading(connection)
    }
    guard now - conversation.pingedAt >= Self.pingInterval else { return }
    conversation.pingedAt = now
    guard !conversation.subscriber.isOutboxFull else { return }
    conversation.subscriber.enqueue(.ping, [])
    conversation.enteredSession?.markPending(conversation.subscriber)
    flush(connection, conversation)
  }

  /// A peer on a slow line says nothing for long, its pong being behind what it still has to take.
  private func noteTaking(_ connection: Connection, _ conversation: WebSocketConversation) {
    do throws(SystemError) {
      let queued = try connection.socket.unacknowledgedBytes()
      if queued < conversation.queuedBytes { conversation.tookAt = now }
      conversation.queuedBytes = queued
    } catch {
      // A socket that cannot be asked gives no sign of life.
      conversation.queuedBytes = 0
    }
  }
}
