internal import HTTP
internal import Networking
internal import Platform
internal import Primitives
internal import Wire

/// Requests are read one at a time; while one is answered, the next waits in the kernel.
extension Reactor {
  /// The pieces of a request's body that are handled in one step.
  private static let bodyPiecesPerStep = 1_024

  func receive(
    _ connection: Connection, _ http: HTTPConversation, _ buffer: inout [UInt8], from start: Int,
    upTo end: Int
  ) {
    read(connection, http, &buffer, from: start, upTo: end)
    guard !countHeld(by: connection), connection.http != nil, !http.closesAfterOutput else { return }
    refuseForRoom(connection, http)
  }

  private func read(
    _ connection: Connection, _ http: HTTPConversation, _ buffer: inout [UInt8], from start: Int,
    upTo end: Int
  ) {
    var position = start
    var pieces = 0
    while true {
      guard !http.isBusy, !connection.hasPendingWrites else {
        pauseWithInput(connection, buffer, from: position, upTo: end)
        return
      }
      let wasBetween = http.reader.isBetweenRequests
      if wasBetween, position > start, position < end, isShareOver {
        deferInput(connection, buffer, from: position, upTo: end)
        return
      }
      let event: RequestReader.Event?
      do throws(MessageError) {
        event = try http.reader.next(in: buffer.span.extracting(0..<end), at: &position)
      } catch {
        refuse(connection, http, error)
        return
      }
      if wasBetween, !http.reader.isBetweenRequests {
        connection.deadline = now + .seconds(shared.limits.headSeconds)
      }
      switch event {
      case nil:
        waitForMore(connection, http)
        return
      case .head(let head):
        begin(connection, http, head, rest: buffer, from: position, upTo: end)
        guard readsBody(connection, http, &buffer, from: position, upTo: end) else { return }
      case .body(let range):
        pieces += 1
        connection.deadline = now + .seconds(shared.limits.bodyStallSeconds)
        switch http.exchange?.plan {
        case .createSession: http.exchange?.body.append(contentsOf: buffer[range])
        case .upload(let upload): uploads.receive(buffer[range], of: upload)
        case .answer, .session, .journal, .metrics, nil: break
        }
        guard connections.isOpen(connection), connection.http != nil else {
          return
        }
        guard pieces < Self.bodyPiecesPerStep || position == end || http.isBusy else {
          deferInput(connection, buffer, from: position, upTo: end, isExpensive: true)
          return
        }
      case .end:
        if let exchange = http.exchange {
          complete(connection, http, exchange, rest: buffer, from: position, upTo: end)
        }
        // After a last answer nothing is held any more: what still comes is read and dropped, up to the peer's end.
        guard connections.isOpen(connection), connection.http != nil else {
          return
        }
      }
    }
  }

  /// Passes the input behind the head of a request on, if the request made the connection a WebSocket.
  ///
  /// - Returns: true if the connection still reads requests.
  private func readsBody(
    _ connection: Connection, _ http: HTTPConversation, _ buffer: inout [UInt8], from position: Int,
    upTo end: Int
  ) -> Bool {
    guard connections.isOpen(connection) else { return false }
    guard connection.http != nil else {
      if position < end { consume(connection, &buffer, from: position, upTo: end) }
      return false
    }
    if http.upload == nil { connection.deadline = now + .seconds(shared.limits.bodyStallSeconds) }
    return true
  }

  /// Continues a request that another reactor handed over, and reads the input behind it.
  func resume(_ connection: Connection, _ http: HTTPConversation, _ transfer: ConnectionTransfer) {
    connection.hasServed = true
    var input = transfer.input
    switch transfer.step {
    case .head(let head):
      dispatch(
        connection, http, head, Route(head.path), client(of: head, on: connection), available: input.count)
      guard readsBody(connection, http, &input, from: 0, upTo: input.count) else { return }
    case .end:
      if let exchange = http.exchange {
        complete(connection, http, exchange, rest: input, from: 0, upTo: input.count)
      }
      guard connections.isOpen(connection), connection.http != nil else { return }
    }
    receive(connection, http, &input, from: 0, upTo: input.count)
  }

  private func client(of head: RequestHead, on connection: Connection) -> ForwardedClient {
    ForwardedClient(
      of: head, from: connection.peer.ip, isSecure: connection.isSecure,
      behind: shared.configuration.trustedProxies)
  }

