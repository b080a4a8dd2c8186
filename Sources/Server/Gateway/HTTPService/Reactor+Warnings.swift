internal import Networking
internal import HTTP
internal import Platform

/// What may be wrong with the settings, as requests show it. Any request can, so each kind is told once an hour at most.
enum RareWarning: Hashable {
  /// Trusted proxies do not tell of clients.
  case untoldClients
  /// Proxies tell of clients, and none is trusted.
  case untrustedProxy
  /// Requests come to another address than the public one.
  case otherAddress

  /// How long after one of a kind the next may come.
  static let interval = Duration.seconds(3600)
}

extension Reactor {
  /// Of a name that somebody made up, so much is shown.
  private static let shownBytes = 100

  /// Says, if trusted proxies do not tell of a client, that all such count as one, which is soon too many.
  func warnOfUntold(_ head: RequestHead, _ client: ForwardedClient, on connection: Connection) {
    let proxies = shared.configuration.trustedProxies
    guard proxies > 0, !client.isForwarded, shared.mayWarn(of: .untoldClients, now: now) else { return }
    shared.log(
      .warning, "proxy tells of no client",
      [
        "remote": .address(connection.peer.ip), "trustProxy": .number(proxies),
        "reason": "\(ForwardedClient.missingClientReason(head, behind: proxies))",
      ])
  }

  /// Says that what looks like a proxy of the operator's is not believed: whoever comes by it counts as one client.
  func warnOfUntrusted(_ head: RequestHead, on connection: Connection) {
    let peer = connection.peer.ip
    guard shared.configuration.trustedProxies == 0, peer.isLoopback || peer.isPrivate,
      let name = ForwardedHop.tellingField(in: head.fields), shared.mayWarn(of: .untrustedProxy, now: now)
    else { return }
    shared.log(
      .warning, "proxy is not trusted",
      [
        "remote": .address(connection.peer.ip), "trustProxy": 0,
        "reason":
          "requests come with \(name), which is not believed: with one proxy in front, --trust-proxy takes 1",
      ])
  }

  /// Says that requests come to another address than the one in `--public-url`, which are all refused.
  func warnOfOtherAddress(_ head: RequestHead, _ client: ForwardedClient, on connection: Connection) {
    guard let expected = shared.configuration.publicURL, shared.mayWarn(of: .otherAddress, now: now) else {
      return
    }
    let named = client.authority ?? head.authority
    var host = named.map { $0.host + ($0.port.map { ":\($0)" } ?? "") } ?? ""
    if host.utf8.count > Self.shownBytes { host = host.prefix(Self.shownBytes) + "…" }
    shared.log(
      .warning, "addressed by another name",
      [
        "remote": .address(client.address), "host": "\(host)", "expected": "\(expected)",
        "reason":
          "only requests to the host of --public-url are taken: is that right, and does a proxy pass Host on?",
      ])
  }
}
