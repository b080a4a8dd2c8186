internal import Primitives
internal import Platform
internal import WebSocket
internal import Wire

/// What sessions are asked for, and what they want done.
extension ClientLoop {
  /// How often a session may be asked for more to send in one turn: each time it gives some 256 KiB.
  private static let sendsPerTurn = 4

  /// Does what the threads of the program asked for, in the order in which they did.
  func takeOrders(of linked: LinkedSession) {
    for order in linked.place.desk.takeOrders() {
      switch order {
      case .waitToJoin: linked.session.waitToJoin(now: now)
      case .join(let profile): linked.session.join(as: profile, now: now)
      case .leave: linked.session.leave(now: now)
      case .end: linked.session.end(now: now)
      case .send(let entry): linked.session.enqueue(entry, now: now)
      case .change(let change): linked.session.change(change, now: now)
      case .changeProfile(let profile): linked.session.change(profile, now: now)
      case .setReading(let isReading): linked.session.reading(isReading, now: now)
      case .mark(let number): linked.session.mark(number, now: now)
      }
    }
    perform(linked)
  }

  /// Does what a session wants done, sends what came of it, and asks for more while the socket takes it.
  func perform(_ linked: LinkedSession) {
    for _ in 0..<Self.sendsPerTurn {
      performEffects(of: linked)
      guard let connection = linked.connection, case .talking = connection.phase else { return }
      guard send(connection), linked.connection === connection else { return }
      // What waits is as much as it was, or nothing was said.
      guard connection.waitingBytes < connection.toldBytes else { return }
      connection.toldBytes = connection.waitingBytes
      linked.session.canSend(waiting: connection.waitingBytes, now: now)
    }
    if !unsent.contains(where: { $0 === linked }) { unsent.append(linked) }
  }

  /// Goes on with those that had more to send than their share.
  func sendOn() {
    guard !unsent.isEmpty else { return }
    let waiting = unsent
    unsent = []
    for linked in waiting { perform(linked) }
  }

  private func performEffects(of linked: LinkedSession) {
    while true {
      let effects = linked.session.takeEffects()
      if effects.isEmpty { break }
      for effect in effects { perform(effect, for: linked) }
    }
    let released = linked.session.releasedBytes
    if released != linked.releasedBytes {
      linked.releasedBytes = released
      linked.place.desk.released(released)
    }
    noteReading(of: linked)
  }

  private func perform(_ effect: ClientEffect, for linked: LinkedSession) {
    let desk = linked.place.desk
    switch effect {
    case .open(let delay):
      letGo(of: linked)
      // Never from here, however soon: what comes of it may be told only behind what is still to be told.
      linked.openAt = now + delay
    case .sendControl(let control):
      linked.connection?.say(.text, control.encoded())
    case .sendEntries(let message):
      linked.connection?.say(.binary, message)
    case .close(let code):
      close(linked, code: code)
    case .tell(let notice):
      // The desk knows before the program is told.
      if case .joined(let joined) = notice { desk.joined(joined, now: now) }
      if case .ended(let reason) = notice { desk.ended(reason) }
      linked.place.observer(notice)
    case .reached(let mark):
      desk.reached(mark: mark)
    case .finished:
      // What was said last, a leave, still goes out.
      close(linked, code: 1000)
      linked.openAt = nil
      sessions[ObjectIdentifier(desk)] = nil
      desk.finished()
    }
  }

  /// Stops to read, or goes on, as the session wants it now.
  private func noteReading(of linked: LinkedSession) {
    let isReading = linked.session.wantsReading
    guard linked.isReading != isReading else { return }
    linked.isReading = isReading
    guard let connection = linked.connection else { return }
    connection.signOfLifeAt = isReading ? nil : now + connection.times.signOfLife
    // What came meanwhile is told by no event.
    if isReading { unread.append(connection) }
  }
}
