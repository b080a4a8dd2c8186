internal import HTTP
internal import Networking
internal import Platform

/// Who may read `/metrics`: whoever sends the token, and without one whoever asks from this machine.
///
/// A proxy on this machine asks from it for others. So without a token nobody may who comes over a proxy that is trusted, that
/// says so by a field, or that hands on the name by which it was asked itself.
struct MetricsAccess: Sendable {
  /// What proxies add to a request, whether or not they are told to.
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

  /// Whether who sent this request may read the metrics.
  ///
  /// - Parameters:
  ///   - head: of the request.
  ///   - address: of whoever sent it.
  /// - Returns: whether it gets them; else there is nothing at that address.
  func admits(_ head: RequestHead, from address: IPAddress) -> Bool {
    guard let token else { return isFromHere(head, address) }
    guard let field = head.fields.first("Authorization"), field.utf8.count > Self.scheme.utf8.count,
      field.prefix(Self.scheme.count).lowercased() == Self.scheme
    else { return false }
    let given = Array(field.utf8.dropFirst(Self.scheme.utf8.count))
    return areEqualInConstantTime(given.span, token.span)
  }

  private func isFromHere(_ head: RequestHead, _ address: IPAddress) -> Bool {
    guard !isBehindProxy, address.isLoopback, let host = head.authority?.host.lowercased() else {
      return false
    }
    // A page of another site whose name leads to this machine asks by that name.
    guard
      host == "localhost" || host.hasSuffix(".localhost") || IPAddress(Self.bare(host))?.isLoopback == true
    else { return false }
    return !Self.proxyFields.contains { head.fields.first($0) != nil }
  }

  private static func bare(_ host: String) -> String {
    host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
  }
}
