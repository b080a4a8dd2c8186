internal import HTTP
internal import Networking
internal import Platform

/// The access rule of `/metrics`. If the operator has set a token, each request must contain this token. Otherwise, only local
/// requests are allowed (`LocalRequests`).
struct MetricsAccess: Sendable {
  private static let scheme = "bearer "

  private let token: [UInt8]?
  private let localRequests: LocalRequests

  init(_ configuration: GatewayConfiguration) {
    token = configuration.metricsToken.map { Array($0.utf8) }
    localRequests = LocalRequests(configuration)
  }

  /// Checks if a request is allowed to read the metrics. If the request is not allowed, it gets the same answer as a request for
  /// an unknown path.
  ///
  /// - Parameters:
  ///   - head: the request.
  ///   - address: the address of the request's client.
  /// - Returns: true if the request may read the metrics.
  func admits(_ head: RequestHead, from address: IPAddress) -> Bool {
    guard let token else { return localRequests.contains(head, from: address) }
    guard let field = head.fields.first("Authorization"), field.utf8.count > Self.scheme.utf8.count,
      field.prefix(Self.scheme.count).lowercased() == Self.scheme
    else { return false }
    let given = Array(field.utf8.dropFirst(Self.scheme.utf8.count))
    return areEqualInConstantTime(given.span, token.span)
  }
}
