internal import SessionCore
internal import HTTP
internal import Networking
internal import Platform
internal import Primitives
internal import Wire

/// Calls of HTTP code on connections and sessions.
extension Reactor {
  var connections: ConnectionTable { io.table }
  var isShareOver: Bool { io.readQueue.isShareOver }

  func write(_ bytes: Span<UInt8>, on connection: Connection) -> Int { io.write(bytes, on: connection) }

  func flushLater(_ connection: Connection) { io.writeQueue.append(connection) }

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

  // MARK: - Sessions

  func find(_ id: SessionID) async -> SessionTable.Found { await sessions.find(id) }
  func findOpen(_ id: SessionID) async -> Result<SessionHost, Refusal> { await sessions.findOpen(id) }
  func missing(_ id: SessionID) -> Refusal { sessions.missing(id) }
  func touchSoon(_ host: SessionHost) { sessions.touch(host) }
  func done(with host: SessionHost) { sessions.finishTask(of: host) }
  func end(
    _ host: SessionHost, by number: ParticipantNumber?, from address: IPAddress? = nil
  ) async throws(Refusal) {
    try await sessions.end(host, by: number, from: address)
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
    hooks.drainHTTP = { [self] in drain($0, $1) }
  }

  /// Ends the references of components to this reactor, after its last turn.
  func disconnectHooks() {
    hooks.receiveHTTP = { _, _, _, _, _ in }
    hooks.peerEndedHTTP = { _, _ in }
    hooks.delayHTTP = { _ in }
    hooks.pump = { _, _ in }
    hooks.willCloseHTTP = { _ in }
    hooks.sweepHTTP = { _, _ in }
    hooks.drainHTTP = { _, _ in }
    reader.answerToPlainText = { _ in [] }
    acceptor.makeHandler = { _ in preconditionFailure("the reactor has stopped") }
    acceptor.refusalBytes = { _ in [] }
  }

  func sweep(_ connection: Connection, _ http: HTTPConversation) {
    if connection.isWriteBlocked { http.transfer?.releaseReadAhead() }
    if connection.deadline <= now { expired(connection, http) }
  }

  private func expired(_ connection: Connection, _ http: HTTPConversation) {
    let isWaitingForRequest = http.reader.isBetweenRequests && http.exchange == nil
    let isHandshaking = connection.tls.map { !$0.isHandshakeComplete } ?? false
    guard !isWaitingForRequest, !http.isBusy, !isHandshaking else {
      if isHandshaking { counters.values.handshakesFailed += 1 }
      close(connection, reason: isHandshaking ? "no TLS handshake in time" : "nothing happened for too long")
      return
    }
    let seconds = http.reader.isInHead ? shared.limits.headSeconds : shared.limits.bodyStallSeconds
    var refusal = Refusal(
      .badRequest,
      http.reader.isInHead
        ? "The request's head did not arrive within \(seconds) s."
        : "Nothing of the request's body arrived for \(seconds) s.", limit: seconds)
    refusal.status = 408
    http.upload?.cutCause = .stalled
    http.closesAfterOutput = true
    send(.problem(refusal), on: connection, http, for: http.exchange?.head)
  }

  /// Ends a connection after its present request, because the gateway stops.
  private func drain(_ connection: Connection, _ http: HTTPConversation) {
    // A resumable upload continues later where it stopped. An upload in a single request would be lost, so it gets the time that a
    // download gets.
    if let upload = http.upload, !http.awaitsAnswer {
      if upload.request.isTus { close(connection) }
    } else if http.isBusy || http.exchange != nil {
      http.closesAfterOutput = true
    } else {
      close(connection)
    }
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

extension Reactor {
  /// Connects the callbacks of components.
  func connectComponents() {
    connectHooks()
    reader.answerToPlainText = { [self] in answerToPlainText($0) }
    acceptor.makeHandler = { [self] in makeHTTP($0) }
    acceptor.refusalBytes = { [self] in refusalBytes($0) }
    uploads.perform = { [unowned self] effect, key in perform(effect, over: key) }

    io.didCloseReserved = { [unowned acceptor] in acceptor.releaseReserved($0) }
    persister.didReturn = { [unowned sessions] in sessions.batchReturned($0) }
    persister.didStore = { [unowned compactor] in compactor.compactIfUseful($0) }
    persister.didLoseOwnership = { [unowned sessions] in sessions.dropLost($0.session.id) }
    compactor.didFinish = { [unowned sessions] in sessions.touch($0.session.id) }
    uploads.didChange = { [unowned sessions] in sessions.touch($0) }
    broadcaster.schedule = { [unowned sessions] in sessions.schedule($0) }
    broadcaster.perform = { [unowned sockets] in sockets.perform($0, in: $1) }
    sockets.receiveText = { [unowned messages] in messages.receive($2, from: $0, in: $1) }
  }

  // MARK: - Calls from other threads

  /// Removes a session of this reactor that is not in memory, and whose time is over.
  func removeStored(_ id: SessionID, hadEnded: Bool) async {
    await sessions.removeStored(id, hadEnded: hadEnded)
  }

  /// Performs an operator's command about a session of this reactor.
  func perform(_ command: SessionCommand) async -> SessionCommand.Answer {
    await sessions.perform(command)
  }

  /// The longest body that the API takes: a payload of 16 KiB, however it is escaped.
  static let apiBodyBytes = 131_072
}

extension Connection {
  /// Its handler, if it speaks HTTP.
  var http: HTTPConversation? { handler as? HTTPConversation }
}
