internal import HTTP
internal import SessionCore
internal import Wire

/// Answers requests that create, describe or end a session of this reactor.
final class SessionRoutes {
  private let sessions: SessionTable
  private let creation: SessionCreation
  private let origins: Origins
  private let networkLinks: NetworkLinks
  private let logger: GatewayLogger

  init(
    _ sessions: SessionTable, _ creation: SessionCreation, origins: Origins, networkLinks: NetworkLinks,
    logger: GatewayLogger
  ) {
    self.sessions = sessions
    self.creation = creation
    self.origins = origins
    self.networkLinks = networkLinks
    self.logger = logger
  }

  /// Answers a request for one session: `GET` describes the session, `DELETE` ends it.
  func describeOrEnd(_ id: SessionID, for head: RequestHead, from client: ForwardedClient) async -> Answer {
    do throws(Refusal) {
      let hosted = try await sessions.findOpen(id).get()
      guard head.method == .delete else {
        var object = hosted.session.object
        object.networkLinks = networkLinks.links(to: object.link, for: head, from: client)
        return .json(.ok, description(of: object))
      }
      guard let token = head.participantToken, let number = hosted.session.number(of: token) else {
        throw Refusal(
          .tokenNeeded,
          "Only a present or former participant can end a session: send its Participant-Token.")
      }
      try await sessions.end(hosted, by: number, from: client.address)
      return Answer(.noContent)
    } catch {
      logger.log(.refused(.request, error.code, EventSubject(session: id)))
      return .problem(error)
    }
  }

  /// Answers a request to create a session, or the successor of a session that this reactor owns.
  func create(_ request: ActivityRequest, for head: RequestHead, from client: ForwardedClient) async -> Answer
  {
    let creator = SessionCreation.Client(address: client.address, countedAddress: client.countedAddress)
    guard let old = request.follows else { return await create(request.activity, for: creator) }
    do throws(Refusal) {
      let hosted = try await sessions.findOpen(old).get()
      switch try await creation.follow(hosted, by: head.participantToken, request.activity, for: creator) {
      case .existing(let id): return created(id, .json(.ok, await description(of: id)))
      case .created(let id, let object): return created(id, .json(.created, description(of: object)))
      }
    } catch {
      logger.log(.refused(.request, error.code, EventSubject(session: old)))
      return .problem(error)
    }
  }

  private func create(_ activity: Activity, for creator: SessionCreation.Client) async -> Answer {
    do throws(Refusal) {
      let host = try await creation.create(activity, for: creator)
      return created(host.id, .json(.created, description(of: host.session.object)))
    } catch {
      logger.log(.refused(.request, error.code, EventSubject(address: creator.address)))
      return .problem(error)
    }
  }

  private func description(of session: SessionObject) -> [UInt8] {
    WireJSON.encode(origins.link(session))
  }

  private func description(of id: SessionID) async -> [UInt8] {
    // The successor may have been removed after it was created. The answer then contains only its id and link.
    guard case .success(let hosted) = await sessions.findOpen(id) else {
      return Array("{\"id\":\"\(id.text)\",\"link\":\"/s/\(id.text)\"}".utf8)
    }
    return description(of: hosted.session.object)
  }

  private func created(_ id: SessionID, _ answer: Answer) -> Answer {
    var answer = answer
    answer.head.fields.append("Location", "/api/sessions/\(id.text)")
    return answer
  }
}

extension RequestHead {
  /// The token in the field `Participant-Token`; nil if the field is missing or malformed.
  var participantToken: Token? { fields.first("Participant-Token").flatMap { Token($0) } }
}
