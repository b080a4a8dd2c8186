internal import FoundationEssentials
internal import HTTP
internal import SessionCore
internal import Transport
internal import Wire

/// The HTTP API: sessions, limits, health, metrics, files.
extension Reactor {
  /// What speaks against a request before it is looked at: wrong host, foreign origin, a method that the address does not take.
  func refusal(of head: RequestHead, _ route: Route, _ connection: Connection) -> Answer? {
    switch route {
    case .healthz, .readyz, .metrics: break
    default:
      if shared.origins.isMisdirected(head) {
        var refusal = Refusal(.badRequest, "This gateway is reached at another address.")
        refusal.status = 421
        return .problem(refusal)
      }
    }
    if case .other(let name) = head.method {
      var refusal = Refusal(.badRequest, "The method \(name) is not known here.")
      refusal.status = 501
      return .problem(refusal)
    }
    let verdict = shared.origins.judge(head)
    if case .foreign = verdict, refusesForeignOrigin(head, route) {
      counters.refusals[.originRefused] += 1
      return .problem(
        Refusal(
          .originRefused, "Pages of another site may not use this gateway: --allowed-origins names who may."))
    }
    if head.method == .options { return preflight(route, verdict) }
    if route != .file, route != .unknownAPI, !route.takes(head.method) {
      return .methodNotAllowed(route.methods)
    }
    if shared.configuration.redirectsToHTTPS, !connection.isSecure, let target = secureTarget(of: head, route)
    {
      return Answer(.permanentRedirect, fields: ["Location": target])
    }
    return nil
  }

  private func refusesForeignOrigin(_ head: RequestHead, _ route: Route) -> Bool {
    switch (head.method, route) {
    case (_, .echo): false
    case (_, .socket), (.post, _), (.put, _), (.patch, _), (.delete, _): true
    default: false
    }
  }

  /// What a page of an allowed site asks before it asks (Fetch, CORS preflight).
  private func preflight(_ route: Route, _ verdict: OriginPolicy.Verdict) -> Answer {
    var answer = Answer(.noContent, fields: ["Allow": route.methods])
    if case .allowed = verdict {
      answer.head.fields.append("Access-Control-Allow-Methods", route.methods)
      answer.head.fields.append("Access-Control-Allow-Headers", "Content-Type, Participant-Token")
      answer.head.fields.append("Access-Control-Max-Age", "600")
    }
    return answer
  }

  /// The https address of a page that was asked for in plain text.
  private func secureTarget(of head: RequestHead, _ route: Route) -> String? {
    guard route == .file, head.method == .get || head.method == .head,
      let host = head.authority?.host, let port = shared.boundEndpoints.https?.port
    else { return nil }
    return "https://\(host)\(port == 443 ? "" : ":\(port)")\(head.target.hasPrefix("/") ? head.target : "/")"
  }

  /// What will be done about a request that nothing speaks against.
  func plan(for head: RequestHead, _ route: Route, _ connection: Connection) -> HTTPConversation.Plan {
    switch route {
    case .sessions:
      return shared.isDraining ? .answer(unavailable) : .createSession
    case .session(let id):
      return id.map { .askOwner($0) } ?? .answer(notFound)
    case .socket, .echo, .unknownAPI:
      return .answer(notFound)
    case .limits:
      return .answer(.json(.ok, WireJSON.encode(shared.limits)))
    case .healthz:
      return .answer(.text(.ok, "alive\n"))
    case .readyz:
      return .answer(shared.isDraining ? unavailable : .text(.ok, "ready\n"))
    case .metrics:
      return .answer(mayReadMetrics(head, connection) ? metrics : notFound)
    case .file:
      let date = HTTPDate(secondsSinceEpoch: Int(WallTime.now().secondsSince1970))
      return .answer(shared.files.answer(to: head, now: date).map { Answer($0) } ?? notFound)
    }
  }

  private var notFound: Answer { .problem(Refusal(.notFound, "There is nothing at this address.")) }

