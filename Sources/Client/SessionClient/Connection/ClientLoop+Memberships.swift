internal import Primitives
internal import Platform
internal import WebSocket
internal import Wire

/// Commands of memberships, and the effects of their sessions.
extension ClientLoop {
  /// The maximum number of send rounds for one membership in one turn of the event loop. Each round sends about 256 KiB.
  private static let sendsPerTurn = 4

  /// Executes the queued commands of a membership, in order.
  func executeCommands(of membership: ActiveMembership) {
    for command in membership.configuration.queue.takeCommands() {
      switch command {
      case .waitToJoin: membership.session.waitToJoin(now: now)
      case .join(let profile): membership.session.join(as: profile, now: now)
      case .leave: membership.session.leave(now: now)
      case .end: membership.session.end(now: now)
      case .send(let entry): membership.session.enqueue(entry, now: now)
      case .change(let change): membership.session.change(change, now: now)
      case .changeProfile(let profile): membership.session.change(profile, now: now)
      case .setReading(let isReading): membership.session.setReading(isReading, now: now)
      case .mark(let number): membership.session.mark(number, now: now)
      }
    }
    perform(membership)
  }

  /// Performs a session's effects, sends the resulting bytes, and continues while the socket accepts more.
  func perform(_ membership: ActiveMembership) {
    for _ in 0..<Self.sendsPerTurn {
      performEffects(of: membership)
      guard let connection = membership.connection, case .webSocket = connection.phase else { return }
      guard send(connection), membership.connection === connection else { return }
      // The number of pending bytes has not decreased if the socket accepted no bytes, or if there were no bytes to send.
      guard connection.pendingBytes < connection.reportedPendingBytes else { return }
      connection.reportedPendingBytes = connection.pendingBytes
      membership.session.setPendingBytes(connection.pendingBytes, now: now)
    }
    if !sendQueue.contains(where: { $0 === membership }) { sendQueue.append(membership) }
  }

  /// Continues with the memberships that had more to send than one turn allows.
  func drainSendQueue() {
    guard !sendQueue.isEmpty else { return }
    let waiting = sendQueue
    sendQueue = []
    for membership in waiting { perform(membership) }
  }

  private func performEffects(of membership: ActiveMembership) {
    while true {
      let effects = membership.session.takeEffects()
      if effects.isEmpty { break }
      for effect in effects { perform(effect, for: membership) }
    }
    let released = membership.session.releasedBytes
    if released != membership.releasedBytes {
      membership.releasedBytes = released
      membership.configuration.queue.released(released)
    }
    updateReading(of: membership)
  }

  private func perform(_ effect: ClientEffect, for membership: ActiveMembership) {
    let queue = membership.configuration.queue
    switch effect {
    case .open(let delay):
      dropConnection(of: membership)
      // The connection is not opened here, even if the delay is zero, because its events must come after the remaining effects.
      membership.openAt = now + delay
    case .sendControl(let control):
      membership.connection?.sendMessage(.text, control.encoded())
    case .sendEntries(let message):
      membership.connection?.sendMessage(.binary, message)
    case .close(let code):
      close(membership, code: code)
    case .notify(let event):
      // The queue is updated before the observer is called.
      if case .joined(let joined) = event { queue.joined(joined, now: now) }
      if case .ended(let reason) = event { queue.ended(reason) }
      membership.configuration.observer(event)
    case .reached(let mark):
      queue.reached(mark: mark)
    case .finished:
      // A pending `leave` message is still sent before the close frame.
      close(membership, code: 1000)
      membership.openAt = nil
      memberships[ObjectIdentifier(queue)] = nil
      queue.finished()
    }
  }

  /// Pauses or resumes reading, as the session requests.
  private func updateReading(of membership: ActiveMembership) {
    let isReading = membership.session.wantsReading
    guard membership.isReading != isReading else { return }
    membership.isReading = isReading
    guard let connection = membership.connection else { return }
    connection.nextKeepaliveAt = isReading ? nil : now + connection.times.keepalive
    // The event loop reports no new event for bytes that arrived while reading was paused, so the connection is read in this
    // turn.
    if isReading { readQueue.append(connection) }
  }
}
