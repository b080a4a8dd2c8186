internal import FoundationEssentials
internal import HTTP
package import Wire

/// What a gateway is asked by HTTP.
///
/// Every request waits on a thread of its own kind and never on a thread of Swift's tasks; what is cancelled is given up at
/// once. A request whose connection breaks is made again for a little while: all of them may be made twice.
package struct GatewayAPI: Sendable {
  /// Which gateway.
  package let gateway: GatewayAddress
  let timeouts: RequestTimeouts
  let threads: RequestThreadPool
  let lookups: AddressResolver
  let cache: ContentCache

  /// The requests of a gateway.
  package init(_ gateway: GatewayAddress) {
    self.init(gateway, timeouts: RequestTimeouts())
  }

  init(
    _ gateway: GatewayAddress, timeouts: RequestTimeouts, threads: RequestThreadPool = .shared,
    lookups: AddressResolver = .shared, cache: ContentCache = .shared
  ) {
    self.gateway = gateway
    self.timeouts = timeouts
    self.threads = threads
    self.lookups = lookups
    self.cache = cache
  }

  /// Whether the gateway can be reached and takes sessions (`/readyz`); after 2 s it cannot.
  package func isReady() async -> Bool {
    await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        do throws(SessionClientError) {
          return try await performOnce(HTTPRequest(method: .get, path: "/readyz")).status == 200
        } catch {
          return false
        }
      }
      group.addTask {
        // Cancelled when the answer is there; then nobody asks for this one.
        try? await Task.sleep(for: timeouts.readiness)
        return false
      }
      defer { group.cancelAll() }
      return await group.next() ?? false
    }
  }

  /// Makes a session, or finds the successor that somebody made for the same one just before.
  ///
  /// - Parameters:
  ///   - activity: what it is for.
  ///   - follows: the session that it succeeds, with the token of somebody who is or was in that.
  /// - Returns: the session, which is on the gateway's disk.
  /// - Throws: `SessionClientError`.
  package func makeSession(
    _ activity: Activity, following follows: (session: SessionID, token: Token)? = nil
  ) async throws(SessionClientError) -> SessionObject {
    let body = WireJSON.encode(ActivityRequest(activity: activity, follows: follows?.session))
    var request = HTTPRequest(method: .post, path: "/api/sessions", content: Data(body))
    request.fields.append("Content-Type", "application/json")
    if let follows { request.fields.append("Participant-Token", follows.token.text) }
    // Made twice, for the answer to the first was lost, a session without a successor's name is one that nobody ever
    // joins, and gone ten minutes later.
    let response = try await perform(request, expecting: [200, 201])
    // nil: it is not that.
    if let object = try? WireJSON.decode(SessionObject.self, from: response.body.span) { return object }
    // A successor that is gone already is answered by its id alone; that it is gone is then told here.
    return try await session(decode(SessionName.self, from: response).id)
  }

  /// What the gateway says of a session.
  package func session(_ id: SessionID) async throws(SessionClientError) -> SessionObject {
    let path = "/api/sessions/\(id.text)"
    return try decode(
      SessionObject.self, from: await perform(HTTPRequest(method: .get, path: path), expecting: [200]))
  }

  private struct SessionName: Decodable {
    let id: SessionID
  }
}

// MARK: - Asking

extension GatewayAPI {
  /// Asks what is brief, and again where that may help.
  ///
  /// - Throws: also for an answer of another status than those expected.
  func perform(
    _ request: HTTPRequest, expecting statuses: Set<Int>, for time: Duration? = nil,
    in lane: RequestThreadPool.Lane = .brief
  ) async throws(SessionClientError) -> HTTPResponse {
    var retry = RetryPolicy(timeouts, for: time ?? timeouts.shortRetry)
    while true {
      do throws(SessionClientError) {
        let response = try await performOnce(request, in: lane)
        guard statuses.contains(response.status) else { throw error(for: response) }
        return response
      } catch {
        // That a gateway has too much to do is for its user to know, unless there was time for waiting.
        if time == nil, case .refused = error { throw error }
        try await retry.wait(after: error)
      }
    }
  }

  /// Asks once; whoever receives is given the content, on another thread.
  func performOnce(
    _ request: HTTPRequest, in lane: RequestThreadPool.Lane = .brief,
    into receiver: (any ContentReceiver & Sendable)? = nil
  ) async throws(SessionClientError) -> HTTPResponse {
    let (gateway, timeouts) = (gateway, timeouts)
    let addresses = try await lookups.addresses(of: gateway, within: timeouts.connect)
    return try await threads.run(lane) { cancellation throws(SessionClientError) in
      try HTTPExchange.run(request, to: gateway, at: addresses, timeouts, cancellation, into: receiver)
    }
  }

  /// Reads the JSON of an answer.
  func decode<Value: Decodable>(
    _ type: Value.Type, from response: HTTPResponse
  ) throws(SessionClientError) -> Value {
    do throws(WireError) {
      return try WireJSON.decode(type, from: response.body.span)
    } catch {
      throw .noGateway(
        "what answers at \(gateway) is no gateway: its JSON is not what was asked for (\(error))")
    }
  }
}
