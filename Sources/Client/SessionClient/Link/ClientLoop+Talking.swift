internal import Primitives
internal import Networking
internal import Platform

/// What is read and written, and how connections end.
extension ClientLoop {
  /// How much of one connection is read in a turn, before others have theirs.
  private static let readLimit = 262_144
  /// From how many waiting bytes on pings go unanswered: whoever pings has to read too.
  private static let pongLimit = 65_536

  // MARK: - Writing

  /// Gives the socket what there is to be said; false when the connection broke, which its session was told.
  func send(_ connection: GatewayConnection) -> Bool {
    switch connection.phase {
    case .talking, .lingering:
      let answersPings = connection.waitingBytes < Self.pongLimit
      connection.append(connection.conversation.takeOutgoing(answersPings: answersPings))
    case .lookingUp, .connecting, .securing, .closed:
      break
    }
    do throws(SystemError) {
      try connection.flush()
      return true
    } catch {
      fail(connection, .broken("The connection broke: \(error)"))
      return false
    }
  }

  /// There is room in the socket, or it has come about, or failed.
  func becameWritable(_ connection: GatewayConnection) {
    if case .connecting(let others, let tls) = connection.phase {
      hasConnected(connection, others: others, tls: tls)
    } else if send(connection), let owner = connection.owner {
      perform(owner)
    }
  }

  // MARK: - Reading

  /// Goes on with those that had more to be read than their share.
  func readOn() {
    guard !unread.isEmpty else { return }
    let waiting = unread
    unread = []
    for connection in waiting { read(connection) }
  }

  /// Takes what the socket has, up to a share of the turn.
  func read(_ connection: GatewayConnection) {
    var left = Self.readLimit
    while let socket = connection.socket, connection.isRead {
      guard left > 0 else {
        unread.append(connection)
        return
      }
      switch socket.receive(into: &buffer) {
      case .received(let count):
        left -= count
        take(count, from: connection)
      case .wouldBlock:
        return
      case .endOfStream:
        streamEnded(connection, because: nil)
      case .failed(let error):
        streamEnded(connection, because: error)
      }
    }
  }

  /// Takes the first bytes of the buffer.
  private func take(_ count: Int, from connection: GatewayConnection) {
    connection.owner?.session.heard(now: now)
    if let tls = connection.tls {
      let received = buffer
      plaintext.removeAll(keepingCapacity: true)
      advance(connection, tls, received.span.extracting(first: count))
      converse(connection, in: &plaintext, upTo: plaintext.count)
    } else {
      converse(connection, in: &buffer, upTo: count)
    }
    // Pongs, and the answer to a close frame.
    if connection.conversation.hasOutgoing { sendOrFail(connection) }
    if connection.hasPeerClosed, connection.isTalking { streamEnded(connection, because: nil) }
  }

  private func converse(_ connection: GatewayConnection, in bytes: inout [UInt8], upTo end: Int) {
    var position = 0
    while connection.isTalking,
      let event = connection.conversation.next(in: &bytes, at: &position, upTo: end, inflater: inflater)
    {
      handle(event, of: connection)
    }
  }

  private func handle(_ event: GatewayConversation.Event, of connection: GatewayConnection) {
    guard let owner = connection.owner else { return }
    switch event {
    case .opened:
      connection.deadline = nil
      owner.session.opened(now: now)
    case .text(let message):
      owner.session.received(text: message.span, now: now)
    case .entries(let message):
      owner.session.received(entries: message.span, now: now)
    case .ended(let end):
      return ended(connection, end)
    }
    perform(owner)
  }

  private func streamEnded(_ connection: GatewayConnection, because error: SystemError?) {
    guard case .ended(let end)? = connection.conversation.finish() else { return drop(connection) }
    if let error, case .broken = end {
      fail(connection, .broken("The connection broke: \(error)"))
    } else {
      fail(connection, end)
    }
  }

  // MARK: - The end

  /// The conversation is over; what is left of it, a close frame, still goes out.
  private func ended(_ connection: GatewayConnection, _ end: SocketEnd) {
    guard connection.conversation.hasOutgoing else { return fail(connection, end) }
    let owner = connection.owner
    detach(connection)
    linger(connection)
    owner?.session.closed(end, now: now)
    if let owner { perform(owner) }
  }

  /// The connection is of no use any more.
  func fail(_ connection: GatewayConnection, _ end: SocketEnd) {
    let owner = connection.owner
    detach(connection)
    drop(connection)
    owner?.session.closed(end, now: now)
    if let owner { perform(owner) }
  }

  /// Closes the connection of a session with a close frame.
  func close(_ linked: LinkedSession, code: UInt16) {
    guard let connection = linked.connection else { return }
    detach(connection)
    guard connection.conversation.isOpen else { return drop(connection) }
    connection.conversation.close(code: code)
    linger(connection)
  }

  /// Drops the connection of a session, if there is one.
  func letGo(of linked: LinkedSession) {
    guard let connection = linked.connection else { return }
    detach(connection)
    drop(connection)
  }

  private func detach(_ connection: GatewayConnection) {
    connection.owner?.connection = nil
    connection.owner = nil
    connection.signOfLifeAt = nil
  }

  private func linger(_ connection: GatewayConnection) {
    connection.phase = .lingering
    connection.deadline = now + connection.times.lingering
    guard send(connection) else { return }
    if connection.conversation.hasEnded {
      connection.appendCloseNotify()
      guard send(connection) else { return }
    }
    // It may have been stopped to be read; its end is still to be seen.
    unread.append(connection)
  }

  private func drop(_ connection: GatewayConnection) {
    connection.appendCloseNotify()
    // Best effort: who is gone needs none.
    try? connection.flush()
    connections[connection.token] = nil
    connection.deadline = nil
    connection.signOfLifeAt = nil
    connection.close()
  }

  // MARK: - Deadlines

  /// Does what is due at a connection.
  func passDeadlines(of connection: GatewayConnection) {
    if let signOfLifeAt = connection.signOfLifeAt, signOfLifeAt <= now {
      connection.signOfLifeAt = now + connection.times.signOfLife
      connection.conversation.sendSignOfLife()
      guard send(connection) else { return }
    }
    guard let deadline = connection.deadline, deadline <= now else { return }
    switch connection.phase {
    case .lookingUp:
      let name = connection.owner?.place.gateway.endpoint ?? ""
      fail(connection, .broken("\(name) names a host whose address was not found out in time."))
    case .connecting(let others, let tls):
      connectElsewhere(connection, others: others, tls: tls, because: "no answer in time")
    case .securing:
      fail(connection, .broken("The TLS handshake was not done in time."))
    case .talking:
      fail(connection, .broken("The request for a WebSocket was not answered in time."))
    case .lingering, .closed:
      drop(connection)
    }
  }
}
