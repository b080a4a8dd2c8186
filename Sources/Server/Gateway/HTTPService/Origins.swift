internal import HTTP
internal import Wire

/// Whose pages may use the gateway, and under which name it is addressed.
struct Origins: Sendable {
  private let publicURL: WebOrigin?
  private let allowed: Set<WebOrigin>

  init(_ configuration: GatewayConfiguration) {
    publicURL = configuration.publicURL
    allowed = Set(configuration.allowedOrigins)
  }

  /// Whether pages of other sites may use the gateway.
  var allowsOthers: Bool { !allowed.isEmpty }

  /// What came of looking at a request's `Origin`.
  enum Verdict: Equatable {
    /// None was sent (no browser did), or it is our own.
    case own
    /// Another site's, which the operator allowed: it gets CORS.
    case allowed(String)
    case foreign(String)
  }

  /// Looks at a request's `Origin`. `forwarded` is where it was addressed to before a trusted proxy wrote another `Host`, if
  /// one tells.
  func verdict(on head: RequestHead, forwarded: Authority?) -> Verdict {
    let origins = head.fields.all("Origin")
    guard let text = origins.first else { return .own }
    guard origins.count == 1, let origin = WebOrigin(text) else { return .foreign(text) }
    if isOwn(origin.host, Self.port(origin), head, forwarded) { return .own }
    return allowed.contains(origin) ? .allowed(text) : .foreign(text)
  }

  /// Whether a page of another site led to this request, as far as its `Referer` says. `forwarded` is as for `verdict`.
  func isCrossSiteReferral(_ head: RequestHead, forwarded: Authority?) -> Bool {
    guard let referrer = head.fields.first("Referer") else { return false }
    let parts = referrer.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count >= 3, let authority = Authority(String(parts[2])) else { return true }
    return !isOwn(authority.host, Self.port(authority), head, forwarded)
  }

  /// Whether that is our address: the public one, or the one that the request was sent to. Default ports are left out and the
  /// scheme is not compared: behind a proxy that speaks TLS we see plain text.
  private func isOwn(_ host: String, _ port: UInt16?, _ head: RequestHead, _ forwarded: Authority?) -> Bool {
    if let publicURL, host == publicURL.host, port == Self.port(publicURL) { return true }
    return [head.authority, forwarded].contains { name in
      name.map { $0.host == host && Self.port($0) == port } ?? false
    }
  }

  /// With a public address, a request to any other is for somebody else.
  func isMisdirected(_ head: RequestHead, forwarded: Authority?) -> Bool {
    guard let publicURL else { return false }
    guard let authority = forwarded ?? head.authority else { return true }
    return authority.host != publicURL.host || Self.port(authority) != Self.port(publicURL)
  }

  /// The link as it is given out: absolute only when the public address is known.
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
