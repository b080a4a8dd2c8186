internal import HTTP
internal import Primitives
internal import Networking
internal import Wire

/// The way of a request from its head to its answer.
extension HTTPConnection {
  /// The longest time that the disk may take for a buffer.
  private static let diskTime = Duration.seconds(60)

  /// Begins a request: refuses it, hands the connection over to the reactor of its session, or dispatches it.
  func begin(_ head: RequestHead, rest: [UInt8], from position: Int, upTo end: Int) {
    connection.hasServed = true
    let route = Route(head.path)
    let client = service.client(of: head, on: connection)
    // Monitoring requests come from nearby and may bypass the proxies.
    if !route.isMonitoring { service.checkProxyFields(of: head, from: client, on: connection) }
    if connection.isReserved, !route.isMonitoring || head.body != .none {
      closesAfterOutput = true
      send(.problem(service.refusalBeyondLimit(of: connection)), for: head)
      return
    }
    let available = end - position
    if let answer = service.immediateAnswer(to: head, route, from: client) {
      service.setClient(client, of: connection)
      start(.answer(answer), head, route, client, available: available)
    } else if let refusal = service.admit(client, on: connection, head, route) {
      guard let answer = answer(to: refusal, head, route) else { return }
      start(.answer(answer), head, route, client, available: available)
    } else if let owner = route.session.flatMap({ service.otherOwner(of: $0) }) {
      service.handOver(self, to: owner, at: .head(head), input: Array(rest[position..<end]))
    } else {
      dispatch(head, route, client, available: available)
    }
  }

  /// Refuses a client that has too many connections. For a WebSocket, a browser sees the reason only after the upgrade (PROTOCOL.md 2).
  ///
  /// - Returns: the answer; nil if the connection speaks WebSocket now.
  private func answer(to refusal: Refusal, _ head: RequestHead, _ route: Route) -> Answer? {
    guard case .socket = route else { return .problem(refusal) }
    let reason = CloseReason(
      1013, refusal.code, refusal.detail, retryAfterMs: refusal.retryAfterMs, limit: refusal.limit)
    return upgrade(head, to: .session(nil, closing: reason))
  }

  /// Starts a request that is not refused. If it names a session, this reactor owns the session.
  func dispatch(_ head: RequestHead, _ route: Route, _ client: ForwardedClient, available: Int) {
    let plan: HTTPExchange.Plan
    switch route {
    case .socket(let id):
      guard let answer = upgrade(head, to: .session(id)) else { return }
      plan = .answer(answer)
    case .echo:
      guard let answer = upgrade(head, to: .echo) else { return }
      plan = .answer(answer)
    default:
      plan = service.plan(for: head, route, client, over: connection)
    }
    start(plan, head, route, client, available: available)
  }

  /// Makes the connection a WebSocket.
  ///
  /// - Returns: the answer if the handshake is refused; nil if the connection speaks WebSocket now.
  private func upgrade(_ head: RequestHead, to target: WebSocketUpgrade.Target) -> Answer? {
    switch service.webSocketUpgrade.evaluate(head, for: target) {
    case .accepted(let handshake):
      service.openWebSocket(connection, handshake, target)
      return nil
    case .refused(let answer):
      return answer
    }
  }

  /// Starts the part of a plan that comes before the body of its request.
  ///
  /// - Parameters:
  ///   - plan: the plan.
  ///   - head: the head of the request.
  ///   - route: the route of the request.
  ///   - client: the client that sent the request.
  ///   - available: the number of bytes behind the head that have arrived.
  private func start(
    _ plan: HTTPExchange.Plan, _ head: RequestHead, _ route: Route, _ client: ForwardedClient, available: Int
  ) {
    setExchange(HTTPExchange(head: head, route: route, client: client, plan: plan))
    if case .upload(let upload) = plan {
      startUpload(upload)
      return
    }
    guard case .answer(let answer) = plan else {
      if head.expectsContinue { sendContinue() }
      return
    }
    if route.isForAttachments, Router.isLong(head.body) {
      // The client need not send a hundred megabytes before it is refused.
      closesAfterOutput = true
      lingersLong = true
      send(answer, for: head)
    } else if route.isSocket && head.body != .none || head.expectsContinue
      || service.answersBeforeBody(head, on: connection, available: available)
    {
      // Behind a refused handshake, proxies may mistake the body for something else. A client that waits for `100 Continue` gets
      // the answer instead, and no further request on this connection.
      closesAfterOutput = true
      send(answer, for: head)
    }
  }

