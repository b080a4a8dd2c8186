internal import Wire
internal import Networking
internal import Platform
internal import Primitives

/// Opens, writes to and closes the connections of a reactor.
///
/// A write never reads input. If a write makes it possible to continue with paused input, the input is handled in a later turn,
/// so that no handler is called recursively.
final class ConnectionIO {
  /// A number of send calls and of sent bytes. A loop over many connections adds its tally to the counters once, at its end.
  struct SendTally {
    var calls = 0
    var bytes = 0
  }

  /// The number of bytes that are encrypted at a time while `ConnectionCounts.isMemoryTight` is true.
  private static let fewBytes = 4_096

  let table: ConnectionTable
  let counts: ConnectionCounts
  let handshakes: HandshakeTable
  let readQueue: ReadQueue
  let writeQueue: WriteQueue
  let clock: LoopClock
  private let counters: ReactorCounters
  let logger: GatewayLogger
  /// Called when a reserved connection is closed.
  var didCloseReserved: (Connection.Key) -> Void = { _ in }

  /// The times of the next checks of all connections.
  let checks: CheckSchedule

  private var ciphertext: [UInt8] = []
  private var joined: [UInt8] = []
  /// Connections that broke during a write. They are closed at the end of the turn.
  private var broken: [Connection.Key] = []
  /// True when `broken` is not empty. Each turn reads this value instead of `broken`, because an access to the array needs an
  /// exclusivity check at run time.
  private var hasBroken = false

  init(
    table: ConnectionTable, counts: ConnectionCounts, handshakes: HandshakeTable, readQueue: ReadQueue,
    writeQueue: WriteQueue, clock: LoopClock, counters: ReactorCounters, logger: GatewayLogger
  ) {
    self.table = table
    self.counts = counts
    self.handshakes = handshakes
    self.readQueue = readQueue
    self.writeQueue = writeQueue
    self.clock = clock
    self.counters = counters
    self.logger = logger
    checks = CheckSchedule(start: clock.now)
  }

  // MARK: - Opening

  /// Adds a connection to the table, and sets its first handler.
  ///
  /// - Returns: the connection; nil if the system had no resources for it.
  func open(
    _ descriptor: consuming OwnedDescriptor, peer: SocketAddress, tls: TLSConnection?,
    isReserved: Bool = false, deadline: MonotonicTime,
    handler: (Connection) -> any ConnectionHandler
  ) -> Connection? {
    let connection: Connection
    do throws(SystemError) {
      connection = try table.admit(descriptor) { key, descriptor in
        Connection(
          key: key, descriptor: descriptor, peer: peer, tls: tls, deadline: deadline, isReserved: isReserved)
      }
    } catch {
      logger.log(.connectionNotTaken(.error, error))
      return nil
    }
    connection.handler = handler(connection)
    checks.schedule(connection, in: 1, now: clock.now)
    counters.values.openHTTPSockets += 1
    if tls != nil { counters.values.openTLSSockets += 1 }
    return connection
  }

  /// Changes the handler of a connection. The handler is nil if the connection lingers or is removed.
  func setHandler(_ handler: (any ConnectionHandler)?, of connection: Connection) {
    let change = (handler?.isWebSocket ?? false ? 1 : 0) - (connection.handler?.isWebSocket ?? false ? 1 : 0)
    connection.handler = handler
    counters.values.openWebSockets += Int64(change)
    counters.values.openHTTPSockets -= Int64(change)
  }

  /// Removes a connection from the table, without closing its descriptor.
  func forget(_ connection: Connection) {
    guard table.forget(connection) else { return }
    countBuffered(0, of: connection)
    // The handler is removed to break a reference cycle, because the handler refers to the connection.
    setHandler(nil, of: connection)
    counters.values.openHTTPSockets -= 1
    if connection.isSecure { counters.values.openTLSSockets -= 1 }
  }

  /// Removes a connection from the table and from the event loop, to transfer it to another reactor.
  ///
  /// - Returns: the descriptor; nil if the descriptor was taken before.
  /// - Throws: `SystemError` if the event loop cannot remove the descriptor. The descriptor is then closed.
  func detach(_ connection: Connection) throws(SystemError) -> OwnedDescriptor? {
    forget(connection)
    return try table.takeDescriptor(of: connection)
  }

  // MARK: - Writing

