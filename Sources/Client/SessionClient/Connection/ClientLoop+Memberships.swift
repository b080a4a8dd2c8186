internal import Primitives
internal import Platform
internal import WebSocket
internal import Wire

/// What sessions are asked for, and what they want done.
extension ClientLoop {
  /// How often a session may be asked for more to send in one turn: each time it gives some 256 KiB.
  private static let sendsPerTurn = 4

  /// Does what the threads of the program asked for, in the order in which they did.
  func takeCommands(of membership: ActiveMembership) {
    for command in membership.configuration.queue.takeCommands() {
      switch command {
      case .waitToJoin: membership.session.waitToJoin(now: now)
      case .join(let profile): membership.session.join(as: profile, now: now)
      case .leave: membership.session.leave(now: now)
      case .end: membership.session.end(now: now)
      case .send(let entry): membership.session.enqueue(entry, now: now)
      case .change(let change): membership.session.change(change, now: now)
      case .changeProfile(let profile): membership.session.change(profile, now: now)
      case .setReading(let isReading): membership.session.reading(isReading, now: now)
      case .mark(let number): membership.session.mark(number, now: now)
      }
    }
    perform(membership)
  }

  /// Does what a session wants done, sends what came of it, and asks for more while the socket takes it.
  func perform(_ membership: ActiveMembership) {
    for _ in 0..<Self.sendsPerTurn {
      performEffects(of: membership)
      guard let connection = membership.connection, case .webSocket = connection.phase else { return }
      guard send(connection), membership.connection === connection else { return }
      // What waits is as much as it was, or nothing was said.
      guard connection.pendingBytes < connection.reportedPendingBytes else { return }
      connection.reportedPendingBytes = connection.pendingBytes
      membership.session.canSend(waiting: connection.pendingBytes, now: now)
    }
    if !sendQueue.contains(where: { $0 === membership }) { sendQueue.append(membership) }
  }

  /// Goes on with those that had more to send than their share.
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
      // Never from here, however soon: what comes of it may be told only behind what is still to be told.
      membership.openAt = now + delay
    case .sendControl(let control):
      membership.connection?.sendMessage(.text, control.encoded())
    case .sendEntries(let message):
      membership.connection?.sendMessage(.binary, message)
    case .close(let code):
      close(membership, code: code)
    case .tell(let notice):
      // The desk knows before the program is told.
      if case .joined(let joined) = notice { queue.joined(joined, now: now) }
      if case .ended(let reason) = notice { queue.ended(reason) }
      membership.configuration.observer(notice)
    case .reached(let mark):
      queue.reached(mark: mark)
    case .finished:
      // What was said last, a leave, still goes out.
      close(membership, code: 1000)
      membership.openAt = nil
      sessions[ObjectIdentifier(queue)] = nil
      queue.finished()
    }
  }

  /// Stops to read, or goes on, as the session wants it now.
  private func updateReading(of membership: ActiveMembership) {
    let isReading = membership.session.wantsReading
    guard membership.isReading != isReading else { return }
    membership.isReading = isReading
    guard let connection = membership.connection else { return }
    connection.nextKeepaliveAt = isReading ? nil : now + connection.times.keepalive
    // What came meanwhile is told by no event.
    if isReading { readQueue.append(connection) }
  }
}
