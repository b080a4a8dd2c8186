internal import HTTP
internal import Networking

/// The requests that count as local: they come from a program or a page on this machine.
///
/// A request from this machine may come from a proxy that forwards requests of other machines. So a request does not count as local
/// if the gateway has trusted proxies, if the request has a field that proxies add, or if its host is neither `localhost` (or a
/// name below it) nor a loopback address.
struct LocalRequests: Sendable {
  /// Fields that proxies add to requests, by configuration or by default.
  private static let proxyFields = [
    "Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP",
  ]

  private let isBehindProxy: Bool

  init(_ configuration: GatewayConfiguration) {
    isBehindProxy = configuration.trustedProxies > 0
  }

  /// Returns true if a request counts as local. `address` is the address of the request's client.
  func contains(_ head: RequestHead, from address: IPAddress) -> Bool {
    guard !isBehindProxy, address.isLoopback, let host = head.authority?.host.lowercased() else {
      return false
    }
    // This check prevents DNS rebinding: if the name of another site resolves to this machine, the requests of that site's pages
    // arrive from this machine, but with the site's name as the host.
    guard
      host == "localhost" || host.hasSuffix(".localhost") || IPAddress(Self.bare(host))?.isLoopback == true
    else { return false }
    return !Self.proxyFields.contains { head.fields.first($0) != nil }
  }

  private static func bare(_ host: String) -> String {
    host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
  }
}
