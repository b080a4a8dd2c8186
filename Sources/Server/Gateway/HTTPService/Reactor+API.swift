internal import Networking
internal import FoundationEssentials
internal import HTTP
internal import SessionCore
internal import Platform
internal import Primitives
internal import Wire

/// The HTTP API: sessions, limits, health, metrics, files.
extension Reactor {
  /// What speaks against a request before it is looked at: wrong host, foreign origin, a method that the address does not take.
  func refusal(
    of head: RequestHead, _ route: Route, _ client: ForwardedClient, on connection: Connection
  ) -> Answer? {
    if let target = shared.redirect.target(
      of: head, route, from: client, httpsPort: shared.boundEndpoints.https?.port)
    {
      // Else browsers would keep to it after the setting is gone; to bind them is what --hsts is for.
      return Answer(.permanentRedirect, fields: ["Location": target, "Cache-Control": "no-store"])
    }
    switch route {
    case .healthz, .readyz, .metrics: break
    default:
      if shared.origins.isMisdirected(head, forwarded: client.authority) {
        shared.proxyWarnings.warnOfOtherHost(head, from: client, now: now)
        let address = shared.configuration.publicURL.map { "\($0)" } ?? "another address"
        var refusal = Refusal(.badRequest, "This gateway is reached at \(address) only.")
        refusal.status = 421
        return .problem(refusal)
      }
    }
    if case .other(let name) = head.method {
      var refusal = Refusal(.badRequest, "The method \(name) is not known here.")
      refusal.status = 501
      return .problem(refusal)
    }
    let verdict = shared.origins.verdict(on: head, forwarded: client.authority)
    if case .foreign = verdict, refusesForeignOrigin(head, route) {
      logger.log(.refused(.request, .originRefused, EventSubject(address: client.address)))
      return .problem(
        Refusal(
          .originRefused, "Pages of another site may not use this gateway: --allowed-origins names who may."))
    }
    if head.method == .options { return preflight(route, verdict) }
    if route != .file, route != .unknownAPI, !route.allows(Tus.method(of: head)) {
      return .methodNotAllowed(route.methods)
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
  private func preflight(_ route: Route, _ verdict: Origins.Verdict) -> Answer {
    var answer = Answer(.noContent, fields: ["Allow": route.methods])
    if case .allowed = verdict {
      answer.head.fields.append("Access-Control-Allow-Methods", route.methods)
      answer.head.fields.append(
        "Access-Control-Allow-Headers",
        route.isJournal ? Self.acceptedJournalFields : "Content-Type, Participant-Token")
      answer.head.fields.append("Access-Control-Max-Age", "600")
    }
    if route.isJournal { Tus.announce(in: &answer, limits: shared.limits) }
    return answer
  }

  /// What will be done about a request that nothing speaks against.
  func plan(
    for head: RequestHead, _ route: Route, _ client: ForwardedClient, on connection: Connection
  ) -> HTTPConversation.Plan {
    switch route {
    case .sessions:
      return shared.isDraining ? .answer(unavailable) : .createSession
    case .session(nil), .attachments(nil), .attachment(nil, _):
      return .answer(.problem(Refusal(.notFound, "There is no such session.")))
    case .session(let id?):
      return .session(id)
    case .attachments(let id?):
      return planAttachments(for: head, of: id, nil, from: client, on: connection)
    case .attachment(let id?, let attachment):
      return attachment.map { planAttachments(for: head, of: id, $0, from: client, on: connection) }
        ?? .answer(.problem(.noAttachment))
    case .socket, .echo, .unknownAPI:
      return .answer(notFound)
    case .limits:
      return .answer(.json(.ok, WireJSON.encode(shared.limits)))
    case .healthz:
      return .answer(liveness)
    case .readyz:
      return .answer(readiness)
    case .metrics:
      return shared.metricsAccess.admits(head, from: client.address) ? .metrics : .answer(notFound)
    case .file:
      let date = HTTPDate(secondsSinceEpoch: Int(WallTime.now().secondsSince1970))
      let isReferred = shared.origins.isCrossSiteReferral(head, forwarded: client.authority)
      let answer = shared.files.answer(to: head, isCrossSiteReferral: isReferred, now: date)
      return .answer(answer.map { Answer($0) } ?? notFound)
    }
  }

  /// The answer of `/readyz`: 503 from the request to stop on. Neither a full disk nor the connection limit matters here, because
  /// existing boards and connections are still served.
  private var readiness: Answer {
    shared.isStopping ? unavailable : .status("ready")
  }

  private var notFound: Answer { .problem(Refusal(.notFound, "There is nothing at this address.")) }

  private var unavailable: Answer {
    var refusal = Refusal(.unavailable, "The gateway is about to restart: try again in a moment.")
    refusal.retryAfterMs = 2000
    return .problem(refusal)
  }

  /// Whether only a restart helps. The disk is not asked.
  private var liveness: Answer {
    let hanging = shared.hangingReactors(seenBy: number, now: now)
    guard let first = hanging.first else { return .status("alive") }
    var refusal = Refusal(
      .internal, "A thread of the gateway hangs: reactor \(first) has done nothing for too long.")
    refusal.status = 503
    return .problem(refusal)
  }

  /// Has the metrics made and sent. What other reactors counted in the last hundredths of a second may be missing.
  func sendMetrics(_ connection: Connection, _ http: HTTPConversation, _ head: RequestHead) {
    http.awaitsAnswer = true
    publisher.publish()
    let (key, status) = (connection.key, shared.status(now: now))
    Task {
      let page = await shared.metrics.render(shared.board, status, startedAt: shared.startedAt)
      deliver(.text(.ok, page, type: MetricsText.contentType), to: key, head)
    }
  }
}
