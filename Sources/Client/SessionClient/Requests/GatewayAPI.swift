internal import FoundationEssentials
internal import HTTP
package import Wire

/// The HTTP requests to a gateway.
///
/// Every request blocks a thread of `RequestThreadPool`, and never a thread that runs Swift's tasks. A cancelled request ends
/// immediately. A request whose connection breaks is repeated for a short time, which is safe for all requests.
package struct GatewayAPI: Sendable {
  /// The address of the gateway.
  package let gateway: GatewayAddress
  let timeouts: RequestTimeouts
  let threads: RequestThreadPool
  let lookups: AddressResolver
  let cache: ContentCache

  /// Creates the API of a gateway.
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

  /// Returns true if the gateway responds and accepts sessions (`/readyz`) within 2 s.
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
        // This task is cancelled when the response arrives first. Its result is then not used.
        try? await Task.sleep(for: timeouts.readiness)
        return false
      }
      defer { group.cancelAll() }
      return await group.next() ?? false
    }
  }

  /// Creates a session, or returns the successor that another participant has just created.
  ///
  /// - Parameters:
  ///   - activity: the session's activity.
  ///   - follows: the predecessor of the new session, with the token of a present or former participant of that session.
  /// - Returns: the session, which is on the gateway's disk.
  /// - Throws: `SessionClientError`.
  package func makeSession(
    _ activity: Activity, following follows: (session: SessionID, token: Token)? = nil
  ) async throws(SessionClientError) -> SessionObject {
    let body = WireJSON.encode(ActivityRequest(activity: activity, follows: follows?.session))
    var request = HTTPRequest(method: .post, path: "/api/sessions", content: Data(body))
    request.fields.append("Content-Type", "application/json")
    if let follows { request.fields.append("Participant-Token", follows.token.text) }
    // If the first response was lost, the repeated request creates a second session, unless the request names a predecessor. No
    // participant joins the first session, and it expires after ten minutes.
    let response = try await perform(request, expecting: [200, 201])
    // A response that is not a session object is decoded below.
    if let object = try? WireJSON.decode(SessionObject.self, from: response.body.span) { return object }
    // If the successor has expired, the response contains only the successor's id, and the request for the description fails with
    // the reason.
    return try await session(decode(SessionName.self, from: response).id)
  }

  /// Returns the gateway's description of a session.
  package func session(_ id: SessionID) async throws(SessionClientError) -> SessionObject {
    let path = "/api/sessions/\(id.text)"
    return try decode(
      SessionObject.self, from: await perform(HTTPRequest(method: .get, path: path), expecting: [200]))
  }

  private struct SessionName: Decodable {
    let id: SessionID
  }
}

// MARK: - Making requests

extension GatewayAPI {
  /// Makes a short request, and repeats it after temporary errors.
  ///
  /// - Throws: `SessionClientError`, also for a response with an unexpected status.
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
        // A refusal by a busy gateway is reported to the user immediately, unless the caller allows time for retries.
        if time == nil, case .refused = error { throw error }
        try await retry.wait(after: error)
      }
    }
  }

  /// Makes a request once. `receiver` gets the response body on another thread.
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

  /// Decodes the JSON of a response.
  func decode<Value: Decodable>(
    _ type: Value.Type, from response: HTTPResponse
  ) throws(SessionClientError) -> Value {
    do throws(WireError) {
      return try WireJSON.decode(type, from: response.body.span)
    } catch {
      throw .noGateway(
        "the server at \(gateway) is not a gateway: its JSON response cannot be decoded (\(error))")
    }
  }
}
