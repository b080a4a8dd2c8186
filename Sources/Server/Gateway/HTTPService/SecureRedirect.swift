internal import HTTP

/// Redirects plain-text requests for the page to https (`--redirect-to-https`).
///
/// Only the page and its files are redirected. WebSockets and API requests come from programs, which may not follow a redirect,
/// or follow it without the body. Health checks and metrics are requested within the operator's network.
struct SecureRedirect: Sendable {
  private let isOn: Bool
  private let publicURL: WebOrigin?

  init(_ configuration: GatewayConfiguration) {
    isOn = configuration.redirectsToHTTPS
    publicURL = configuration.publicURL
  }

  /// Finds the https URL for a request.
  ///
  /// - Parameters:
  ///   - head: the request.
  ///   - route: its route.
  ///   - client: its client, which must be known to use plain text: if a trusted proxy may have terminated TLS and does not say
  ///     so, a redirect could lead back to the same URL.
  ///   - httpsPort: the port of the gateway's https listener; nil without one.
  /// - Returns: the URL; nil if the request is served in plain text.
  func target(
    of head: RequestHead, _ route: Route, from client: ForwardedClient, httpsPort: UInt16?
  ) -> String? {
    guard isOn, client.isKnownPlain, route == .file, head.method == .get || head.method == .head,
      let host = (client.authority ?? head.authority)?.host,
      let origin = origin(host, isForwarded: client.isForwarded, httpsPort: httpsPort)
    else { return nil }
    return "\(origin)\(head.path)\(head.query.map { "?\($0)" } ?? "")"
  }

  private func origin(_ host: String, isForwarded: Bool, httpsPort: UInt16?) -> String? {
    if let publicURL {
      // A request for another host is refused instead.
      return host == publicURL.host ? publicURL.description : nil
    }
    // The https port of a proxy is unknown, so the default port is used.
    if isForwarded { return "https://\(host)" }
    return httpsPort.map { "https://\(host)\($0 == 443 ? "" : ":\($0)")" }
  }
}
