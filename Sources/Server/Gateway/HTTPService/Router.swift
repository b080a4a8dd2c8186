internal import HTTP
internal import Wire

/// Answers requests whose head alone requires a redirect, a refusal or the answer to `OPTIONS`.
struct Router: Sendable {
  /// The maximum length of a request's body in the API, except for uploads. An activity's payload of 16 KiB fits, even if every
  /// byte is escaped in JSON.
  static let bodyBytes = 131_072

  /// The reason why a request gets its answer from the router, without further handling.
  enum Cause: Equatable {
    /// The request came in plain text: the client is redirected to https.
    case plainText
    /// The request names a host other than the gateway's public host.
    case misdirected
    case unknownMethod
    /// A page of another site sent the request.
    case foreignOrigin
    /// The request is a CORS preflight request, or another `OPTIONS` request.
    case options
    case methodNotAllowed
    case longBody
  }

  private let limits: Limits
  private let publicURL: WebOrigin?
  private let origins: Origins
  private let redirect: SecureRedirect

  init(_ configuration: GatewayConfiguration) {
    limits = configuration.limits
    publicURL = configuration.publicURL
    origins = Origins(configuration)
    redirect = SecureRedirect(configuration)
  }

  /// Returns the answer to a request whose head alone requires a redirect, a refusal or the answer to `OPTIONS`.
  ///
  /// - Parameters:
  ///   - head: the head of the request.
  ///   - route: the route of the request.
  ///   - client: the client.
  ///   - httpsPort: the port of the gateway's https listener; nil without one.
  /// - Returns: the reason and the answer; nil if the request needs further handling.
  func immediateAnswer(
    to head: RequestHead, _ route: Route, from client: ForwardedClient, httpsPort: UInt16?
  ) -> (cause: Cause, answer: Answer)? {
    if let target = redirect.target(of: head, route, from: client, httpsPort: httpsPort) {
      // The redirect must not be cached, because the operator may turn it off again. For lasting redirects, there is the option
      // `--hsts`.
      return (
        .plainText, Answer(.permanentRedirect, fields: ["Location": target, "Cache-Control": "no-store"])
      )
    }
    if !route.isMonitoring, origins.isMisdirected(head, forwarded: client.authority) {
      let address = publicURL.map { "\($0)" } ?? "another address"
      return (.misdirected, Self.problem(421, "This gateway is reached at \(address) only."))
    }
    if case .other(let name) = head.method {
      return (.unknownMethod, Self.problem(501, "The method \(name) is not supported."))
    }
    let verdict = origins.verdict(on: head, forwarded: client.authority)
    if case .foreign = verdict, Self.refusesForeignOrigin(head.method, route) {
      return (
        .foreignOrigin,
        .problem(
          Refusal(
            .originRefused, "Only pages of this site and of --allowed-origins may use this gateway."
          ))
      )
    }
    if head.method == .options { return (.options, options(route, verdict)) }
    if route != .file, route != .unknownAPI, !route.allows(Tus.method(of: head)) {
      return (.methodNotAllowed, .methodNotAllowed(route.methods))
    }
    guard let length = Self.tooLongBody(of: head, route) else { return nil }
    return (
      .longBody,
      .problem(
        Refusal(
          .messageTooLarge,
          "The body of this request may have at most \(Self.bodyBytes) bytes; it has \(length).",
          limit: Self.bodyBytes, actual: length))
    )
  }

  private static func problem(_ status: Int, _ detail: String) -> Answer {
    var refusal = Refusal(.badRequest, detail)
    refusal.status = status
    return .problem(refusal)
  }

  private static func refusesForeignOrigin(_ method: Method, _ route: Route) -> Bool {
    switch (method, route) {
    case (_, .echo): false
    // Reading the history requires the same permission as joining. So pages of foreign sites may do neither.
    case (_, .socket), (_, .history), (.post, _), (.put, _), (.patch, _), (.delete, _): true
    default: false
    }
  }

  /// Returns the answer to `OPTIONS`, including CORS preflight requests.
  private func options(_ route: Route, _ verdict: Origins.Verdict) -> Answer {
    var answer = Answer(.noContent, fields: ["Allow": route.methods])
    if case .allowed = verdict {
      answer.head.fields.append("Access-Control-Allow-Methods", route.methods)
      answer.head.fields.append(
        "Access-Control-Allow-Headers",
        route.isForAttachments ? AttachmentFields.accepted : "Content-Type, Participant-Token")
      answer.head.fields.append("Access-Control-Max-Age", "600")
    }
    if route.isForAttachments { Tus.announce(in: &answer, limits: limits) }
    return answer
  }

  /// Returns the announced length of a body that is too long for its route; nil for other bodies. A body that is too long is
  /// refused before it is read.
  private static func tooLongBody(of head: RequestHead, _ route: Route) -> Int? {
    // The bodies of uploads have a different limit, which `UploadRequest` checks.
    if route.isForAttachments, head.method == .post || head.method == .patch { return nil }
    guard case .length(let length) = head.body, length > bodyBytes else { return nil }
    return length
  }

  /// Returns true for a body that is too long to be read and discarded: it is chunked, or longer than `bodyBytes`.
  static func isLong(_ body: BodyFraming) -> Bool {
    switch body {
    case .none: false
    case .chunked: true
    case .length(let length): length > bodyBytes
    }
  }
}
