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

  /// Sends bytes; what the kernel does not take is kept and goes first later.
  func send(_ bytes: Span<UInt8>, on connection: Connection) {
    guard !bytes.isEmpty else { return }
    var taken = 0
    if !connection.hasBacklog { taken = trySending(bytes, on: connection) }
    guard taken < bytes.count else { return }
    connection.keepBacklog(bytes.extracting(droppingFirst: taken))
    countHeld(by: connection)
  }

  /// For bytes that must not be encrypted, on a TLS port.
  func sendPlain(_ bytes: Span<UInt8>, on connection: Connection) {
    send(bytes, on: connection)
  }

  /// Offers bytes of a conversation to a socket.
  ///
  /// - Returns: how many it takes now. Over TLS that is all of it, up to 64 KiB, or nothing: what is encrypted is kept until the kernel takes it.
  func offer(_ bytes: Span<UInt8>, on connection: Connection) -> Int {
    var tally = SendTally()
    defer { count(tally) }
    return offer(bytes, on: connection, &tally)
  }

  /// The same in a loop over many sockets, which counts once.
  func offer(_ bytes: Span<UInt8>, on connection: Connection, _ tally: inout SendTally) -> Int {
    guard !connection.hasBacklog, !connection.isWriteBlocked else { return 0 }
    guard let tls = connection.tls else {
      return took(connection.socket.send(bytes), of: bytes.count, connection, &tally)
    }
    let bytes = bytes.extracting(first: shared.holdsMuch ? Self.fewBytes : TLSConnection.encryptLimitInBytes)
    ciphertext.removeAll(keepingCapacity: true)
    do throws(TLSError) {
      try tls.encrypt(bytes, into: &ciphertext)
    } catch {
      connection.isWriteBlocked = true
      doomed.append(connection.key)
      return 0
    }
    let taken = took(connection.socket.send(ciphertext.span), of: ciphertext.count, connection, &tally)
    if taken < ciphertext.count {
      connection.keepBacklog(ciphertext.span.extracting(droppingFirst: taken))
      countHeld(by: connection)
    }
    return bytes.count
  }

  private func trySending(_ bytes: Span<UInt8>, on connection: Connection) -> Int {
    var tally = SendTally()
    defer { count(tally) }
    return took(connection.socket.send(bytes), of: bytes.count, connection, &tally)
  }

  /// Notes what came of a send of `count` bytes. - Returns: how many the kernel took.
  @inline(__always)
  func took(
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
      doomed.append(connection.key)
      return 0
    }
  }

  func count(_ tally: SendTally) {
    counters.sendCalls += UInt64(tally.calls)
    counters.bytesSent += UInt64(tally.bytes)
  }

  func becameWritable(_ connection: Connection) {
    if case .http(let http) = connection.state { http.transfer?.becameWritable = true }
    guard connection.isWriteBlocked else { return }
    connection.isWriteBlocked = false
    if connection.hasBacklog {
      let backlog = connection.backlog
      let rest = backlog.span.extracting(connection.backlogOffset..<backlog.count)
      let taken = trySending(rest, on: connection)
      connection.sentBacklog(taken)
      countHeld(by: connection)
      if taken > 0, case .http(let http) = connection.state, http.isBusy {
        connection.deadline = now + .seconds(shared.limits.bodyStallSeconds)
      }
      guard !connection.hasBacklog else { return }
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
      flushLater(connection, isBulk: conversation.reader.isCatchingUp)
    case .lingering:
      startLingering(connection)
    }
  }

  /// Closes sockets that broke while something was sent to them.
  func closeDoomed() {
    while !doomed.isEmpty {
      let keys = doomed
      doomed = []
      for key in keys {
        if let connection = connection(key) { lost(connection, reason: "the connection broke") }
      }
    }
  }

  /// The socket is of no more use: whoever was on it is not gone yet.
  func lost(_ connection: Connection, reason: String) {
    if case .webSocket(let conversation) = connection.state {
      depart(connection, conversation, pageGone: false)
      noteClosed(connection, conversation, end: reason)
    }
    close(connection, reason: reason)
  }

  func close(_ connection: Connection, reason: @autoclosure () -> String = "done") {
    guard connections[Int(connection.key.slot)] === connection else { return }
    if case .webSocket(let conversation) = connection.state {
      noteClosed(connection, conversation, end: "stopped")
    } else {
      noteEnded(connection, reason: reason())
    }
    if let tls = connection.tls, tls.isHandshakeComplete {
      var farewell: [UInt8] = []
      tls.close(into: &farewell)
      if !connection.hasBacklog, !farewell.isEmpty { _ = connection.socket.send(farewell.span) }
    }
    endHandshake(connection)
    if case .http(let http) = connection.state, let upload = http.upload { cut(upload) }
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
    guard !connection.hasBacklog else { return }
    if let tls = connection.tls, tls.isHandshakeComplete {
      var farewell: [UInt8] = []
      tls.close(into: &farewell)
      send(farewell.span, on: connection)
      guard !connection.hasBacklog else { return }
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
