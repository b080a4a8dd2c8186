internal import HTTP
internal import Networking
internal import Platform

/// The access rule of `/metrics`. If the operator has set a token, each request must contain this token. Otherwise, only requests
/// from this machine are allowed.
///
/// A request from this machine may come from a proxy that forwards requests of other machines. So without a token, a request is
/// refused if the gateway has trusted proxies, if the request has a field that proxies add, or if its host is not a name or
/// address of this machine.
struct MetricsAccess: Sendable {
  /// Fields that proxies add to requests, by configuration or by default.
  private static let proxyFields = [
    "Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP",
  ]
  private static let scheme = "bearer "

  private let token: [UInt8]?
  private let isBehindProxy: Bool

  init(_ configuration: GatewayConfiguration) {
    token = configuration.metricsToken.map { Array($0.utf8) }
    isBehindProxy = configuration.trustedProxies > 0
  }

  /// Checks if a request is allowed to read the metrics. If the request is not allowed, it gets the same answer as a request for
  /// an unknown path.
  ///
  /// - Parameters:
  ///   - head: the request.
  ///   - address: the address of the request's client.
  /// - Returns: true if the request may read the metrics.
  func admits(_ head: RequestHead, from address: IPAddress) -> Bool {
    guard let token else { return isLocal(head, address) }
    guard let field = head.fields.first("Authorization"), field.utf8.count > Self.scheme.utf8.count,
      field.prefix(Self.scheme.count).lowercased() == Self.scheme
    else { return false }
    let given = Array(field.utf8.dropFirst(Self.scheme.utf8.count))
    return areEqualInConstantTime(given.span, token.span)
  }

  private func isLocal(_ head: RequestHead, _ address: IPAddress) -> Bool {
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
