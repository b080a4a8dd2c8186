internal import Networking
internal import Platform
internal import Primitives

/// Reads the connections of a reactor, decrypts TLS, and passes the bytes to the handlers.
final class ConnectionReader {
  /// The maximum number of simultaneous TLS handshakes of a reactor. A handshake counts from its first received byte.
  static let handshakeLimit = 1024
  /// The number of bytes in pending writes above which a socket is not read, because its peer does not accept output.
  private static let pendingWriteLimit = 65_536
  /// The maximum number of reads from one socket in a turn. Each read fills at most one receive buffer.
  private static let readsPerTurn = 4

  private let io: ConnectionIO
  private let budget: TurnBudget
  private let clock: LoopClock
  private let counters: ReactorCounters
  private let log: Log
  private var receiveBuffer = [UInt8](repeating: 0, count: 131_072)
  private var plaintext: [UInt8] = []
  private var ciphertext: [UInt8] = []
  /// Returns the answer to a client that speaks plain HTTP on a TLS port. The argument contains the client's first bytes.
  var answerToPlainText: (Span<UInt8>) -> [UInt8] = { _ in [] }

  init(
    _ io: ConnectionIO, budget: TurnBudget, clock: LoopClock, counters: ReactorCounters,
    log: Log
  ) {
    self.io = io
    self.budget = budget
    self.clock = clock
    self.counters = counters
    self.log = log
  }

  /// Begins a turn of the loop.
  func beginTurn() {
    budget.reset()
  }

  // MARK: - Order of reads

  /// Handles the event that a socket is readable. Reads the socket now if no other connection waits, otherwise adds it to the
  /// queue.
  ///
  /// - Parameters:
  ///   - connection: the socket's connection.
  ///   - hasHungUp: true when the peer closed or reset the connection.
  ///   - isOnlyEvent: true when this is the only event of the turn.
  func readable(_ connection: Connection, hasHungUp: Bool, isOnlyEvent: Bool) {
    connection.mayHaveInput = true
    if hasHungUp { connection.sawHangUp = true }
    guard isOnlyEvent, io.readQueue.isEmpty else {
      io.readQueue.append(connection)
      return
    }
    // No other connection waits to be read, so this connection is read without the queue.
    io.readQueue.beginShare(at: clock.now, ofWebSocket: true)
    read(connection)
  }

  /// Reads a socket immediately, without the queue. Must not be called while another socket is being read.
  func readAtOnce(_ connection: Connection) {
    connection.mayHaveInput = true
    io.readQueue.beginShare(at: clock.now, ofWebSocket: false)
    read(connection)
  }

  /// Reads the connections in the queue.
  func readWaiting() {
    io.readQueue.serve { key in
      guard let connection = io.table[key] else { return }
      connection.isQueuedForReading = false
      read(connection)
    }
  }

  // MARK: - One connection

  private func read(_ connection: Connection) {
    guard !connection.isReadingPaused else { return }
    if let tls = connection.tls, !tls.isHandshakeComplete, !budget.allowsHandshakeStep {
      io.readQueue.append(connection)
      return
    }
    connection.isExpensive = false
    if connection.hasDeferredInput {
      var deferred = connection.takeDeferredInput()
      connection.handler?.receive(&deferred, from: 0, upTo: deferred.count)
      guard io.table.isOpen(connection), !connection.hasDeferredInput else { return }
    }
    if connection.hasEnded {
      ended(connection)
      return
    }
    var rounds = 0
    // The first iteration does not look for deferred input, because the code above has just handled all of it.
    while connection.mayHaveInput, !connection.isReadingPaused, rounds == 0 || !connection.hasDeferredInput,
      connection.pendingWrites.count <= Self.pendingWriteLimit
    {
      guard rounds < Self.readsPerTurn, rounds == 0 || !io.readQueue.isShareOver,
        budget.allowsUploadBytes || !connection.isUploading
      else {
        io.readQueue.append(connection)
        return
      }
      rounds += 1
      if !connection.isWebSocket, !connection.isSecure, let handler = connection.handler, handler.bodyRoom > 0
      {
        readBody(connection, handler)
      } else {
        readInput(connection)
      }
      guard io.table.isOpen(connection) else { return }
    }
  }

  private func readInput(_ connection: Connection) {
    var buffer: [UInt8] = []
    swap(&buffer, &receiveBuffer)
    defer { swap(&buffer, &receiveBuffer) }
    let result = connection.socket.receive(into: &buffer)
    let count = recordRead(result, of: buffer.count, connection)
    if count > 0 { received(connection, &buffer, count) }
    endRead(result, of: connection)
  }

  /// Reads the body of an upload into the buffer of its handler.
  private func readBody(_ connection: Connection, _ handler: any ConnectionHandler) {
    let room = handler.bodyRoom
    var buffer = handler.takeBodyBuffer(room: room)
    let result = connection.socket.receive(appendingTo: &buffer, upTo: room)
    let count = recordRead(result, of: room, connection)
    handler.receiveBody(buffer, added: count)
    endRead(result, of: connection)
  }

  /// Records the result of a read with room for `room` bytes.
  ///
  /// - Returns: the number of received bytes.
  private func recordRead(_ result: ReceiveResult, of room: Int, _ connection: Connection) -> Int {
    guard case .received(let count) = result else {
      connection.mayHaveInput = false
      return 0
    }
    counters.values.bytesReceived += UInt64(count)
    if connection.isUploading { budget.useUploadBytes(count) }
    // A read that does not fill the buffer has emptied the socket. After a hang-up, the event loop reports no further event, so
    // the socket is then read until its end.
    if count < room, !connection.sawHangUp { connection.mayHaveInput = false }
    return count
  }

