internal import HTTP
internal import Networking
internal import Platform

/// The access rule of `/metrics`: requests with the token or, if no token is set, requests from this machine.
///
/// A proxy on this machine forwards requests of others. So without a token no request is allowed that a trusted proxy forwarded,
/// that has a field of a proxy, or that has another host than this machine.
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

  /// Checks whether a request may read the metrics. For other requests the path does not exist.
  ///
  /// - Parameters:
  ///   - head: the request.
  ///   - address: the address of its client.
  /// - Returns: true if it may.
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
    // A page of another site, whose name resolves to this machine, sends that name (DNS rebinding).
    guard
      host == "localhost" || host.hasSuffix(".localhost") || IPAddress(Self.bare(host))?.isLoopback == true
    else { return false }
    return !Self.proxyFields.contains { head.fields.first($0) != nil }
  }

  private static func bare(_ host: String) -> String {
    host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
  }
}
