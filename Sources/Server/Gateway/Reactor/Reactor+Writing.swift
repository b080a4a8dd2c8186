internal import Primitives
internal import HTTP
internal import SessionCore
internal import Networking
internal import Platform
internal import WebSocket
internal import Wire

/// What goes to sockets.
extension Reactor {
  /// How much is read and dropped after a last answer, so that it is not lost to a reset.
  private static let lingerBytes = 262_144
  private static let lingerTime = Duration.seconds(2)
  /// The same for an upload, whose sender may look for an answer only after what it has begun to send.
  private static let longLingerBytes = 16_777_216
  private static let longLingerTime = Duration.seconds(5)
  /// The bytes that are encrypted at a time while connections hold much.
  private static let fewBytes = 4_096

  /// Writes bytes as they are, on a TLS connection too. Bytes that the kernel does not accept are buffered and sent first later.
  func writeRaw(_ bytes: Span<UInt8>, on connection: Connection) {
    guard !bytes.isEmpty else { return }
    var written = 0
    if !connection.hasPendingWrites { written = writeToSocket(bytes, on: connection) }
    guard written < bytes.count else { return }
    connection.bufferPendingWrites(bytes.extracting(droppingFirst: written))
    countHeld(by: connection)
  }

  /// Writes bytes of a conversation, encrypted on a TLS connection.
  ///
  /// - Returns: the number of bytes that were accepted. On a TLS connection these are all bytes, up to 64 KiB, or none: encrypted bytes
  ///   are buffered until the kernel accepts them.
  func write(_ bytes: Span<UInt8>, on connection: Connection) -> Int {
    var tally = SendTally()
    defer { count(tally) }
    return write(bytes, on: connection, &tally)
  }

  /// Does the same in a loop over many connections, which adds the tally to the counters once.
  func write(_ bytes: Span<UInt8>, on connection: Connection, _ tally: inout SendTally) -> Int {
    guard !connection.hasPendingWrites, !connection.isWriteBlocked else { return 0 }
    guard let tls = connection.tls else {
      return recordSend(connection.socket.send(bytes), of: bytes.count, connection, &tally)
    }
    let bytes = bytes.extracting(first: shared.holdsMuch ? Self.fewBytes : TLSConnection.encryptLimitInBytes)
    ciphertext.removeAll(keepingCapacity: true)
    do throws(TLSError) {
      try tls.encrypt(bytes, into: &ciphertext)
    } catch {
      connection.isWriteBlocked = true
      connectionsToClose.append(connection.key)
      return 0
    }
    let written = recordSend(
      connection.socket.send(ciphertext.span), of: ciphertext.count, connection, &tally)
    if written < ciphertext.count {
      connection.bufferPendingWrites(ciphertext.span.extracting(droppingFirst: written))
      countHeld(by: connection)
    }
    return bytes.count
  }

  private func writeToSocket(_ bytes: Span<UInt8>, on connection: Connection) -> Int {
    var tally = SendTally()
    defer { count(tally) }
    return recordSend(connection.socket.send(bytes), of: bytes.count, connection, &tally)
  }

  /// Records the outcome of a send of `count` bytes.
  /// - Returns: the number of bytes that the kernel accepted.
  @inline(__always)
  func recordSend(
    _ result: SendResult, of count: Int, _ connection: Connection, _ tally: inout SendTally
  ) -> Int {
    tally.calls += 1
    switch result {
    case .sent(let sent):
      tally.bytes += sent
      if sent < count { connection.isWriteBlocked = true }
      return sent
    case .wouldBlock:
      connection.isWriteBlocked = true
      return 0
    case .failed:
      // Closed at the end of the turn: who called is in the middle of something.
      connection.isWriteBlocked = true
      connectionsToClose.append(connection.key)
      return 0
    }
  }

  func count(_ tally: SendTally) {
    counters.values.sendCalls += UInt64(tally.calls)
    counters.values.bytesSent += UInt64(tally.bytes)
  }

