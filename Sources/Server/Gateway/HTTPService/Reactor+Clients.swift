internal import HTTP
internal import Platform
internal import Wire

/// Behind trusted proxies, connections are counted by whose requests they carry: while a request is in hand, and as long as
/// a WebSocket is open. Without them a connection is counted by its peer when it is accepted.
extension Reactor {
  /// How long somebody has to wait with a next socket who has too many.
  private static let retryTimeMs: UInt64 = 5000

  /// Notes whose request a connection carries now.
  func note(_ client: ForwardedClient, on connection: Connection) {
    guard connection.clientAddress != client.address else { return }
    releaseClient(of: connection)
    connection.clientAddress = client.address
  }

  /// Counts a request in with its client, unless that would go beyond `connectionsPerAddress`.
  func admit(
    _ client: ForwardedClient, on connection: Connection, _ head: RequestHead, _ route: Route
  ) -> Refusal? {
    note(client, on: connection)
    // Whoever watches has nothing to send: who takes time for it is counted too.
    guard shared.configuration.trustedProxies > 0, !connection.isCountedForClient,
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

  /// Whether a request is answered before its body has come. Behind proxies nobody is counted with one that is refused: it would
  /// hold a connection for as long as its client takes to send what is not wanted. Without them that is who it counts for.
  ///
  /// - Parameters:
  ///   - head: of the request that is refused.
  ///   - connection: that it came over.
  ///   - available: how many bytes of what follows are here.
  /// - Returns: whether to answer now, and to close then.
  func answersBeforeBody(_ head: RequestHead, on connection: Connection, available: Int) -> Bool {
    guard shared.configuration.trustedProxies > 0, !connection.isCountedForClient else { return false }
    return switch head.body {
    case .none: false
    case .chunked: true
    case .length(let length): length > available
    }
  }

  /// Tells somebody who has too many connections: a browser sees why only after the upgrade (PROTOCOL.md 2).
  /// - Returns: what to answer, unless the connection speaks WebSocket now.
  func refuse(
    _ refusal: Refusal, _ connection: Connection, _ head: RequestHead, _ route: Route
  ) -> Answer? {
    guard case .socket = route else { return .problem(refusal) }
    let reason = CloseReason(
      1013, refusal.code, refusal.detail, retryAfterMs: refusal.retryAfterMs, limit: refusal.limit)
    return upgrade(connection, head, to: nil, closing: reason)
  }

  /// The connection has no request of its client's in hand any more.
  func releaseClient(of connection: Connection) {
    io.releaseClient(of: connection)
  }
}
