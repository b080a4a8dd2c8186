internal import Networking
internal import Platform
internal import Primitives

extension ConnectionIO {
  /// The maximum number of bytes that are read and discarded after the last answer. If the gateway closed the socket immediately,
  /// the kernel could reset the connection before the peer has read the answer.
  private static let lingerBytes: Int32 = 262_144
  private static let lingerTime = Duration.seconds(2)
  /// The maximum number of bytes that are read and discarded after the answer to a refused upload. Some clients read the answer
  /// only after they have sent much of the body.
  private static let longLingerBytes: Int32 = 16_777_216
  private static let longLingerTime = Duration.seconds(5)

  /// Closes a broken connection.
  func abort(_ connection: Connection, reason: String) {
    connection.handler?.connectionBroke(reason: reason)
    close(connection, reason: reason)
  }

  /// Closes a connection.
  func close(_ connection: Connection, reason: @autoclosure () -> String = "done") {
    guard table.isOpen(connection) else { return }
    connection.handler?.willClose()
    if !(connection.handler?.isWebSocket ?? false), logger.logsDebug {
      logger.log(.connectionClosed(connection.clientAddress, reason: reason()))
    }
    if let tls = connection.tls, tls.isHandshakeComplete {
      var closeNotify: [UInt8] = []
      tls.close(into: &closeNotify)
      if !connection.hasPendingWrites, !closeNotify.isEmpty { _ = connection.socket.send(closeNotify.span) }
    }
    endHandshake(of: connection)
    forget(connection)
    releaseClient(of: connection)
    if connection.isReserved {
      didCloseReserved(connection.key)
    } else {
      counts.releaseConnection(from: connection.peer)
    }
  }

  /// Removes a connection from the table of handshakes.
  ///
  /// - Returns: the time at which the handshake began; nil if the connection was not in the table.
  @discardableResult
  func endHandshake(of connection: Connection) -> MonotonicTime? {
    guard connection.isHandshaking else { return nil }
    connection.isHandshaking = false
    return handshakes.remove(connection.key, from: connection.peer.ip)
  }

  /// Subtracts a connection from the number of connections of its client behind a trusted proxy. Called when the client's request
  /// ends, and when the connection is closed, transferred or used for another client.
  func releaseClient(of connection: Connection) {
    guard connection.isCountedForClient else { return }
    connection.isCountedForClient = false
    counts.releaseClient(connection.clientAddress)
  }

  // MARK: - Lingering

  /// Closes the gateway's direction of a connection after the last answer. Then reads and discards a limited number of bytes, so
  /// that the answer is not lost through a reset (RFC 9112 §9.6).
  ///
  /// - Parameters:
  ///   - connection: a connection whose last answer is written.
  ///   - isLong: true when the client is sending a long body that was refused.
  func linger(_ connection: Connection, isLong: Bool = false) {
    setHandler(nil, of: connection)
    connection.lingerBytesLeft = isLong ? Self.longLingerBytes : Self.lingerBytes
    connection.deadline = clock.now + (isLong ? Self.longLingerTime : Self.lingerTime)
    connection.isReadingPaused = false
    _ = connection.takeDeferredInput()
    hastenCheck(of: connection)
    updateBufferedBytes(of: connection)
    continueLingering(connection)
  }

  func continueLingering(_ connection: Connection) {
    guard !connection.hasPendingWrites else { return }
    if let tls = connection.tls, tls.isHandshakeComplete {
      var closeNotify: [UInt8] = []
      tls.close(into: &closeNotify)
      writeRaw(closeNotify.span, on: connection)
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
      readQueue.append(connection)
    }
  }

  /// Discards bytes that a lingering connection received.
  func drop(_ count: Int, from connection: Connection) {
    connection.lingerBytesLeft -= Int32(clamping: count)
    if connection.lingerBytesLeft <= 0 { close(connection) }
  }
}