  func becameWritable(_ connection: Connection) {
    if case .http(let http) = connection.state { http.transfer?.becameWritable = true }
    guard connection.isWriteBlocked else { return }
    connection.isWriteBlocked = false
    if connection.hasPendingWrites {
      let pending = connection.pendingWrites
      let rest = pending.span.extracting(connection.pendingWriteOffset..<pending.count)
      let taken = writeToSocket(rest, on: connection)
      connection.didWritePending(taken)
      countHeld(by: connection)
      if taken > 0, case .http(let http) = connection.state, http.isBusy {
        connection.deadline = now + .seconds(shared.limits.bodyStallSeconds)
      }
      guard !connection.hasPendingWrites else { return }
      if connection.mayHaveInput { readLater(connection) }
    }
    switch connection.state {
    case .http(let http):
      if http.isBusy { connection.deadline = now + .seconds(shared.limits.bodyStallSeconds) }
      pump(connection, http)
    case .webSocket(let conversation):
      conversation.tookAt = now
      // Each in its turn: a thousand who are being caught up become writable together. Until then nothing else is sent to it,
      // for it may be in the middle of a frame.
      flushLater(connection, isBulk: conversation.subscriber.isCatchingUp)
    case .lingering:
      startLingering(connection)
    }
  }

  /// Closes sockets that broke while something was sent to them.
  func closeBrokenConnections() {
    while !connectionsToClose.isEmpty {
      let keys = connectionsToClose
      connectionsToClose = []
      for key in keys {
        if let connection = connections[key] { lost(connection, reason: "the connection broke") }
      }
    }
  }

  /// The socket is of no more use: whoever was on it is not gone yet.
  func lost(_ connection: Connection, reason: String) {
    if case .webSocket(let conversation) = connection.state {
      depart(connection, conversation, pageGone: false)
      logClose(connection, conversation, end: reason)
    }
    close(connection, reason: reason)
  }

  func close(_ connection: Connection, reason: @autoclosure () -> String = "done") {
    guard connections.isOpen(connection) else { return }
    if case .webSocket(let conversation) = connection.state {
      logClose(connection, conversation, end: "stopped")
    } else {
      if shared.log.level <= .debug {
        logger.log(.connectionClosed(connection.clientAddress, reason: reason()))
      }
    }
    if let tls = connection.tls, tls.isHandshakeComplete {
      var farewell: [UInt8] = []
      tls.close(into: &farewell)
      if !connection.hasPendingWrites, !farewell.isEmpty { _ = connection.socket.send(farewell.span) }
    }
    endHandshake(connection)
    if case .http(let http) = connection.state, let upload = http.upload { uploads.disconnect(upload) }
    forget(connection)
    releaseClient(of: connection)
    if connection.isReserved {
      reserved.remove(connection.key)
    } else {
      shared.releaseConnection(from: connection.peer)
    }
  }

  /// The handshake is over, well or not.
  func endHandshake(_ connection: Connection) {
    guard connection.isHandshaking else { return }
    connection.isHandshaking = false
    handshakes.remove(connection.key, from: connection.peer.ip)
  }

  /// After the last answer: ends our direction, and reads on a little so that the answer arrives.
  func startLingering(_ connection: Connection) {
    if case .lingering = connection.state {
    } else {
      var isLong = false
      if case .http(let http) = connection.state { isLong = http.lingersLong }
      connection.state = .lingering(bytesLeft: isLong ? Self.longLingerBytes : Self.lingerBytes)
      connection.deadline = now + (isLong ? Self.longLingerTime : Self.lingerTime)
      connection.isReadingPaused = false
      connection.heldInput = []
      releaseInflater(of: connection)
      countHeld(by: connection)
    }
    guard !connection.hasPendingWrites else { return }
    if let tls = connection.tls, tls.isHandshakeComplete {
      var farewell: [UInt8] = []
      tls.close(into: &farewell)
      writeRaw(farewell.span, on: connection)
      guard !connection.hasPendingWrites else { return }
    }
    do throws(SystemError) {
      try connection.socket.shutdownWrite()
    } catch {
      close(connection)
      return
    }
    if connection.hasEnded {
      close(connection)
    } else if connection.mayHaveInput {
      readLater(connection)
    }
  }

  func linger(_ connection: Connection, bytesLeft: Int) {
    if bytesLeft <= 0 {
      close(connection)
    } else {
      connection.state = .lingering(bytesLeft: bytesLeft)
    }
  }
}

/// What was given to sockets: counted in one place for many sends.
struct SendTally {
  var calls = 0
  var bytes = 0
}
