internal import HTTP
internal import Networking
internal import Wire

/// The clients of requests.
///
/// Behind trusted proxies, a connection is counted for the client of its request, while the request is handled or while a
/// WebSocket is open. Without proxies, a connection is counted for its peer from the time at which it is accepted.
extension HTTPService {
  /// The time after which a client with too many connections may open another one.
  private static let retryTimeMs: UInt64 = 5000

  /// Returns the client of a request.
  func client(of head: RequestHead, on connection: Connection) -> ForwardedClient {
    ForwardedClient(
      of: head, from: connection.peer.ip, isSecure: connection.isSecure,
      behind: environment.configuration.trustedProxies)
  }

  /// Logs a warning if proxy fields do not match the settings.
  func checkProxyFields(of head: RequestHead, from client: ForwardedClient, on connection: Connection) {
    environment.proxyWarnings.check(head, from: client, peer: connection.peer.ip, now: now)
  }

  /// Sets the client of the present request of a connection.
  func setClient(_ client: ForwardedClient, of connection: Connection) {
    guard connection.clientAddress != client.address else { return }
    io.releaseClient(of: connection)
    connection.clientAddress = client.address
  }

  /// Counts a request for its client, unless the limit `connectionsPerAddress` is reached.
  ///
  /// - Returns: the refusal; nil if the request is admitted.
  func admit(
    _ client: ForwardedClient, on connection: Connection, _ head: RequestHead, _ route: Route
  ) -> Refusal? {
    setClient(client, of: connection)
    // A monitoring request has no body. A request with a body takes time, so it is counted.
    guard environment.configuration.trustedProxies > 0, !connection.isCountedForClient,
      !route.isMonitoring || head.body != .none, let address = client.countedAddress
    else { return nil }
    if var refusal = io.counts.admitClient(address) {
      logger.log(.refused(.connection, refusal.code, EventSubject(address: address)))
      refusal.status = 429
      refusal.retryAfterMs = Self.retryTimeMs
      return refusal
    }
    connection.isCountedForClient = true
    return nil
  }

  /// Decides if a refused request is answered before its body has arrived. The connection is then closed.
  ///
  /// Behind proxies a refused request is not counted for its client. Waiting for its body would occupy an uncounted connection
  /// until the client has sent the body. Without proxies, the connection is counted for its peer.
  ///
  /// - Parameters:
  ///   - head: the head of the request.
  ///   - connection: the connection of the request.
  ///   - available: the number of received bytes after the head.
  /// - Returns: true for an answer before the body.
  func answersBeforeBody(_ head: RequestHead, on connection: Connection, available: Int) -> Bool {
    guard environment.configuration.trustedProxies > 0, !connection.isCountedForClient else { return false }
    return switch head.body {
    case .none: false
    case .chunked: true
    case .length(let length): length > available
    }
  }
}
