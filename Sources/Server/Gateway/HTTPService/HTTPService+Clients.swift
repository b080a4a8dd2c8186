internal import HTTP
internal import Networking
internal import Wire

/// The clients of requests, and the limit on connections for each client.
///
/// Behind trusted proxies, a connection counts for the client of its present request. It counts while the request is handled, or
/// while the WebSocket is open. Without proxies, a connection counts for its peer as soon as it is accepted.
extension HTTPService {
  /// The time after which a client with too many connections may open another one.
  private static let retryTimeMs: UInt64 = 5000

  /// Returns the client of a request.
  func client(of head: RequestHead, on connection: Connection) -> ForwardedClient {
    ForwardedClient(
      of: head, from: connection.peer.ip, isSecure: connection.isSecure,
      behind: environment.configuration.trustedProxies)
  }

  /// Logs a warning if the proxy fields of a request do not match the setting `trustedProxies`.
  func checkProxyFields(of head: RequestHead, from client: ForwardedClient, on connection: Connection) {
    environment.proxyWarnings.check(head, from: client, peer: connection.peer.ip, now: now)
  }

  /// Sets the client of the present request of a connection.
  func setClient(_ client: ForwardedClient, of connection: Connection) {
    guard connection.clientAddress != client.address else { return }
    io.releaseClient(of: connection)
    connection.clientAddress = client.address
  }

  /// Counts the connection of a request toward the limit `connectionsPerAddress` of the request's client, unless the limit is
  /// reached. Does not count the connection if the gateway has no trusted proxies.
  ///
  /// - Returns: the refusal; nil if the request is admitted.
  func admit(
    _ client: ForwardedClient, on connection: Connection, _ head: RequestHead, _ route: Route
  ) -> Refusal? {
    setClient(client, of: connection)
    // A monitoring request without a body is not counted. With a body, it is counted like any other request, because the body may
    // take long to arrive.
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

  /// Returns true if a refused request must be answered before its body has arrived. In this case, the connection is closed after
  /// the answer.
  ///
  /// Behind trusted proxies, the connection of a refused request is not counted for the request's client. If the gateway waited
  /// for the body, a client could occupy any number of uncounted connections. Without proxies, there is no such problem, because
  /// each connection counts for its peer.
  ///
  /// - Parameters:
  ///   - head: the head of the request.
  ///   - connection: the connection of the request.
  ///   - available: the number of received bytes after the head.
  /// - Returns: true if the answer must be sent before the body has arrived.
  func answersBeforeBody(_ head: RequestHead, on connection: Connection, available: Int) -> Bool {
    guard environment.configuration.trustedProxies > 0, !connection.isCountedForClient else { return false }
    return switch head.body {
    case .none: false
    case .chunked: true
    case .length(let length): length > available
    }
  }
}
