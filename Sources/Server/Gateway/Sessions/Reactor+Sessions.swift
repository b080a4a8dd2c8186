internal import SessionCore
internal import Platform
internal import Primitives
internal import Wire

/// Sessions of this reactor: their turns, their times, and what they ask for.
extension Reactor {
  /// Something was said to a session: its turn is ended when the loop's is.
  func touch(_ hosted: Hosted) {
    guard !hosted.isDirty else { return }
    hosted.isDirty = true
    dirty.append(hosted)
  }

  /// Has the turn of a session ended that a task has changed, unless the session was removed meanwhile.
  func touchSoon(_ hosted: Hosted) {
    guard !hosted.isRemoved else { return }
    touch(hosted)
  }

  /// Does what a session asks for, in its order.
  func perform(_ effects: [Effect], in hosted: Hosted) {
    for effect in effects {
      switch effect {
      case .close(let token, let reason):
        guard let (connection, conversation) = webSocket(token) else { continue }
        if let code = ErrorCode(rawValue: reason.reasonCode), reason.code == 4005 || reason.code == 4029 {
          counters.values.refusals[code] += 1
        }
        close(connection, conversation, reason)
      case .pauseReading(let token, let until):
        guard let (connection, conversation) = webSocket(token) else { continue }
        conversation.pausedUntil = until
        connection.isReadingPaused = true
      case .joined(let token, let number, let kind):
        webSocket(token)?.1.participant = number
        counters.values.arrivals[kind] += 1
      case .gone(let number):
        logger.log(
          .left(EventSubject(session: hosted.session.id, participant: number), reason: "gone"))
      case .acknowledgedMoved(let number, let from, let to):
        logger.log(
          .clientAhead(
            EventSubject(session: hosted.session.id, participant: number), from: from, to: to))
      case .refused(let token, let code):
        let socket = webSocket(token)
        logger.log(
          .refused(
            .entry, code, socket?.1.subject(at: socket?.0.clientAddress) ?? EventSubject()))
      }
    }
  }

  func webSocket(_ token: UInt64) -> (Connection, WebSocketConversation)? {
    guard let connection = connections[token: token],
      let conversation = connection.handler as? WebSocketConversation
    else { return nil }
    return (connection, conversation)
  }

  /// Sessions whose time has come.
  func passDeadlines() {
    while let due = deadlines.earliest, due <= now, let id = deadlines.popDue(at: now) {
      guard let hosted = sessions[id] else {
        forgetIfIdle(id)
        continue
      }
      if hosted.scheduledAt.map({ $0 <= now }) ?? false { hosted.scheduledAt = nil }
      // Grace times continue in the next process: no record may follow the last ones.
      if draining?.finishesBy != nil { continue }
      hosted.session.tick(now: now)
      uploads.removeExpired(of: hosted)
      if let expiry = expiryDeadline(of: hosted), expiry <= now {
        expire(hosted)
        continue
      }
      putAwayIfIdle(hosted)
      touch(hosted)
    }
  }

  /// Has a session looked at when it wants to be.
  func schedule(_ hosted: Hosted) {
    guard !hosted.isRemoved else { return }
    var next = hosted.session.nextDeadline
    let presenceDue = hosted.presence.due
    for time in [expiryDeadline(of: hosted), idleDeadline(of: hosted), presenceDue] {
      if let time { next = min(next ?? time, time) }
    }
    guard let next, hosted.scheduledAt.map({ next < $0 }) ?? true else { return }
    hosted.scheduledAt = next
    deadlines.insert(hosted.session.id, at: next)
  }

  /// So long the ends of sessions' turns may take in one of the loop's.
  private static let endingTime = Duration.milliseconds(8)

  /// Ends the turn of every session that was spoken to, and begins to send what came of it.
  func endSessionTurns() {
    releaseHeld()
    let sessions = dirty
    dirty = []
    let began = sessions.count > 1 ? MonotonicTime.now() : now
    for (index, hosted) in sessions.enumerated() {
      guard index == 0 || MonotonicTime.now() - began <= Self.endingTime else {
        // A first joiner may have megabytes brought together: the others' turn comes with the loop's next.
        dirty = sessions[index...] + dirty
        return
      }
      // While a flush goes on, what arrives is collected for the next one.
      guard !hosted.isFlushing else {
        dirty.append(hosted)
        continue
      }
      if holdsBack(hosted) { continue }
      hosted.isDirty = false
      hosted.session.endTurn(now: now)
      if case .entries = hosted.session.turnContent { hosted.flushedFrom = hosted.saidAt }
      hosted.saidAt = .distantFuture
      hosted.tellsSettled = hosted.presence.tells(hosted.session.turnContent, now: now)
      persister.storeSoon(hosted.stored)
      schedule(hosted)
      hosted.isFlushing = true
      flushing.append(hosted)
      perform(hosted.session.takeEffects(), in: hosted)
      for subscriber in hosted.session.takeWaitersWithOutput() {
        if let (connection, conversation) = webSocket(subscriber.connection) {
          flush(connection, conversation)
        }
      }
    }
  }
}
