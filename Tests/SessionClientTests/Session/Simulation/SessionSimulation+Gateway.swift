import SessionClient
import FoundationEssentials
import Platform
import WebSocket
import Wire

@testable import SessionCore

/// The simulated gateway around the session, with a disk that may lack the newest entries.
extension SessionSimulation {
  /// Receives the next message of a random client.
  ///
  /// - Returns: false if no client has sent a message.
  @discardableResult
  func receiveAtGateway() throws -> Bool {
    let busy = sockets.values.filter { !$0.uplink.isEmpty }.sorted {
      $0.subscriber.connection < $1.subscriber.connection
    }
    guard !busy.isEmpty else {
      noticeCuts()
      return false
    }
    let socket = busy[random.below(busy.count)]
    let message = socket.uplink.removeFirst()
    try receive(message, from: socket)
    guard let client = clients.first(where: { $0.socket === socket }), !socket.isDead else { return true }
    client.session.setPendingBytes(socket.waiting, now: now)
    try perform(client)
    return true
  }

  private func receive(_ message: SimulatedSocket.Uplink, from socket: SimulatedSocket) throws {
    guard !socket.isClosing else { return }
    var effects: [Effect] = []
    switch message {
    case .close:
      socket.isClosing = true
      session.disconnected(socket.subscriber, pageGone: false, now: now)
    case .entries(let bytes):
      try require(
        session.participant(of: socket.subscriber) != nil, "entries before `joined`")
      session.receive(bytes.span, from: socket.subscriber, now: now, effects: &effects)
    case .control(let control): effects = try receive(control, from: socket)
    }
    try perform(effects)
  }

  private func receive(_ control: ClientControl, from socket: SimulatedSocket) throws -> [Effect] {
    let bytes = control.encoded()
    let control = try ClientControl.decode(bytes.span)
    var effects: [Effect] = []
    switch control {
    case .join(let join):
      return session.join(socket.subscriber, join, identity: identity(), now: now)
    case .leave: return session.leave(socket.subscriber, now: now)
    case .profile(let profile):
      guard
        session.admitControl(socket.subscriber, size: bytes.count, now: now, effects: &effects)
      else { break }
      session.setProfile(profile.sanitised, of: socket.subscriber)
    case .activity(let change):
      guard
        session.admitControl(socket.subscriber, size: bytes.count, now: now, effects: &effects)
      else { break }
      let before = session.sequence
      session.setActivity(change, by: socket.subscriber, now: now)
      if session.sequence > before, let title = change.title { titles.append(title) }
    case .wait, .end: throw Violation("unexpected \(control)")
    }
    return effects
  }

  private func identity() -> NewIdentity {
    NewIdentity(
      id: EntryKey(high: random.next(), low: random.next()).uuid,
      token: Token(high: random.next(), low: random.next()), lot: random.next())
  }

  private func perform(_ effects: [Effect]) throws {
    for effect in effects {
      switch effect {
      case .close(let connection, let reason):
        guard let socket = sockets[connection] else { continue }
        try require([1000, 4009].contains(reason.code), "closed with \(reason)")
        socket.isClosing = true
        close(socket, reason)
      case .pauseReading: throw Violation("the session pauses a client")
      case .acknowledgedMoved(let number, let from, let to):
        try require(crashes > 0, "\(number) moved from \(from) to \(to)")
      case .joined, .refused, .gone: break
      }
    }
  }

  private func close(_ socket: SimulatedSocket, _ reason: CloseReason) {
    socket.subscriber.enqueue(
      .close, [UInt8(reason.code >> 8), UInt8(reason.code & 0xFF)] + reason.payloadReason())
    flush(socket)
  }

  private func noticeCuts() {
    for connection in sockets.keys.sorted() {
      guard let socket = sockets[connection], socket.isDropped || socket.isDead, socket.uplink.isEmpty else {
        continue
      }
      sockets[connection] = nil
      if !socket.isClosing { session.disconnected(socket.subscriber, pageGone: false, now: now) }
    }
  }

  func endTurn() throws {
    session.endTurn(now: now)
    try perform(session.takeEffects())
    let frames = session.unreliableFrames
    for socket in sockets.values.sorted(by: { $0.subscriber.connection < $1.subscriber.connection }) {
      flush(socket)
      guard !frames.isEmpty, !socket.isClosing else { continue }
      let count = session.isAtTail(socket.subscriber) ? socket.send(frames[...]) : 0
      guard count < frames.count else { continue }
      if count > 0 { session.setBlocked(true, socket.subscriber) }
      session.didSendUnreliable(count, socket.subscriber, now: now)
    }
    for (subscriber, frame, _) in session.targetedUnreliable() {
      guard let socket = sockets[subscriber.connection] else { continue }
      let count = socket.send(frame[...])
      if count > 0, count < frame.count { session.bufferRemainder(Array(frame[count...]), for: subscriber) }
      if count < frame.count { session.setBlocked(true, subscriber) }
    }
    _ = session.takeWaitersWithOutput()
  }

  /// Begins to write unsaved entries, or completes the write.
  func save(failing: Bool) throws {
    guard let unsaved = pendingSave else {
      pendingSave = session.takeUnsaved(upTo: random.chance(50) ? 1_000 : SessionRecord.runBytes)
      return
    }
    pendingSave = nil
    if failing {
      session.didNotSave(unsaved, isFull: false, now: now)
    } else {
      disk += unsaved.records
      session.didSave(unsaved, now: now)
    }
  }

  /// Stops or crashes the gateway, and restarts it.
  func restart(isClean: Bool) throws {
    for connection in sockets.keys.sorted() {
      guard let socket = sockets[connection] else { continue }
      if isClean, !socket.isClosing { close(socket, .restarting(retryAfterMs: 500)) }
      socket.uplink = []
      if !socket.isClosing { session.disconnected(socket.subscriber, pageGone: false, now: now) }
    }
    try endTurn()
    if isClean {
      for _ in 0..<10_000 where session.hasUnsaved || pendingSave != nil { try save(failing: false) }
      let date = Date(timeIntervalSince1970: 0)
      disk.append(session.closedRecord(generation: "g", now: now, date: date))
    } else if let torn = pendingSave?.records {
      disk += torn.prefix(random.below(torn.count + 1))
    }
    pendingSave = nil
    for client in clients {
      guard let socket = client.socket else { continue }
      if isClean { try read(client, all: true) }
      guard client.socket === socket else { continue }
      client.socket = nil
      client.session.closed(.broken("the gateway broke"), now: now)
      try perform(client)
    }
    sockets = [:]
    crashes += 1
    let committed = session.committed
    var restorer = SessionRestorer(
      id: session.id, limits: limits, digest: { TokenDigest(high: $0.high, low: $0.low) },
      now: now, date: Date(timeIntervalSince1970: 0))
    for record in disk { try restorer.apply(record.kind.rawValue, record.body.span) }
    let restored = try restorer.finish(generation: "g", freshEpoch: "e\(crashes)")
    try require(restored.isClean == isClean, "a clean end was not recognised")
    session = restored.takeSession()
    try require(session.sequence >= committed, "\(committed) is lost")
    disk += session.openingRecords()
    session.didSaveOpening()
    titles = titles.filter { isClean || $0 == session.activity.title }
  }
}