  /// Handles the end of the input, or the failure of a read.
  private func endRead(_ result: ReceiveResult, of connection: Connection) {
    switch result {
    case .received, .wouldBlock: break
    case .endOfStream: ended(connection)
    case .failed(let error): io.abort(connection, reason: "\(error)")
    }
  }

  private func received(_ connection: Connection, _ buffer: inout [UInt8], _ count: Int) {
    guard let handler = connection.handler else {
      io.drop(count, from: connection)
      return
    }
    guard let tls = connection.tls else {
      handler.receive(&buffer, from: 0, upTo: count)
      return
    }
    if !connection.hasReceived, TLSRecord.looksLikePlainHTTP(firstByte: buffer[0]) {
      refusePlainText(connection, buffer.span.extracting(0..<count))
      return
    }
    if !connection.hasReceived {
      connection.hasReceived = true
      beginHandshake(connection)
    }
    let bytes = buffer.span.extracting(0..<count)
    // OpenSSL may already hold the first bytes of a record. If the new bytes complete this record, the plaintext is longer than
    // `count`, by less than one record. In addition, `TLSConnection.receive` needs room for a whole record before it decrypts
    // each record. So the room is `count` plus two records.
    let room = count + 2 * TLSConnection.recordLimitInBytes
    if tls.isHandshakeComplete, handler.bodyRoom >= room {
      decryptBody(connection, tls, bytes, handler, room: max(room, handler.bodyRoom))
    } else {
      decryptInput(connection, tls, bytes)
    }
  }

  /// Handles the end of the peer's input.
  private func ended(_ connection: Connection) {
    connection.hasEnded = true
    if let handler = connection.handler { handler.peerEnded() } else { io.close(connection) }
  }

  // MARK: - TLS

  /// Adds a connection to the table of handshakes. If the table is full, closes another connection that is in the table.
  private func beginHandshake(_ connection: Connection) {
    if let dropped = io.handshakes.victim().flatMap({ io.table[$0] }) {
      counters.values.handshakesFailed += 1
      counters.values.handshakesDropped += 1
      io.close(
        dropped, reason: "dropped: \(Self.handshakeLimit) TLS handshakes are under way in this reactor")
    }
    connection.isHandshaking = true
    io.handshakes.insert(connection.key, from: connection.peer.ip, at: clock.now)
  }

  private func decryptInput(_ connection: Connection, _ tls: TLSConnection, _ bytes: Span<UInt8>) {
    var input: [UInt8] = []
    swap(&input, &plaintext)
    defer {
      input.removeAll(keepingCapacity: true)
      swap(&input, &plaintext)
    }
    do throws(TLSError) {
      let hasPeerClosed = try decrypt(bytes, of: connection, tls, into: &input)
      if !input.isEmpty { connection.handler?.receive(&input, from: 0, upTo: input.count) }
      if hasPeerClosed, io.table.isOpen(connection) { ended(connection) }
    } catch {
      io.abort(connection, reason: "\(error)")
    }
  }

  /// Decrypts a part of an upload's body into the buffer of its handler.
  private func decryptBody(
    _ connection: Connection, _ tls: TLSConnection, _ bytes: Span<UInt8>, _ handler: any ConnectionHandler,
    room: Int
  ) {
    var body = handler.takeBodyBuffer(room: room)
    let before = body.count
    do throws(TLSError) {
      let hasPeerClosed = try decrypt(bytes, of: connection, tls, into: &body)
      let count = body.count - before
      handler.receiveBody(body, added: count)
      if hasPeerClosed, io.table.isOpen(connection) { ended(connection) }
    } catch {
      body.removeSubrange(before...)
      handler.receiveBody(body, added: 0)
      io.abort(connection, reason: "\(error)")
    }
  }

  /// Decrypts input, and appends the plaintext to a buffer.
  ///
  /// - Returns: true if the peer has closed its direction.
  /// - Throws: `TLSError` if the input violates TLS. In this case, this function has already sent the TLS alert to the peer.
  private func decrypt(
    _ bytes: Span<UInt8>, of connection: Connection, _ tls: TLSConnection, into input: inout [UInt8]
  ) throws(TLSError) -> Bool {
    ciphertext.removeAll(keepingCapacity: true)
    let isHandshaking = connection.isHandshaking
    // The handshake step is counted here, before the plaintext is handled: a request in the plaintext may move the connection to
    // another reactor, which then owns `tls`.
    defer { if isHandshaking, !tls.isAwaitingHello { budget.useHandshakeStep() } }
    do throws(TLSError) {
      let progress = try tls.receive(bytes, plaintext: &input, ciphertextOut: &ciphertext)
      if progress.hasCompletedHandshake {
        if let began = io.endHandshake(of: connection) {
          counters.values.handshakeTimes.count(.now() - began)
        }
        counters.values.handshakesCompleted += 1
        if tls.wasResumed { counters.values.handshakesResumed += 1 }
      }
      io.writeRaw(ciphertext.span, on: connection)
      return progress.hasPeerClosed
    } catch {
      io.writeRaw(ciphertext.span, on: connection)
      if !tls.isHandshakeComplete {
        counters.values.handshakesFailed += 1
        log(.debug, "handshake failed", ["reason": "\(error)"])
      }
      throw error
    }
  }

  /// Answers a client that speaks plain HTTP on the TLS port. A browser shows the answer to its user.
  private func refusePlainText(_ connection: Connection, _ bytes: Span<UInt8>) {
    io.endHandshake(of: connection)
    counters.values.handshakesFailed += 1
    counters.countLabel { $0.answers[StatusLabel(400)] += 1 }
    io.writeRaw(answerToPlainText(bytes).span, on: connection)
    io.linger(connection)
  }
}
