internal import HTTP

/// Redirects requests for the page from http to https (option `--redirect-to-https`).
///
/// Only requests for the page and its files are redirected. WebSocket handshakes and API requests come from programs that might
/// not follow a redirect, or might not send the body again. Health checks and requests for metrics come from the operator's own
/// network, so they need no redirect.
struct SecureRedirect: Sendable {
  private let isOn: Bool
  private let publicURL: WebOrigin?

  init(_ configuration: GatewayConfiguration) {
    isOn = configuration.redirectsToHTTPS
    publicURL = configuration.publicURL
  }

  /// Returns the https URL to which a request is redirected.
  ///
  /// - Parameters:
  ///   - head: the request.
  ///   - route: its route.
  ///   - client: the client of the request. The request is redirected only if the client is known to use plain text. If a trusted
  ///     proxy terminated TLS without reporting it, a redirect would lead back to the same URL forever.
  ///   - httpsPort: the port of the gateway's https listener; nil without one.
  /// - Returns: the URL; nil if the request is not redirected.
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
      // A request for another host is not redirected but refused.
      return host == publicURL.host ? publicURL.description : nil
    }
    // The gateway does not know the https port of a proxy, so it uses the default port.
    if isForwarded { return "https://\(host)" }
    return httpsPort.map { "https://\(host)\($0 == 443 ? "" : ":\($0)")" }
  }
}
