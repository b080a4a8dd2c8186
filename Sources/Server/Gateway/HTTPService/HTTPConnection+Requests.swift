internal import HTTP
internal import Primitives
internal import Networking
internal import Wire

/// The handling of a request, from its head to its answer.
extension HTTPConnection {
  /// The time limit while a request waits for the disk.
  private static let diskTime = Duration.seconds(60)

  /// Begins a request after its head was read: refuses the request, transfers the connection to the reactor of its session, or
  /// dispatches the request.
  func begin(_ head: RequestHead, rest: [UInt8], from position: Int, upTo end: Int) {
    connection.hasServed = true
    let route = Route(head.path)
    let client = service.client(of: head, on: connection)
    // Monitoring requests come from the operator's network and may bypass the proxies, so they need no proxy fields.
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

  /// Refuses a request, because its client has too many connections. A handshake of a WebSocket is accepted first, and the
  /// WebSocket is then closed with the reason: a browser cannot read the reason for a refused handshake (PROTOCOL.md 2).
  ///
  /// - Returns: the answer; nil if the connection speaks WebSocket now.
  private func answer(to refusal: Refusal, _ head: RequestHead, _ route: Route) -> Answer? {
    guard case .socket = route else { return .problem(refusal) }
    let reason = CloseReason(
      1013, refusal.code, refusal.detail, retryAfterMs: refusal.retryAfterMs, limit: refusal.limit)
    return upgrade(head, to: .session(nil, closing: reason))
  }

  /// Starts an accepted request. If the path of the request names a session, this reactor must own the session.
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

  /// Changes the connection to a WebSocket, if the opening handshake is valid.
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

  /// Begins to answer a request, before the request's body is read.
  ///
  /// - Parameters:
  ///   - plan: the way in which the request is answered.
  ///   - head: the head of the request.
  ///   - route: the route of the request.
  ///   - client: the client that sent the request.
  ///   - available: the number of received bytes after the head.
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
      // The answer is sent immediately. Otherwise the client would first send its whole body, perhaps a hundred megabytes.
      closesAfterOutput = true
      lingersLong = true
      send(answer, for: head)
    } else if route.isSocket && head.body != .none || head.expectsContinue
      || service.answersBeforeBody(head, on: connection, available: available)
    {
      // The answer is sent before the body has arrived, and the connection is closed afterwards. There are three such cases.
      // First, a refused handshake with a body: a proxy may interpret the body as WebSocket data. Second, a client that waits for
      // `100 Continue`: it gets the answer instead. The third case is `answersBeforeBody`.
      closesAfterOutput = true
      send(answer, for: head)
    }
  }

  /// Handles a request whose body was received completely.
  ///
  /// - Parameters:
  ///   - exchange: the request.
  ///   - place: the reactor that is chosen for the session that the request creates; nil if no reactor is chosen yet.
  ///   - rest: the buffer with the received bytes after the request.
  ///   - position: the beginning of these bytes.
  ///   - end: the end of these bytes.
  func complete(
    _ exchange: HTTPExchange, at place: SessionPlacement.Place? = nil, rest: [UInt8], from position: Int,
    upTo end: Int
  ) {
    // A reserved connection serves one request only, because other health checks need its slot.
    if connection.isReserved { closesAfterOutput = true }
    switch exchange.plan {
    case .answer(let answer):
      send(answer, for: exchange.head)
    case .upload(let upload):
      service.uploads.bodyEnded(of: upload)
    case .createSession:
      createSession(exchange, at: place, rest: rest, from: position, upTo: end)
    case .session, .attachments, .history, .metrics:
      service.answer(exchange, over: self)
    }
  }

  /// Creates a session, or the successor of a session.
  ///
  /// If the request names a preceding session, and another reactor owns this session, that reactor creates the successor. The
  /// connection is then transferred to that reactor, together with the input that was received after the request.
  private func createSession(
    _ exchange: HTTPExchange, at place: SessionPlacement.Place?, rest: [UInt8], from position: Int,
    upTo end: Int
  ) {
    let request: ActivityRequest
    do throws(WireError) {
      request = try ActivityRequest.decode(exchange.body.span)
    } catch {
      service.logRefusedBody(on: connection)
      send(.problem(error.refusal), for: exchange.head)
      return
    }
    let place = place ?? service.choosePlace(for: request)
    if place.reactor == service.reactor {
      service.createSession(request, at: place, for: exchange, over: self)
    } else {
      service.handOver(self, to: place.reactor, at: .end(place), input: Array(rest[position..<end]))
    }
  }

  /// Refuses a request that violates HTTP, and closes the connection.
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

  /// Ends a connection that made no progress until its deadline. An incomplete request is first answered with 408.
  func expire() {
    let isHandshaking = connection.tls.map { !$0.isHandshakeComplete } ?? false
    guard request.exchange != nil || !request.reader.isBetweenRequests, !isBusy, !isHandshaking else {
      if isHandshaking { service.counters.values.handshakesFailed += 1 }
      io.close(
        connection,
        reason: isHandshaking
          ? "the TLS handshake was not complete in time" : "the connection made no progress for too long")
      return
    }
    let seconds = request.reader.isInHead ? limits.headSeconds : limits.bodyStallSeconds
    var refusal = Refusal(
      .badRequest,
      request.reader.isInHead
        ? "The request's head did not arrive within \(seconds) s."
        : "No bytes of the request's body arrived for \(seconds) s.", limit: seconds)
    refusal.status = 408
    upload?.cutCause = .stalled
    closesAfterOutput = true
    send(.problem(refusal), for: request.exchange?.head)
  }

  // MARK: - Uploads

  /// Starts an upload after its head was read. Its body is not read before the upload has a lease.
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
        // The body is read and discarded before the answer is sent, but at most `attachmentBytes` bytes of it.
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
    // All body bytes may have been handled already. The socket then reports no further event, so this call handles the end of the
    // request.
    var nothing: [UInt8] = []
    receive(&nothing, from: 0, upTo: 0)
  }
}