  private func waitForMore(_ connection: Connection, _ http: HTTPConversation) {
    if http.reader.isBetweenRequests, http.exchange == nil, connection.hasServed {
      connection.deadline = now + .seconds(shared.limits.idleSeconds)
    }
  }

  /// Begins a request: refuses it, hands the connection over to the reactor of its session, or dispatches it.
  private func begin(
    _ connection: Connection, _ http: HTTPConversation, _ head: RequestHead, rest: [UInt8],
    from position: Int, upTo end: Int
  ) {
    connection.hasServed = true
    http.headReadAt = now
    let route = Route(head.path)
    let client = client(of: head, on: connection)
    // Monitoring requests come from nearby and may bypass the proxies.
    if !route.isMonitoring {
      shared.proxyWarnings.check(head, from: client, peer: connection.peer.ip, now: now)
    }
    if connection.isReserved, !route.isMonitoring || head.body != .none {
      let refusal = io.counts.tooManyConnections
      logger.log(.connectionRefused(refusal, from: connection.peer.ip))
      http.closesAfterOutput = true
      send(.problem(refusal), on: connection, http, for: head)
      return
    }
    let available = end - position
    if let answer = refusal(of: head, route, client, on: connection) ?? bodyRefusal(of: head, route) {
      note(client, on: connection)
      start(.answer(answer), connection, http, head, route, client, available: available)
    } else if let refusal = admit(client, on: connection, head, route) {
      guard let answer = refuse(refusal, connection, head, route) else { return }
      start(.answer(answer), connection, http, head, route, client, available: available)
    } else if let owner = otherOwner(of: route) {
      handOver(connection, http, to: owner, at: .head(head), input: Array(rest[position..<end]))
    } else {
      dispatch(connection, http, head, route, client, available: available)
    }
  }

  /// Returns the reactor that owns the session of a route; nil if that is this reactor, or the route names no session.
  private func otherOwner(of route: Route) -> Reactor? {
    guard let id = route.session else { return nil }
    let owner = shared.owner(of: id)
    return owner === self ? nil : owner
  }

  /// Starts a request that is not refused. If it names a session, this reactor owns the session.
  private func dispatch(
    _ connection: Connection, _ http: HTTPConversation, _ head: RequestHead, _ route: Route,
    _ client: ForwardedClient, available: Int
  ) {
    let plan: HTTPConversation.Plan
    switch route {
    case .socket(let id):
      guard let answer = upgrade(connection, head, to: id) else { return }
      plan = .answer(answer)
    case .echo:
      guard let answer = upgradeToEcho(connection, head) else { return }
      plan = .answer(answer)
    default:
      plan = self.plan(for: head, route, client, on: connection)
    }
    start(plan, connection, http, head, route, client, available: available)
  }

