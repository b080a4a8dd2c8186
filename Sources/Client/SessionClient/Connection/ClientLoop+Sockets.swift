internal import Primitives
internal import Networking
internal import Platform

/// Reads, writes, closing, and the deadlines of connections.
extension ClientLoop {
  /// The maximum number of bytes that are read from one connection in one turn.
  private static let readLimit = 262_144
  /// The number of pending bytes at which the client stops answering pings. Without this limit, a peer that sends pings without
  /// reading would fill the memory.
  private static let pongLimit = 65_536

  // MARK: - Writing

  /// Sends pending bytes.
  ///
  /// - Returns: false when the connection broke. The connection's session has then already been notified.
  @discardableResult
  func send(_ connection: GatewayConnection) -> Bool {
    switch connection.phase {
    case .webSocket, .lingering:
      let answersPings = connection.pendingBytes < Self.pongLimit
      connection.append(connection.webSocket.takeOutgoing(answersPings: answersPings))
    case .resolving, .connecting, .tlsHandshake, .closed:
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

  /// Handles a writable socket: the connection was established or failed, or the socket has room.
  func handleWritable(_ connection: GatewayConnection) {
    if case .connecting(let others, let tls) = connection.phase {
      didConnect(connection, others: others, tls: tls)
    } else if send(connection), let owner = connection.owner {
      perform(owner)
    }
  }

  // MARK: - Reading

  /// Reads from the connections in `readQueue`, which may have more input than one turn reads.
  func drainReadQueue() {
    guard !readQueue.isEmpty else { return }
    let waiting = readQueue
    readQueue = []
    for connection in waiting { read(connection) }
  }

  /// Reads from a connection, up to the limit for one turn.
  func read(_ connection: GatewayConnection) {
    var left = Self.readLimit
    while let socket = connection.socket, connection.shouldRead {
      guard left > 0 else {
        readQueue.append(connection)
        return
      }
      switch socket.receive(into: &buffer) {
      case .received(let count):
        left -= count
        process(count, from: connection)
      case .wouldBlock:
        return
      case .endOfStream:
        streamEnded(connection, because: nil)
      case .failed(let error):
        streamEnded(connection, because: error)
      }
    }
  }

  /// Processes the first `count` bytes of the buffer.
  private func process(_ count: Int, from connection: GatewayConnection) {
    connection.owner?.session.bytesReceived(now: now)
    if let tls = connection.tls {
      let received = buffer
      plaintext.removeAll(keepingCapacity: true)
      advanceHandshake(connection, tls, received.span.extracting(first: count))
      readMessages(connection, in: &plaintext, upTo: plaintext.count)
    } else {
      readMessages(connection, in: &buffer, upTo: count)
    }
    // The outgoing bytes are pongs or the answer to a close frame.
    if connection.webSocket.hasOutgoing { send(connection) }
    if connection.hasPeerClosed, connection.feedsWebSocket { streamEnded(connection, because: nil) }
  }

  private func readMessages(_ connection: GatewayConnection, in bytes: inout [UInt8], upTo end: Int) {
    var position = 0
    while connection.feedsWebSocket,
      let event = connection.webSocket.next(in: &bytes, at: &position, upTo: end, inflater: inflater)
    {
      handle(event, of: connection)
    }
  }

  private func handle(_ event: ClientWebSocket.Event, of connection: GatewayConnection) {
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
    guard case .ended(let end)? = connection.webSocket.finish() else { return drop(connection) }
    if let error, case .broken = end {
      fail(connection, .broken("The connection broke: \(error)"))
    } else {
      fail(connection, end)
    }
  }

  // MARK: - The end

  /// Ends a connection whose WebSocket has ended. A pending close frame is still sent.
  private func ended(_ connection: GatewayConnection, _ end: SocketEnd) {
    guard connection.webSocket.hasOutgoing else { return fail(connection, end) }
    let owner = connection.owner
    detach(connection)
    linger(connection)
    owner?.session.closed(end, now: now)
    if let owner { perform(owner) }
  }

  /// Drops a connection after an error.
  func fail(_ connection: GatewayConnection, _ end: SocketEnd) {
    let owner = connection.owner
    detach(connection)
    drop(connection)
    owner?.session.closed(end, now: now)
    if let owner { perform(owner) }
  }

  /// Closes the connection of a membership with a close frame.
  func close(_ membership: ActiveMembership, code: UInt16) {
    guard let connection = membership.connection else { return }
    detach(connection)
    guard connection.webSocket.isOpen else { return drop(connection) }
    connection.webSocket.close(code: code)
    linger(connection)
  }

  /// Drops the connection of a membership, if there is one.
  func dropConnection(of membership: ActiveMembership) {
    guard let connection = membership.connection else { return }
    detach(connection)
    drop(connection)
  }

  private func detach(_ connection: GatewayConnection) {
    connection.owner?.connection = nil
    connection.owner = nil
    connection.nextKeepaliveAt = nil
  }

  private func linger(_ connection: GatewayConnection) {
    connection.phase = .lingering
    connection.deadline = now + connection.times.linger
    guard send(connection) else { return }
    if connection.webSocket.hasEnded {
      connection.appendCloseNotify()
      guard send(connection) else { return }
    }
    // The connection must be read until the end of the stream, even if the session had paused reading.
    readQueue.append(connection)
  }

  private func drop(_ connection: GatewayConnection) {
    connection.appendCloseNotify()
    // An error of this send is ignored: the peer may have disconnected.
    try? connection.flush()
    connections[connection.token] = nil
    connection.deadline = nil
    connection.nextKeepaliveAt = nil
    connection.close()
  }

  // MARK: - Deadlines

  /// Handles the elapsed deadlines of a connection.
  func handleDeadlines(of connection: GatewayConnection) {
    if let nextKeepaliveAt = connection.nextKeepaliveAt, nextKeepaliveAt <= now {
      connection.nextKeepaliveAt = now + connection.times.keepalive
      connection.webSocket.sendUnsolicitedPong()
      guard send(connection) else { return }
    }
    guard let deadline = connection.deadline, deadline <= now else { return }
    switch connection.phase {
    case .resolving:
      let name = connection.owner?.configuration.gateway.endpoint ?? ""
      fail(connection, .unreachable("The address of \(name) was not resolved in time."))
    case .connecting(let others, let tls):
      connectToNext(connection, others: others, tls: tls, because: "no answer in time")
    case .tlsHandshake:
      fail(connection, .broken("The TLS handshake did not finish in time."))
    case .webSocket:
      fail(connection, .broken("The WebSocket upgrade request was not answered in time."))
    case .lingering, .closed:
      drop(connection)
    }
  }
}
