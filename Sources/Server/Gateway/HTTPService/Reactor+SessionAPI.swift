internal import Primitives
internal import FoundationEssentials
internal import HTTP
internal import SessionCore
internal import Storage
internal import Networking
internal import Platform
internal import Wire

/// HTTP requests that create, describe and end sessions of this reactor.
extension Reactor {
  /// Answers a request for a session.
  func describeOrEnd(
    _ id: SessionID, _ connection: Connection, _ http: HTTPConversation, _ exchange: HTTPConversation.Exchange
  ) {
    http.awaitsAnswer = true
    let (key, head, client) = (connection.key, exchange.head, exchange.client)
    Task {
      let answer: Answer
      do throws(Refusal) {
        let hosted = try await findOpen(id).get()
        if head.method == .delete {
          answer = try await end(hosted, for: head, from: client)
        } else {
          answer = .json(.ok, WireJSON.encode(shared.origins.link(hosted.session.object)))
        }
      } catch {
        answer = refused(error, id)
      }
      deliver(answer, to: key, head)
    }
  }

  /// Sends an answer that was made asynchronously, unless the connection has closed.
  func deliver(
    _ answer: Answer, to key: Connection.Key, _ head: RequestHead, body: HTTPConversation.Output? = nil
  ) {
    guard let connection = connections[key], let http = connection.http else { return }
    send(answer, on: connection, http, for: head, body: body)
  }

  private func refused(_ refusal: Refusal, _ id: SessionID) -> Answer {
    logger.log(.refused(.request, refusal.code, EventSubject(session: id)))
    return .problem(refusal)
  }

  private func end(
    _ hosted: SessionHost, for head: RequestHead, from client: ForwardedClient
  ) async throws(Refusal) -> Answer {
    guard let token = head.participantToken, let number = hosted.session.number(of: token) else {
      throw Refusal(.tokenNeeded, "Only who is or was in a session ends it: send its Participant-Token.")
    }
    try await end(hosted, by: number, from: client.address)
    return Answer(.noContent)
  }

  /// Answers a request for the successor of a session.
  private func follow(
    _ old: SessionID, _ activity: Activity, _ connection: Connection, _ http: HTTPConversation,
    _ exchange: HTTPConversation.Exchange
  ) {
    http.awaitsAnswer = true
    let (key, head, client) = (connection.key, exchange.head, exchange.client)
    Task {
      let answer: Answer
      do throws(Refusal) {
        let hosted = try await findOpen(old).get()
        answer = try await follow(hosted, head.participantToken, activity, from: client)
      } catch {
        answer = refused(error, old)
      }
      deliver(answer, to: key, head)
    }
  }

  private func follow(
    _ hosted: SessionHost, _ token: Token?, _ activity: Activity, from client: ForwardedClient
  ) async throws(Refusal) -> Answer {
    guard let token, hosted.session.isKnown(token) else { throw .noTokenToFollow }
    hosted.tasksInHand += 1
    defer { done(with: hosted) }
    // One at a time: who asks meanwhile gets the same session.
    while hosted.isBeingFollowed {
      await withCheckedContinuation { hosted.followers.append($0) }
    }
    guard !hosted.isRemoved else { throw .ended }
    if let successor = hosted.session.recentSuccessor(now: now) {
      return created(successor, .json(.ok, await describe(successor)))
    }
    hosted.isBeingFollowed = true
    defer {
      hosted.isBeingFollowed = false
      for continuation in hosted.followers { continuation.resume() }
      hosted.followers = []
    }
    let session = try await makeSession(
      activity, from: client, following: hosted.session.id, by: hosted.session.number(of: token))
    guard !hosted.isRemoved else { throw .ended }
    let following = try hosted.session.follow(by: token, now: now) { session.id }
    touchSoon(hosted)
    // The new session is on the disk; that the old one tells of it is worth waiting for, but not more.
    _ = await persister.waitUntilStored(hosted.stored)
    return created(following.id, .json(.created, WireJSON.encode(shared.origins.link(session.object))))
  }

