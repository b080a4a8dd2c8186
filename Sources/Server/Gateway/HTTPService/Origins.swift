internal import HTTP
internal import Wire

/// The gateway's own origin, and the origins of other sites whose pages may use the gateway.
struct Origins: Sendable {
  private let publicURL: WebOrigin?
  private let allowed: Set<WebOrigin>

  init(_ configuration: GatewayConfiguration) {
    publicURL = configuration.publicURL
    allowed = Set(configuration.allowedOrigins)
  }

  /// True if pages of other sites may use the gateway.
  var allowsOthers: Bool { !allowed.isEmpty }

  /// The kind of a request's `Origin`.
  enum Verdict: Equatable {
    /// The origin is the gateway's own. Or the request has no `Origin` field, so it does not come from a script of another site.
    case own
    /// The origin of another site that the operator has allowed. The response contains CORS fields.
    case allowed(String)
    case foreign(String)
  }

  /// Checks a request's `Origin`.
  ///
  /// - Parameters:
  ///   - head: the request.
  ///   - forwarded: the original host of the request, as a trusted proxy reports it; nil if no proxy reports a host.
  /// - Returns: the kind of the origin.
  func verdict(on head: RequestHead, forwarded: Authority?) -> Verdict {
    let origins = head.fields.all("Origin")
    guard let text = origins.first else { return .own }
    guard origins.count == 1, let origin = WebOrigin(text) else { return .foreign(text) }
    if isOwn(origin.host, Self.port(origin), head, forwarded) { return .own }
    return allowed.contains(origin) ? .allowed(text) : .foreign(text)
  }

  /// Returns true if the field `Referer` names a page of another site. `forwarded` is the original host of the request, as a
  /// trusted proxy reports it; nil if no proxy reports a host.
  func isCrossSiteReferral(_ head: RequestHead, forwarded: Authority?) -> Bool {
    guard let referrer = head.fields.first("Referer") else { return false }
    let parts = referrer.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count >= 3, let authority = Authority(String(parts[2])) else { return true }
    return !isOwn(authority.host, Self.port(authority), head, forwarded)
  }

  /// Returns true if a host and port are those of the public URL, or those to which the request was sent.
  ///
  /// A proxy with TLS may pass on requests to the gateway in plain text, which changes the scheme and the default port. So the
  /// scheme is ignored, and the ports 80 and 443 count as no port.
  private func isOwn(_ host: String, _ port: UInt16?, _ head: RequestHead, _ forwarded: Authority?) -> Bool {
    if let publicURL, host == publicURL.host, port == Self.port(publicURL) { return true }
    return [head.authority, forwarded].contains { authority in
      authority.map { $0.host == host && Self.port($0) == port } ?? false
    }
  }

  /// Returns true if the operator has set a public URL and the request is for another host.
  func isMisdirected(_ head: RequestHead, forwarded: Authority?) -> Bool {
    guard let publicURL else { return false }
    guard let authority = forwarded ?? head.authority else { return true }
    return authority.host != publicURL.host || Self.port(authority) != Self.port(publicURL)
  }

  /// Returns a copy of the description of a session. If a public URL is set, the link in the copy is absolute. Without a public
  /// URL, the link stays relative.
  func link(_ session: SessionObject) -> SessionObject {
    guard let publicURL else { return session }
    var session = session
    session.link = "\(publicURL)\(session.link)"
    return session
  }

  private static func port(_ origin: WebOrigin) -> UInt16? {
    origin.port == 80 || origin.port == 443 ? nil : origin.port
  }

  private static func port(_ authority: Authority) -> UInt16? {
    guard let port = authority.port, port != 80, port != 443 else { return nil }
    return UInt16(clamping: port)
  }
}
