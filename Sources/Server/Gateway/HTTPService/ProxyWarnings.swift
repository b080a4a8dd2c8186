internal import HTTP
internal import Networking
internal import Platform
internal import Primitives

/// Logs a warning when a request shows that the settings do not match the proxies in front of the gateway.
///
/// Any request can cause a warning, so each kind of warning is logged once an hour at most. All reactors share one object of this
/// class.
final class ProxyWarnings: Sendable {
  private enum Kind: Hashable {
    /// The setting for trusted proxies is above 0, but no proxy names the client of the request.
    case missingClient
    /// A proxy names the client, but the setting for trusted proxies is 0.
    case untrustedProxy
    /// The request is for a host other than that of the public URL.
    case otherHost
  }

  /// The minimum time between two warnings of the same kind.
  static let interval = Duration.seconds(3600)
  /// The maximum number of bytes of a host that are logged. A client may send a very long host.
  private static let loggedHostBytes = 100

  private let trustedProxies: Int
  private let publicURL: WebOrigin?
  private let log: Log
  private let warnedAt = Guarded<[Kind: MonotonicTime]>([:])

  init(_ configuration: GatewayConfiguration, log: Log) {
    trustedProxies = configuration.trustedProxies
    publicURL = configuration.publicURL
    self.log = log
  }

  /// Checks the proxy fields of a request.
  ///
  /// - Parameters:
  ///   - head: the request.
  ///   - client: the client of the request.
  ///   - peer: the other end of the request's connection.
  ///   - now: the present time.
  func check(_ head: RequestHead, from client: ForwardedClient, peer: IPAddress, now: MonotonicTime) {
    if trustedProxies == 0 {
      warnOfUntrustedProxy(head, peer: peer, now: now)
    } else if !client.isForwarded {
      warnOfMissingClient(head, peer: peer, now: now)
    }
  }

  /// Warns that a request for a host other than that of the public URL was refused.
  func warnOfOtherHost(_ head: RequestHead, from client: ForwardedClient, now: MonotonicTime) {
    guard let expected = publicURL, mayWarn(of: .otherHost, now: now) else { return }
    let authority = client.authority ?? head.authority
    var host = authority.map { $0.host + ($0.port.map { ":\($0)" } ?? "") } ?? ""
    if host.utf8.count > Self.loggedHostBytes { host = host.prefix(Self.loggedHostBytes) + "…" }
    log(
      .warning, "request for another host",
      [
        "remote": .address(client.address), "host": "\(host)", "expected": "\(expected)",
        "reason":
          "only requests for the host of --public-url are accepted: check this flag, and that proxies pass on Host",
      ])
  }

  /// Warns that the proxies do not name the client of a request. All such requests count for one client, which soon reaches its
  /// limits.
  private func warnOfMissingClient(_ head: RequestHead, peer: IPAddress, now: MonotonicTime) {
    guard mayWarn(of: .missingClient, now: now) else { return }
    log(
      .warning, "proxy names no client",
      [
        "remote": .address(peer), "trustProxy": .number(trustedProxies),
        "reason": "\(ForwardedClient.missingClientReason(head, behind: trustedProxies))",
      ])
  }

  /// Warns that a peer with a private address seems to be a proxy of the operator, but is not trusted. All clients behind such a
  /// proxy count as one client.
  private func warnOfUntrustedProxy(_ head: RequestHead, peer: IPAddress, now: MonotonicTime) {
    guard peer.isLoopback || peer.isPrivate, let name = ForwardedHop.clientField(in: head.fields),
      mayWarn(of: .untrustedProxy, now: now)
    else { return }
    log(
      .warning, "proxy is not trusted",
      [
        "remote": .address(peer), "trustProxy": 0,
        "reason":
          "requests have \(name), which is ignored: with one proxy in front of the gateway, set --trust-proxy to 1",
      ])
  }

  /// Returns true if a warning of this kind may be logged now. In this case, records the warning as logged.
  private func mayWarn(of kind: Kind, now: MonotonicTime) -> Bool {
    warnedAt.withLock { warnedAt in
      if let last = warnedAt[kind], now - last < Self.interval { return false }
      warnedAt[kind] = now
      return true
    }
  }
}
