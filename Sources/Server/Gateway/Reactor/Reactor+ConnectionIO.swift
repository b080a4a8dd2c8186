internal import SessionCore
internal import HTTP
internal import Networking
internal import Platform
internal import Primitives
internal import Wire

/// Calls of HTTP and WebSocket code on connections.
extension Reactor {
  var connections: ConnectionTable { io.table }
  var isShareOver: Bool { io.readQueue.isShareOver }

  func write(_ bytes: Span<UInt8>, on connection: Connection) -> Int { io.write(bytes, on: connection) }

  func flushLater(_ connection: Connection, isBulk: Bool = false) {
    io.writeQueue.append(connection, isBulk: isBulk)
  }

  @discardableResult
  func countHeld(by connection: Connection) -> Bool { io.updateBufferedBytes(of: connection) }

  func consume(_ connection: Connection, _ buffer: inout [UInt8], from start: Int, upTo end: Int) {
    connection.handler?.receive(&buffer, from: start, upTo: end)
  }

  func pauseWithInput(_ connection: Connection, _ bytes: [UInt8], from start: Int, upTo end: Int) {
    io.pauseReading(connection, bytes, from: start, upTo: end)
  }

  func deferInput(
    _ connection: Connection, _ bytes: [UInt8], from start: Int, upTo end: Int, isExpensive: Bool = false
  ) {
    io.deferInput(connection, bytes, from: start, upTo: end, isExpensive: isExpensive)
  }

  func resumeReading(_ connection: Connection) { io.resumeReading(connection) }
  func lost(_ connection: Connection, reason: String) { io.abort(connection, reason: reason) }

  func close(_ connection: Connection, reason: @autoclosure () -> String = "done") {
    io.close(connection, reason: reason())
  }

  func startLingering(_ connection: Connection) {
    io.linger(connection, isLong: connection.http?.lingersLong ?? false)
  }

  // MARK: - Handlers

  /// Makes the first handler of a connection.
  func makeHTTP(_ connection: Connection) -> HTTPConversation {
    var limits = RequestLimits()
    limits.headBytes = shared.limits.headBytes
    limits.requestLineBytes = limits.headBytes / 4
    limits.fieldBytes = limits.headBytes
    limits.bodyBytes = Self.apiBodyBytes
    return HTTPConversation(connection, hooks, limits: limits)
  }

  func connectHooks() {
    hooks.receiveHTTP = { [self] in receive($0, $1, &$2, from: $3, upTo: $4) }
    hooks.peerEndedHTTP = { [self] in peerEnded($0, $1) }
    hooks.delayHTTP = { [self] in $0.deadline = now + .seconds(shared.limits.bodyStallSeconds) }
    hooks.pump = { [self] in pump($0, $1) }
    hooks.willCloseHTTP = { [self] http in if let upload = http.upload { uploads.disconnect(upload) } }
    hooks.sweepHTTP = { [self] in sweep($0, $1) }
    hooks.receiveWebSocket = { [self] in receive($0, $1, &$2, from: $3, upTo: $4) }
    hooks.becameWritable = { [self] connection, conversation in
      conversation.tookAt = now
      // Each in its turn: a thousand who are being caught up become writable together. Until then nothing else is sent to it,
      // for it may be in the middle of a frame.
      flushLater(connection, isBulk: conversation.subscriber.isCatchingUp)
    }
    hooks.flush = { [self] in flush($0, $1) }
    hooks.broke = { [self] connection, conversation, reason in
      depart(connection, conversation, pageGone: false)
      logClose(connection, conversation, end: reason)
      close(connection, reason: reason)
    }
    hooks.willCloseWebSocket = { [self] connection, conversation in
      releaseInflater(of: connection)
      logClose(connection, conversation, end: "stopped")
    }
    hooks.sweepWebSocket = { [self] in sweep($0, $1) }
  }

  /// Ends the references of components to this reactor, after its last turn.
  func disconnectHooks() {
    hooks.receiveHTTP = { _, _, _, _, _ in }
    hooks.peerEndedHTTP = { _, _ in }
    hooks.delayHTTP = { _ in }
    hooks.pump = { _, _ in }
    hooks.willCloseHTTP = { _ in }
    hooks.sweepHTTP = { _, _ in }
    hooks.receiveWebSocket = { _, _, _, _, _ in }
    hooks.becameWritable = { _, _ in }
    hooks.flush = { _, _ in }
    hooks.broke = { _, _, _ in }
    hooks.willCloseWebSocket = { _, _ in }
    hooks.sweepWebSocket = { _, _ in }
    reader.answerToPlainText = { _ in [] }
    acceptor.makeHandler = { _ in preconditionFailure("the reactor has stopped") }
    acceptor.refusalBytes = { _ in [] }
  }

  private func peerEnded(_ connection: Connection, _ http: HTTPConversation) {
    if http.isBusy {
      connection.isReadingPaused = true
      // Input that TLS brought together with the end is handled first.
      guard !connection.hasDeferredInput, http.upload?.isHoldingBody != true else { return }
      // The peer may still wait for its answer.
      http.closesAfterOutput = true
      pump(connection, http)
    } else if !connection.hasDeferredInput {
      close(connection)
    }
  }

  /// Refuses a request because connections buffer too many bytes.
  func refuseForRoom(_ connection: Connection, _ http: HTTPConversation) {
    var refusal = Refusal(
      .tooMany,
      "This gateway holds as much of half-received requests and messages as it takes. Try again in a moment.",
      limit: shared.limits.incompleteBytes, actual: shared.connectionCounts.bufferedBytes)
    refusal.retryAfterMs = 5_000
    refusal.status = 503
    http.closesAfterOutput = true
    send(.problem(refusal), on: connection, http, for: http.exchange?.head)
  }

  /// Returns the answer for a client that speaks HTTP to the TLS port.
  func answerToPlainText(_ received: Span<UInt8>) -> [UInt8] {
    var reader = RequestReader()
    var position = 0
    var address = shared.boundEndpoints.https.map { "https://\($0)/" } ?? "the https address"
    if case .head(let head)? = try? reader.next(in: received, at: &position), let authority = head.authority {
      address = "https://\(authority)/"
    }
    let text = "This port speaks HTTPS only. Open \(address)\n"
    var bytes: [UInt8] = []
    var head = ResponseHead(
      .badRequest, fields: ["Content-Type": "text/plain; charset=utf-8", "Connection": "close"])
    head.fields.append("Content-Length", "\(text.utf8.count)")
    head.append(to: &bytes)
    bytes.append(contentsOf: text.utf8)
    return bytes
  }

  /// Returns an answer that refuses a connection.
  func refusalBytes(_ refusal: Refusal) -> [UInt8] {
    var bytes: [UInt8] = []
    finish(.problem(refusal), isSecure: false, closes: true).append(to: &bytes)
    bytes.append(contentsOf: refusal.problem())
    return bytes
  }
}

extension Connection {
  /// Its handler, if it speaks HTTP.
  var http: HTTPConversation? { handler as? HTTPConversation }
}