  private var unavailable: Answer {
    var refusal = Refusal(.unavailable, "The gateway is about to restart: try again in a moment.")
    refusal.retryAfterMs = 2000
    return .problem(refusal)
  }

  private func mayReadMetrics(_ head: RequestHead, _ connection: Connection) -> Bool {
    guard let token = shared.configuration.metricsToken else { return connection.peer.isLoopback }
    let wanted = Array("Bearer \(token)".utf8)
    let given = Array((head.fields.first("Authorization") ?? "").utf8)
    return areEqualInConstantTime(given.span, wanted.span)
  }

  private var metrics: Answer {
    shared.board.publish(counters, reactor: number)
    let build = MetricsText.Build(
      version: Product.version, swiftVersion: Product.swiftVersion, openSSLVersion: Product.openSSLVersion,
      startTime: shared.startedAt.secondsSince1970)
    return .text(.ok, MetricsText.render(shared.board.total, build: build), type: MetricsText.contentType)
  }

  // MARK: - Sessions

  /// What a request asks of the reactor that owns a session.
  enum SessionRequest: Sendable {
    case describe
    case end(Token?)
    case follow(Token?, Activity, from: IPAddress)
  }

  /// Has the owner of a session answer, whichever reactor that is.
  func askOwner(
    of id: SessionID, _ request: SessionRequest, _ connection: Connection, _ http: HTTPConversation,
    head: RequestHead
  ) {
    let owner = shared.owner(of: id)
    if owner === self {
      send(perform(request, on: id), on: connection, http, for: head)
      return
    }
    http.awaitsAnswer = true
    let key = connection.key
    Task {
      let answer = await owner.perform(request, on: id)
      deliver(answer, to: key, head)
    }
  }

  private func deliver(_ answer: Answer, to key: Connection.Key, _ head: RequestHead) {
    now = .now()
    guard let connection = connection(key), case .http(let http) = connection.state else { return }
    send(answer, on: connection, http, for: head)
    // The loop may have nothing else to wake for.
    loop.wake()
  }

  /// Answers for a session of this reactor.
  func perform(_ request: SessionRequest, on id: SessionID) -> Answer {
    now = .now()
    guard let hosted = sessions[id] else {
      let isEnded = ended.contains(id, now: instant)
      return .problem(
        isEnded
          ? Refusal(.ended, "This session has ended.") : Refusal(.notFound, "There is no such session."))
    }
    switch request {
    case .describe:
      return .json(.ok, WireJSON.encode(shared.origins.link(hosted.session.object)))
    case .end(let token):
      guard let token, hosted.session.isKnown(token) else {
        return .problem(
          Refusal(.tokenNeeded, "Only who is or was in a session ends it: send its Participant-Token."))
      }
      end(hosted)
      loop.wake()
      return Answer(.noContent)
    case .follow(let token, let activity, let address):
      return follow(hosted, token, activity, from: address)
    }
  }

  private func follow(
    _ hosted: Hosted, _ token: Token?, _ activity: Activity, from address: IPAddress
  ) -> Answer {
    guard let token else {
      return .problem(
        Refusal(
          .tokenNeeded, "Only who is or was in a session makes its successor: send its Participant-Token."))
    }
    do throws(Refusal) {
      let following = try hosted.session.follow(by: token, now: instant) { () throws(Refusal) in
        try makeSession(activity, from: address).id
      }
      touch(hosted)
      loop.wake()
      return created(following.id, .json(following.isNew ? .created : .ok, describe(following.id)))
    } catch {
      counters.refusals[error.code] += 1
      return .problem(error)
    }
  }