  /// Creates a session, or the successor of a session. The body of the request has arrived.
  ///
  /// The successor of another reactor's session is created there: the connection is handed over with the input behind the request.
  func createSession(
    _ connection: Connection, _ http: HTTPConversation, _ exchange: HTTPConversation.Exchange,
    rest: [UInt8], from position: Int, upTo end: Int
  ) {
    let client = exchange.client
    do throws(WireError) {
      let request = try ActivityRequest.decode(exchange.body.span)
      if let old = request.follows {
        let owner = shared.owner(of: old)
        if owner === self {
          follow(old, request.activity, connection, http, exchange)
        } else {
          handOver(connection, http, to: owner, at: .end, input: Array(rest[position..<end]))
        }
        return
      }
      http.awaitsAnswer = true
      let (key, head) = (connection.key, exchange.head)
      Task { deliver(await created(request.activity, from: client), to: key, head) }
    } catch {
      logger.log(.refused(.request, .badRequest, EventSubject(address: connection.clientAddress)))
      send(.problem(error.refusal), on: connection, http, for: exchange.head)
    }
  }

  private func created(_ activity: Activity, from client: ForwardedClient) async -> Answer {
    do throws(Refusal) {
      let session = try await makeSession(activity, from: client)
      return created(session.id, .json(.created, WireJSON.encode(shared.origins.link(session.object))))
    } catch {
      logger.log(.refused(.request, error.code, EventSubject(address: client.address)))
      return .problem(error)
    }
  }

  private func describe(_ id: SessionID) async -> [UInt8] {
    // A successor named before may be gone already; its id is still the answer.
    guard case .open(let hosted) = await find(id) else {
      return Array("{\"id\":\"\(id.text)\",\"link\":\"/s/\(id.text)\"}".utf8)
    }
    return WireJSON.encode(shared.origins.link(hosted.session.object))
  }

  private func created(_ id: SessionID, _ answer: Answer) -> Answer {
    var answer = answer
    answer.head.fields.append("Location", "/api/sessions/\(id.text)")
    return answer
  }

  /// Makes a session of this reactor's own: ids are drawn until one falls to it. It is on the disk before anybody hears of it.
  private func makeSession(
    _ activity: Activity, from client: ForwardedClient, following former: SessionID? = nil,
    by number: ParticipantNumber? = nil
  ) async throws(Refusal) -> Session {
    if let refusal = shared.disk.refusal(now: now) { throw refusal }
    // Sessions that an earlier process left count too.
    if !shared.ledger.isLoaded { await shared.sweeper?.load() }
    var id = SessionID(random: SecureRandom.bytes(16))
    while shared.owner(of: id) !== self { id = SessionID(random: SecureRandom.bytes(16)) }
    let creator = client.countedAddress.map { shared.pseudonyms.pseudonym(of: $0) }
    if let refusal = shared.admitSession(id, from: client, creator: creator, now: now) { throw refusal }
    let session = Session(
      id: id, epoch: .freshEpoch, activity: activity,
      createdAt: Date(timeIntervalSince1970: Double(shared.removal.clock.wall().secondsSince1970)),
      limits: shared.limits, now: now, creator: creator,
      saving: shared.saving,
      digest: TokenDigest.ofToken)
    session.folder = shared.folder
    let hosted = SessionHost(session, compressor: sessions.compressor)
    do throws(StorageError) {
      try await shared.store.create(id, session.firstRecords())
    } catch {
      shared.ledger.forget(id)
      if error.isOfDisk { persister.reportDisk(error) }
      shared.log(.error, "session not created", ["reason": "\(error)"])
      throw error.isOutOfDescriptors ? .outOfDescriptors : .notSaved
    }
    sessions.insert(hosted)
    persister.reportBytes(of: hosted.stored)
    sessions.schedule(hosted)
    counters.values.sessionsCreated += 1
    shared.log(
      .info, "session created",
      [
        "session": .session(id), "remote": .address(client.address),
        "follows": former.map { .session($0) } ?? "", "participant": .number(number ?? 0),
      ])
    return session
  }
}

extension RequestHead {
  /// The token in `Participant-Token`; nil if it is missing or malformed.
  var participantToken: Token? { fields.first("Participant-Token").flatMap { Token($0) } }
}

extension Refusal {
  static var noTokenToFollow: Refusal {
    Refusal(.tokenNeeded, "Only who is or was in a session makes its successor: send its Participant-Token.")
  }
}
