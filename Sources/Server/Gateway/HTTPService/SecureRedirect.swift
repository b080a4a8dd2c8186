internal import HTTP

/// Where a page that was asked for in plain text is to be asked for instead (`--redirect-to-https`).
///
/// Pages and their files only. Who opens a session's socket or posts something is a program, which may not follow, or
/// follow with less than it sent: it is served as it asked. Health and metrics are asked for from nearby.
struct SecureRedirect: Sendable {
  private let isOn: Bool
  private let publicURL: WebOrigin?

  init(_ configuration: GatewayConfiguration) {
    isOn = configuration.redirectsToHTTPS
    publicURL = configuration.publicURL
  }

  /// The address to go to.
  ///
  /// - Parameters:
  ///   - head: the request.
  ///   - route: what it names.
  ///   - client: who asks. What counts is whether its own side is plain text: where a trusted proxy may have ended TLS and does
  ///     not say, nobody is sent to where they may have come from.
  ///   - httpsPort: where the gateway itself takes TLS; nil when it does not.
  /// - Returns: nil when the request is served where it came.
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
      // Whoever means another host is told so, and not sent away.
      return host == publicURL.host ? publicURL.description : nil
    }
    // Of a proxy it is not known where it takes TLS, but by its scheme's own port.
    if isForwarded { return "https://\(host)" }
    return httpsPort.map { "https://\(host)\($0 == 443 ? "" : ":\($0)")" }
  }
}