  /// Handles a request that has arrived completely.
  func complete(_ exchange: HTTPExchange, rest: [UInt8], from position: Int, upTo end: Int) {
    // The next request needs its slot.
    if connection.isReserved { closesAfterOutput = true }
    switch exchange.plan {
    case .answer(let answer):
      send(answer, for: exchange.head)
    case .upload(let upload):
      service.uploads.bodyEnded(of: upload)
    case .createSession:
      createSession(exchange, rest: rest, from: position, upTo: end)
    case .session, .attachments, .metrics:
      service.answer(exchange, over: self)
    }
  }

  /// Creates a session, or the successor of a session.
  ///
  /// The successor of another reactor's session is created there: the connection is handed over with the input behind the request.
  private func createSession(_ exchange: HTTPExchange, rest: [UInt8], from position: Int, upTo end: Int) {
    let request: ActivityRequest
    do throws(WireError) {
      request = try ActivityRequest.decode(exchange.body.span)
    } catch {
      service.logRefusedBody(on: connection)
      send(.problem(error.refusal), for: exchange.head)
      return
    }
    if let owner = request.follows.flatMap({ service.otherOwner(of: $0) }) {
      service.handOver(self, to: owner, at: .end, input: Array(rest[position..<end]))
    } else {
      service.createSession(request, for: exchange, over: self)
    }
  }

  /// Refuses a request that breaks a rule of HTTP, and closes the connection.
  func refuse(_ error: MessageError) {
    if let upload, case .bodyTooLarge(_, let actual) = error {
      service.uploads.bodyIsTooLarge(actual, for: upload)
      return
    }
    var refusal = Refusal(error.status == .contentTooLarge ? .messageTooLarge : .badRequest, "\(error)")
    refusal.status = error.status.code
    if case .bodyTooLarge(let limit, let actual) = error {
      refusal.limit = UInt64(clamping: limit)
      refusal.actual = UInt64(clamping: actual)
    }
    if let upload, upload.lease != nil { service.uploads.logFailure(of: upload, refusal.code) }
    closesAfterOutput = true
    send(.problem(refusal), for: request.exchange?.head)
  }

  /// Ends a connection on which nothing happened in time.
  func expire() {
    let isHandshaking = connection.tls.map { !$0.isHandshakeComplete } ?? false
    guard request.exchange != nil || !request.reader.isBetweenRequests, !isBusy, !isHandshaking else {
      if isHandshaking { service.counters.values.handshakesFailed += 1 }
      io.close(
        connection, reason: isHandshaking ? "no TLS handshake in time" : "nothing happened for too long")
      return
    }
    let seconds = request.reader.isInHead ? limits.headSeconds : limits.bodyStallSeconds
    var refusal = Refusal(
      .badRequest,
      request.reader.isInHead
        ? "The request's head did not arrive within \(seconds) s."
        : "Nothing of the request's body arrived for \(seconds) s.", limit: seconds)
    refusal.status = 408
    upload?.cutCause = .stalled
    closesAfterOutput = true
    send(.problem(refusal), for: request.exchange?.head)
  }

  // MARK: - Uploads

  /// Starts an upload whose body is about to arrive.
  private func startUpload(_ upload: Upload) {
    request.reader.bodyLimit = .max
    awaitDisk()
    service.open(upload)
  }

  private func awaitDisk() { connection.deadline = now + Self.diskTime }

  /// Performs an action for the upload of the present request.
  func perform(_ effect: UploadEffect) {
    guard upload != nil, let head = request.exchange?.head else { return }
    switch effect {
    case .readBody(let limit):
      request.reader.bodyLimit = Int(clamping: limit)
      if head.expectsContinue { sendContinue() }
      resumeBody()
    case .resumeBody:
      resumeBody()
    case .awaitDisk:
      awaitDisk()
    case .awaitAnswer:
      awaitsAnswer = true
      awaitDisk()
    case .dropBody(let answer):
      guard head.expectsContinue else {
        // At most this much is read of a request whose answer is known.
        request.reader.bodyLimit = limits.attachmentBytes
        resumeBody()
        return
      }
      closesAfterOutput = true
      send(answer, for: head)
    case .answer(let answer):
      send(answer, for: head)
    case .refuse(let answer):
      closesAfterOutput = true
      lingersLong = true
      send(answer, for: head)
    case .close:
      io.close(connection)
    }
  }

  /// Continues to read a body.
  private func resumeBody() {
    extendDeadline()
    io.resumeReading(connection)
    guard !connection.hasDeferredInput else { return }
    // The rest may be only the end of the request, for which no byte is needed.
    var nothing: [UInt8] = []
    receive(&nothing, from: 0, upTo: 0)
  }
}
