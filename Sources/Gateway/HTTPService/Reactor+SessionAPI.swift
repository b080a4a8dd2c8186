internal import FoundationEssentials
internal import HTTP
internal import SessionCore
internal import Transport
internal import Wire

/// What HTTP asks of sessions: to be made, described, followed and ended.
extension Reactor {
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

  /// Sends an answer that was not there at once, if the connection still is.
  func deliver(
    _ answer: Answer, to key: Connection.Key, _ head: RequestHead, body: HTTPConversation.Output? = nil
  ) {
    now = .now()
    guard let connection = connection(key), case .http(let http) = connection.state else { return }
    send(answer, on: connection, http, for: head, body: body)
    // The loop may have nothing else to wake for.
    loop.wake()
  }

  /// Why there is no session of that id.
  func missing(_ id: SessionID) -> Refusal {
    ended.contains(id, now: instant)
      ? Refusal(.ended, "This session has ended.") : Refusal(.notFound, "There is no such session.")
  }

  /// Answers for a session of this reactor.
  func perform(_ request: SessionRequest, on id: SessionID) -> Answer {
    now = .now()
    guard let hosted = sessions[id] else { return .problem(missing(id)) }
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
    removeJournal(of: hosted)
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