  /// Writes bytes without encryption, even on a TLS connection. Bytes that the kernel does not accept are buffered, and are
  /// written before any later output.
  func writeRaw(_ bytes: Span<UInt8>, on connection: Connection) {
    guard !bytes.isEmpty else { return }
    var written = 0
    if !connection.hasPendingWrites { written = writeToSocket(bytes, on: connection) }
    guard written < bytes.count else { return }
    connection.bufferPendingWrites(bytes.extracting(droppingFirst: written))
    updateBufferedBytes(of: connection)
  }

  /// Writes the handler's output, encrypted on a TLS connection.
  ///
  /// - Returns: the number of accepted bytes. A TLS connection accepts either no bytes, or all bytes up to the limit of one
  ///   encryption (normally 64 KiB). Encrypted bytes are buffered until the kernel accepts them.
  func write(_ bytes: Span<UInt8>, on connection: Connection) -> Int {
    var tally = SendTally()
    defer { count(tally) }
    return write(bytes, on: connection, &tally)
  }

  /// Writes the first bytes of a range, at most `TLSConnection.encryptLimitInBytes`.
  ///
  /// - Returns: the number of accepted bytes.
  func write(_ bytes: [UInt8], _ range: Range<Int>, on connection: Connection) -> Int {
    let end = min(range.upperBound, range.lowerBound + TLSConnection.encryptLimitInBytes)
    return write(bytes.span.extracting(range.lowerBound..<end), on: connection)
  }

  /// Writes the handler's output like `write(_:on:)`, but adds the send to `tally` instead of the counters. A loop over many
  /// connections adds its tally to the counters once, at its end.
  func write(_ bytes: Span<UInt8>, on connection: Connection, _ tally: inout SendTally) -> Int {
    guard !connection.hasPendingWrites, !connection.isWriteBlocked else { return 0 }
    guard let tls = connection.tls else {
      return recordSend(connection.socket.send(bytes), of: bytes.count, connection, &tally)
    }
    let bytes = bytes.extracting(
      first: counts.isMemoryTight ? Self.fewBytes : TLSConnection.encryptLimitInBytes)
    ciphertext.removeAll(keepingCapacity: true)
    do throws(TLSError) {
      try tls.encrypt(bytes, into: &ciphertext)
    } catch {
      markBroken(connection)
      return 0
    }
    let written = recordSend(
      connection.socket.send(ciphertext.span), of: ciphertext.count, connection, &tally)
    if written < ciphertext.count {
      connection.bufferPendingWrites(ciphertext.span.extracting(droppingFirst: written))
      updateBufferedBytes(of: connection)
    }
    return bytes.count
  }

  /// Writes two buffers with one system call, for a loop over many connections.
  @inline(__always)
  func write(
    _ first: Span<UInt8>, _ second: Span<UInt8>, on connection: Connection, _ tally: inout SendTally
  ) -> Int {
    guard second.isEmpty, connection.tls == nil else {
      return writeBoth(first, second, on: connection, &tally)
    }
    // In the most frequent case, there is only one buffer, and no TLS.
    guard !connection.hasPendingWrites, !connection.isWriteBlocked else { return 0 }
    return recordSend(connection.socket.send(first), of: first.count, connection, &tally)
  }

  private func writeBoth(
    _ first: Span<UInt8>, _ second: Span<UInt8>, on connection: Connection, _ tally: inout SendTally
  ) -> Int {
    guard !second.isEmpty else { return write(first, on: connection, &tally) }
    guard !first.isEmpty else { return write(second, on: connection, &tally) }
    if connection.isSecure {
      // Both buffers are encrypted together, so that the turn needs only one TLS record for this socket.
      joined.removeAll(keepingCapacity: true)
      joined.append(first)
      joined.append(second)
      guard joined.count <= TLSConnection.encryptLimitInBytes else {
        return write(first, on: connection, &tally)
      }
      let record = joined
      return write(record.span, on: connection, &tally)
    }
    guard !connection.hasPendingWrites, !connection.isWriteBlocked else { return 0 }
    return recordSend(
      connection.socket.send(first, second), of: first.count + second.count, connection, &tally)
  }

  private func writeToSocket(_ bytes: Span<UInt8>, on connection: Connection) -> Int {
    var tally = SendTally()
    defer { count(tally) }
    return recordSend(connection.socket.send(bytes), of: bytes.count, connection, &tally)
  }

  /// Marks a connection as broken. The connection is closed only at the end of the turn, because the caller may still use it.
  private func markBroken(_ connection: Connection) {
    connection.isWriteBlocked = true
    broken.append(connection.key)
    hasBroken = true
  }