  /// `POST /api/sessions`, with its body.
  func createSession(
    _ connection: Connection, _ http: HTTPConversation, _ exchange: HTTPConversation.Exchange
  ) {
    let address = clientAddress(exchange.head, connection)
    do throws(WireError) {
      let request = try ActivityRequest.decode(exchange.body.span)
      if let old = request.follows {
        let token = exchange.head.fields.first("Participant-Token").flatMap { Token($0) }
        askOwner(
          of: old, .follow(token, request.activity, from: address), connection, http,
          head: exchange.head)
        return
      }
      let answer: Answer
      do throws(Refusal) {
        let session = try makeSession(request.activity, from: address)
        answer = created(session.id, .json(.created, describe(session.id)))
      } catch {
        counters.refusals[error.code] += 1
        answer = .problem(error)
      }
      send(answer, on: connection, http, for: exchange.head)
    } catch {
      counters.refusals[.badRequest] += 1
      send(.problem(error.refusal), on: connection, http, for: exchange.head)
    }
  }

  /// Where a request comes from. Of `X-Forwarded-For` only what the trusted proxies wrote is believed: each adds one at the end.
  private func clientAddress(_ head: RequestHead, _ connection: Connection) -> IPAddress {
    let proxies = shared.configuration.trustedProxies
    let hops = head.fields.tokens(of: "X-Forwarded-For")
    guard proxies > 0, hops.count >= proxies else { return connection.peer.ip }
    return IPAddress(hops[hops.count - proxies]) ?? connection.peer.ip
  }

  private func describe(_ id: SessionID) -> [UInt8] {
    // A successor named before may be gone already; its id is still the answer.
    guard let hosted = sessions[id] else {
      return Array("{\"id\":\"\(id.text)\",\"link\":\"/s/\(id.text)\"}".utf8)
    }
    return WireJSON.encode(shared.origins.link(hosted.session.object))
  }

  private func created(_ id: SessionID, _ answer: Answer) -> Answer {
    var answer = answer
    answer.head.fields.append("Location", "/api/sessions/\(id.text)")
    return answer
  }

  /// Makes a session of this reactor's own: ids are drawn until one falls to it.
  private func makeSession(_ activity: Activity, from address: IPAddress) throws(Refusal) -> Session {
    if let refusal = shared.admitSession(from: address, now: now) { throw refusal }
    var id = SessionID(random: SecureRandom.bytes(16))
    while shared.owner(of: id) !== self { id = SessionID(random: SecureRandom.bytes(16)) }
    let epoch = SessionID(random: SecureRandom.bytes(16)).text
    let session = Session(
      id: id, epoch: epoch, activity: activity,
      createdAt: Date(timeIntervalSince1970: Double(WallTime.now().secondsSince1970)), limits: shared.limits,
      now: instant)
    let hosted = Hosted(session)
    sessions[id] = hosted
    schedule(hosted)
    counters.sessions += 1
    counters.sessionsCreated += 1
    shared.log(.info, "session created", ["session": .session(id)])
    return session
  }

  /// Ends a session for everyone.
  func end(_ hosted: Hosted) {
    let session = hosted.session
    shared.log(.info, "session ended", ["session": .session(session.id)])
    // What was said before goes out before.
    session.endTurn(now: instant)
    flush(session, budget: .max)
    let effects = session.end()
    remove(hosted)
    perform(effects, in: hosted)
  }

  /// Takes a session out of the table; who asks for it is told that it ended.
  func remove(_ hosted: Hosted) {
    guard sessions.removeValue(forKey: hosted.session.id) != nil else { return }
    collectCounters(hosted)
    note(hosted, participants: 0, logBytes: 0)
    hosted.isRemoved = true
    ended.insert(hosted.session.id, now: instant)
    counters.sessions -= 1
    counters.sessionsEnded += 1
    shared.releaseSession()
  }
}

extension SessionID {
  /// An id of 16 random bytes.
  init(random bytes: [UInt8]) {
    self.init(high: bytes.span.uint64(at: 0), low: bytes.span.uint64(at: 8))
  }
}

extension Token {
  /// A token of 16 random bytes.
  init(random bytes: [UInt8]) {
    self.init(high: bytes.span.uint64(at: 0), low: bytes.span.uint64(at: 8))
  }
}