  /// Starts what a plan does before the body of its request.
  ///
  /// - Parameters:
  ///   - plan: the plan.
  ///   - connection: the connection of the request.
  ///   - http: its HTTP state.
  ///   - head: the head of the request.
  ///   - route: the route of the request.
  ///   - client: the client that sent the request.
  ///   - available: the number of bytes behind the head that have arrived.
  private func start(
    _ plan: HTTPConversation.Plan, _ connection: Connection, _ http: HTTPConversation, _ head: RequestHead,
    _ route: Route, _ client: ForwardedClient, available: Int
  ) {
    http.exchange = HTTPConversation.Exchange(head: head, route: route, client: client, plan: plan)
    http.timed = RequestTimes.Kind(route, plan).map { ($0, http.headReadAt) }
    if case .upload(let upload) = plan {
      startUpload(connection, http, upload)
      return
    }
    if case .answer(let answer) = plan, route.isSocket, head.body != .none {
      // Whoever is in between may take what follows for something else.
      http.closesAfterOutput = true
      send(answer, on: connection, http, for: head)
      return
    }
    if case .answer(let answer) = plan, route.isJournal, Self.isLong(head.body) {
      // Nobody waits for a hundred megabytes to say that they are not wanted.
      http.closesAfterOutput = true
      http.lingersLong = true
      send(answer, on: connection, http, for: head)
      return
    }
    if case .answer(let answer) = plan,
      answersBeforeBody(head, on: connection, available: available)
    {
      http.closesAfterOutput = true
      send(answer, on: connection, http, for: head)
      return
    }
    guard head.expectsContinue else { return }
    if case .answer(let answer) = plan {
      // The client holds its body back: it gets the answer instead, and no second chance on this connection.
      http.closesAfterOutput = true
      send(answer, on: connection, http, for: head)
    } else {
      send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8), on: connection, http)
    }
  }

  /// Whether it is more than is read for politeness.
  static func isLong(_ body: BodyFraming) -> Bool {
    switch body {
    case .none: false
    case .chunked: true
    case .length(let length): length > apiBodyBytes
    }
  }

  /// Too long a body is refused as soon as its length is told, before the client begins to send it.
  private func bodyRefusal(of head: RequestHead, _ route: Route) -> Answer? {
    // What an upload may have, the journal says.
    if route.isJournal, head.method == .post || head.method == .patch { return nil }
    guard case .length(let length) = head.body, length > Self.apiBodyBytes else { return nil }
    return .problem(
      Refusal(
        .messageTooLarge, "A body here has at most \(Self.apiBodyBytes) bytes; this one has \(length).",
        limit: Self.apiBodyBytes, actual: length))
  }

  /// Handles a request that has arrived completely.
  private func complete(
    _ connection: Connection, _ http: HTTPConversation, _ exchange: HTTPConversation.Exchange,
    rest: [UInt8], from position: Int, upTo end: Int
  ) {
    // Its slot is needed for the next request.
    if connection.isReserved { http.closesAfterOutput = true }
    switch exchange.plan {
    case .answer(let answer):
      send(answer, on: connection, http, for: exchange.head)
    case .createSession:
      createSession(connection, http, exchange, rest: rest, from: position, upTo: end)
    case .session(let id):
      describeOrEnd(id, connection, http, exchange)
    case .journal(let request, let id):
      answer(request, of: id, connection, http, exchange.head)
    case .upload(let upload):
      uploads.bodyEnded(of: upload)
    case .metrics:
      sendMetrics(connection, http, exchange.head)
    }
  }

  /// The peer broke a rule of HTTP: says which, and closes.
  private func refuse(_ connection: Connection, _ http: HTTPConversation, _ error: MessageError) {
    if let upload = http.upload, case .bodyTooLarge(_, let actual) = error {
      uploads.bodyIsTooLarge(actual, for: upload)
      return
    }
    var refusal = Refusal(error.status == .contentTooLarge ? .messageTooLarge : .badRequest, "\(error)")
    refusal.status = error.status.code
    if case .bodyTooLarge(let limit, let actual) = error {
      refusal.limit = UInt64(clamping: limit)
      refusal.actual = UInt64(clamping: actual)
    }
    if let upload = http.upload, upload.lease != nil { uploads.logFailure(of: upload, refusal.code) }
    http.closesAfterOutput = true
    send(.problem(refusal), on: connection, http, for: http.exchange?.head)
  }

  // MARK: - Sending

  /// Sends an answer; the conversation goes on, or the connection closes, when the kernel has it.
  func send(
    _ answer: Answer, on connection: Connection, _ http: HTTPConversation, for head: RequestHead?,
    body: HTTPConversation.Output? = nil
  ) {
    http.awaitsAnswer = false
    let route = http.exchange?.route
    let isJournal = route?.isJournal ?? false
    let client = http.exchange?.client
    if let upload = http.upload { uploads.disconnect(upload) }
    http.exchange = nil
    countHeld(by: connection)
    if let head, !head.keepsAlive { http.closesAfterOutput = true }
    if shared.isDraining { http.closesAfterOutput = true }
    if answer.hasUnknownLength, head?.minorVersion == 0 { http.closesAfterOutput = true }
    var answer = answer
    if let head, case .allowed(let origin) = shared.origins.verdict(on: head, forwarded: client?.authority) {
      answer.head.fields.append("Access-Control-Allow-Origin", origin)
      answer.head.fields.append(
        "Access-Control-Expose-Headers", isJournal ? Self.exposedJournalFields : "Location, Retry-After, ETag"
      )
      answer.head.fields.append("Vary", "Origin")
    }
    if isJournal {
      addJournalFields(to: &answer, for: head)
      // What is cached for a year must not be what a page of another site was, or was not, allowed.
      if shared.origins.allowsOthers { answer.head.fields.set("Vary", "Origin") }
    }
    var bytes: [UInt8] = []
    finish(
      answer, isSecure: client?.isSecure ?? connection.isSecure, closes: http.closesAfterOutput, for: head
    ).append(to: &bytes)
    counters.values.answers[StatusLabel(answer.head.status.code)] += 1
    counters.values.requests.count(RequestCounts.Kind(route), status: answer.head.status.code)
    if answer.head.status.code >= 400 {
      shared.log(
        .debug, "request refused",
        [
          "status": .number(answer.head.status.code), "route": "\(RequestCounts.Kind(route).rawValue)",
          "remote": .address(connection.clientAddress),
        ])
    }
    let hasBody = head?.method != .head && !answer.range.isEmpty
    if hasBody, answer.range.count <= 16_384 {
      bytes.append(contentsOf: answer.bytes[answer.range])
      http.output.append(.bytes(bytes, 0..<bytes.count))
    } else {
      http.output.append(.bytes(bytes, 0..<bytes.count))
      if hasBody { http.output.append(.bytes(answer.bytes, answer.range)) }
    }
    if let body, head?.method != .head { http.output.append(body) }
    connection.deadline = now + .seconds(shared.limits.bodyStallSeconds)
    pump(connection, http)
  }

  func send(_ bytes: [UInt8], on connection: Connection, _ http: HTTPConversation) {
    http.output.append(.bytes(bytes, 0..<bytes.count))
    pump(connection, http)
  }

  /// The head with what every answer gets.
  func finish(
    _ answer: Answer, isSecure: Bool, closes: Bool, for head: RequestHead? = nil
  ) -> ResponseHead {
    var response = answer.head
    response.fields.append("Date", currentDate)
    if !response.status.forbidsContent, !answer.hasUnknownLength,
      response.fields.first("Content-Length") == nil
    {
      response.fields.append("Content-Length", "\(answer.range.count)")
    }
    if closes {
      response.fields.append("Connection", "close")
    } else if head?.minorVersion == 0 {
      response.fields.append("Connection", "keep-alive")
    }
    SecurityFields.add(
      to: &response, isSecure: isSecure,
      withTransportSecurity: isSecure && shared.configuration.sendsStrictTransportSecurity)
    return response
  }

  private var currentDate: String {
    let seconds = WallTime.now().secondsSince1970
    if date.at != seconds { date = (seconds, HTTPDate(secondsSinceEpoch: Int(seconds)).description) }
    return date.text
  }

  func write(_ bytes: [UInt8], _ range: Range<Int>, on connection: Connection) -> Int {
    let end = min(range.upperBound, range.lowerBound + TLSConnection.encryptLimitInBytes)
    return write(bytes.span.extracting(range.lowerBound..<end), on: connection)
  }

  /// Gives the kernel what it takes of the answer.
  func pump(_ connection: Connection, _ http: HTTPConversation) {
    var quantum = 4
    while let next = http.output.first {
      guard quantum > 0 else {
        flushLater(connection)
        return
      }
      quantum -= 1
      switch next {
      case .bytes(let bytes, let range):
        // Before the last of it goes: who has an answer may have the next connection on another reactor at once.
        if http.output.count == 1, range.count <= TLSConnection.encryptLimitInBytes, http.exchange == nil,
          !http.awaitsAnswer, !http.lingersLong
        {
          releaseClient(of: connection)
        }
        let taken = write(bytes, range, on: connection)
        guard taken > 0 else { return }
        connection.deadline = now + .seconds(shared.limits.bodyStallSeconds)
        if range.lowerBound + taken == range.upperBound {
          http.output.removeFirst()
        } else {
          http.output[0] = .bytes(bytes, range.lowerBound + taken..<range.upperBound)
        }
      case .file(let transfer):
        switch pump(transfer, connection) {
        case .done: http.output.removeFirst()
        case .ready: break
        case .waiting: return
        }
      case .list(var list):
        if let piece = list.next() {
          http.output[0] = .list(list)
          http.output.insert(.bytes(piece, 0..<piece.count), at: 0)
        } else {
          http.output.removeFirst()
        }
      }
    }
    guard !connection.hasPendingWrites else { return }
    if http.exchange == nil, !http.awaitsAnswer, let (kind, since) = http.timed {
      counters.values.requestTimes.count(kind, .now() - since)
      http.timed = nil
    }
    if http.closesAfterOutput {
      if !http.awaitsAnswer { startLingering(connection) }
    } else if !http.awaitsAnswer {
      if http.exchange == nil {
        connection.deadline = now + .seconds(shared.limits.idleSeconds)
        releaseClient(of: connection)
      }
      resumeReading(connection)
    }
  }
}