  private func markBlocked(_ connection: Connection) {
    connection.isWriteBlocked = true
    hastenCheck(of: connection)
  }

  /// Records the outcome of a send of `count` bytes.
  ///
  /// - Returns: the number of bytes that the kernel accepted.
  @inline(__always)
  private func recordSend(
    _ result: SendResult, of count: Int, _ connection: Connection, _ tally: inout SendTally
  ) -> Int {
    tally.calls += 1
    switch result {
    case .sent(let sent):
      tally.bytes += sent
      if sent < count { markBlocked(connection) }
      return sent
    case .wouldBlock:
      markBlocked(connection)
      return 0
    case .failed:
      markBroken(connection)
      return 0
    }
  }

  func count(_ tally: SendTally) {
    counters.values.sendCalls += UInt64(tally.calls)
    counters.values.bytesSent += UInt64(tally.bytes)
  }

  /// Closes connections that broke during a write.
  func closeBroken() {
    while hasBroken {
      let keys = broken
      broken = []
      hasBroken = false
      for key in keys {
        if let connection = table[key] { abort(connection, reason: "the connection broke") }
      }
    }
  }

  // MARK: - Writable sockets

  /// Handles an event for a writable socket.
  func becameWritable(_ connection: Connection) {
    // Nearly every event for input also reports the socket as writable. The `socketBecameWritable` of a WebSocket does nothing,
    // so the call is skipped.
    if !connection.isWebSocket { connection.handler?.socketBecameWritable() }
    guard connection.isWriteBlocked else { return }
    connection.isWriteBlocked = false
    if connection.hasPendingWrites {
      let pending = connection.pendingWrites
      let written = writeToSocket(pending.span, on: connection)
      connection.didWritePending(written)
      updateBufferedBytes(of: connection)
      if written > 0 { connection.handler?.didWritePending() }
      guard !connection.hasPendingWrites else { return }
      if connection.mayHaveInput { readQueue.append(connection) }
    }
    guard let handler = connection.handler else {
      continueLingering(connection)
      return
    }
    handler.becameWritable()
  }

  /// Continues writing to the connections in the write queue.
  func continueWriting() {
    writeQueue.serve { key in
      guard let connection = table[key] else { return }
      connection.isQueuedForWriting = false
      connection.handler?.continueWriting()
    }
  }

  // MARK: - Deferred input

  /// Stores input that cannot be handled now. The socket is not read until `resumeReading` is called.
  func pauseReading(_ connection: Connection, _ bytes: [UInt8], from start: Int, upTo end: Int) {
    connection.isReadingPaused = true
    if start < end { connection.appendDeferredInput(bytes[start..<end]) }
  }

  /// Stores input for the next turn, so that other connections are handled first. Input that is expensive to handle waits in a
  /// separate queue, and a turn handles only a limited amount of it.
  func deferInput(
    _ connection: Connection, _ bytes: [UInt8], from start: Int, upTo end: Int, isExpensive: Bool = false
  ) {
    if isExpensive { connection.isExpensive = true }
    if start < end { connection.appendDeferredInput(bytes[start..<end]) }
    readQueue.append(connection)
  }

  /// Allows a paused connection to be read again. The read happens later, never within this call.
  func resumeReading(_ connection: Connection) {
    guard connection.isReadingPaused else { return }
    connection.isReadingPaused = false
    if connection.mayHaveInput || connection.hasEnded || connection.hasDeferredInput {
      readQueue.append(connection)
    }
  }

  // MARK: - Buffered bytes

  /// Updates the number of buffered bytes of a connection that count toward the limit `incompleteBytes`.
  ///
  /// - Returns: false if the caller must refuse the input. This is the case if three conditions are true: all connections
  ///   together exceed the limit, this connection buffers more than before, and this connection buffers more than
  ///   `Connection.littleBytes`.
  @discardableResult
  func updateBufferedBytes(of connection: Connection) -> Bool {
    guard table.isOpen(connection) else { return true }
    return countBuffered(connection.bufferedBytes, of: connection)
      || connection.countedBytes <= Connection.littleBytes
  }

  @discardableResult
  private func countBuffered(_ bytes: Int, of connection: Connection) -> Bool {
    let change = bytes - connection.countedBytes
    guard change != 0 else { return true }
    connection.countedBytes = bytes
    counters.values.incompleteBytes += Int64(change)
    return counts.addBuffered(change)
  }
}
