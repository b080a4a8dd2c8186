package import Transport
internal import Wire

/// What is printed on standard output once the gateway takes connections: where to open it.
package struct ReadyNotice: Equatable, Sendable {
  /// Where plain HTTP is served; `nil` when it is off.
  package var http: SocketAddress?
  /// Where HTTP over TLS is served; `nil` when it is off.
  package var https: SocketAddress?
  /// The addresses of this machine, for those who would join from another.
  package var interfaces: [IPAddress]
  /// From the start of the process until now.
  package var took: Duration
  package var configuration: GatewayConfiguration

  /// A notice of its parts.
  package init(
    http: SocketAddress?, https: SocketAddress?, interfaces: [IPAddress], took: Duration,
    configuration: GatewayConfiguration
  ) {
    self.http = http
    self.https = https
    self.interfaces = interfaces
    self.took = took
    self.configuration = configuration
  }

  /// One line for programs: `{"event":"ready","http":…,"https":…,"ms":…}`; `null` for a listener that is off.
  package var json: String {
    let urls = [http.map { Self.url(.http, $0) }, https.map { Self.url(.https, $0) }]
      .map { $0.map(JSONText.quoted) ?? "null" }
    return "{\"event\":\"ready\",\"http\":\(urls[0]),\"https\":\(urls[1]),\"ms\":\(took.wholeMilliseconds)}\n"
  }

  /// A few lines for people.
  package var text: String {
    let local = [http.map { Self.url(.http, $0) }, https.map { Self.url(.https, $0) }].compactMap(\.self)
    let limits = configuration.limits
    var rows = [("Open", configuration.publicURL?.description ?? local.joined(separator: "  "))]
    let others = fromElsewhere
    if !others.isEmpty { rows.append(("In your network", others.joined(separator: "  "))) }
    rows.append(("Health", (local.first ?? "") + "/healthz"))
    rows.append(("Data", "\(configuration.dataDirectory) (durability \(configuration.durability.rawValue))"))
    rows.append(
      (
        "Limits",
        "\(limits.sessions) sessions, \(limits.participantsPerSession) participants each,"
          + " \(limits.connections) connections; all of them at /api/limits"
      ))
    var text = "DrawTogether \(Product.version) is ready after \(took.wholeMilliseconds) ms.\n\n"
    for (name, value) in rows {
      text += "  \(name)" + String(repeating: " ", count: 17 - name.count) + value + "\n"
    }
    if https != nil, configuration.certificateFile == nil {
      text += "\nThe certificate is of this gateway's own making: browsers ask once whether to trust it.\n"
    }
    return text + "\n"
  }

  /// URLs for other machines: the https ones where there are any, since browsers give pages of other machines
  /// all they need only over TLS.
  private var fromElsewhere: [String] {
    guard let listener = https ?? http, listener.ip.isUnspecified else { return [] }
    let scheme: WebOrigin.Scheme = https == nil ? .http : .https
    return interfaces.filter { !$0.isLoopback && !$0.isLinkLocal && (listener.ip.isV6 || !$0.isV6) }
      .map { Self.url(scheme, SocketAddress(ip: $0, port: listener.port)) }
  }

  /// The URL of a listener on this machine: one that takes every address is opened as `localhost`.
  private static func url(_ scheme: WebOrigin.Scheme, _ address: SocketAddress) -> String {
    let host = address.ip.isUnspecified ? "localhost" : address.ip.isV6 ? "[\(address.ip)]" : "\(address.ip)"
    return "\(scheme.rawValue)://\(host):\(address.port)"
  }
}
