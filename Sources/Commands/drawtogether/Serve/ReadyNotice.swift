internal import Gateway
internal import Networking
internal import Wire

/// What is printed on standard output once the gateway takes connections: where to open it, and what it was given.
struct ReadyNotice: Equatable, Sendable {
  /// Where plain HTTP is served; `nil` when it is off.
  var http: SocketAddress?
  /// Where HTTP over TLS is served; `nil` when it is off.
  var https: SocketAddress?
  /// The addresses of this machine, for those who would join from another.
  var interfaces: [IPAddress]
  /// From the start of the process until now.
  var took: Duration
  var configuration: GatewayConfiguration
  var data: Gateway.DataFolderUsage
  /// When the operator's certificate ends, in seconds since 1970; `nil` when there is none.
  var certificateEnd: Int64?
  /// When it became ready.
  var time: LogTime

  /// A notice of its parts.
  init(
    http: SocketAddress?, https: SocketAddress?, interfaces: [IPAddress], took: Duration,
    configuration: GatewayConfiguration, data: Gateway.DataFolderUsage, certificateEnd: Int64? = nil,
    time: LogTime = .now
  ) {
    self.http = http
    self.https = https
    self.interfaces = interfaces
    self.took = took
    self.configuration = configuration
    self.data = data
    self.certificateEnd = certificateEnd
    self.time = time
  }

  /// One line for programs: `{"event":"ready","http":…,"https":…,"ms":…}` and more behind it, `time` and `level` as lines of the log
  /// have them; `null` for a listener that is off and for what is not known.
  var json: String {
    let members: [(String, String?)] = [
      ("event", JSONText.quoted("ready")),
      ("http", http.map { JSONText.quoted(Self.url(.http, $0)) }),
      ("https", https.map { JSONText.quoted(Self.url(.https, $0)) }),
      ("ms", String(took.wholeMilliseconds)),
      ("time", JSONText.quoted("\(time)")),
      ("level", JSONText.quoted(Log.Level.info.rawValue)),
      ("version", JSONText.quoted(Product.version)),
      ("publicURL", configuration.publicURL.map { JSONText.quoted($0.description) }),
      ("data", JSONText.quoted(configuration.dataDirectory)),
      ("durability", JSONText.quoted(configuration.durability.rawValue)),
      ("sessions", data.sessions.map { String($0) }),
      ("usedBytes", data.isWhole ? String(data.usedBytes) : nil),
      ("freeBytes", data.freeBytes.map { String($0) }),
      ("trustProxy", String(configuration.trustedProxies)),
      ("metrics", JSONText.quoted(configuration.metricsToken == nil ? "loopback" : "token")),
      ("certificateExpires", certificateEnd.map { JSONText.quoted(Self.date($0)) }),
    ]
    return "{" + members.map { "\"\($0)\":\($1 ?? "null")" }.joined(separator: ",") + "}\n"
  }

  /// A few lines for people, of at most 100 columns where the names in them allow it.
  var text: String {
    let local = [http.map { Self.url(.http, $0) }, https.map { Self.url(.https, $0) }].compactMap(\.self)
    var rows = [("Listening", listening)]
    rows.append(("Open", configuration.publicURL?.description ?? local.joined(separator: "  ")))
    let others = fromElsewhere
    if !others.isEmpty { rows.append(("In your network", others.joined(separator: "  "))) }
    rows.append(("Data", dataWords))
    rows.append(("Limits", limitWords))
    rows.append(("Proxies", proxyWords))
    rows.append(("Health", "/healthz, /readyz; limits: /api/limits"))
    rows.append(
      (
        "Metrics",
        configuration.metricsToken == nil
          ? "/metrics, for this machine only (--metrics-token opens it)"
          : "/metrics, for whoever has the token"
      ))
    if let words = certificateWords { rows.append(("Certificate", words)) }
    var text = "DrawTogether \(Product.version) is ready after \(took.wholeMilliseconds) ms.\n\n"
    for (name, value) in rows { text += "  \(CommandHelp.padded(name, to: 17))\(value)\n" }
    return text + "\n"
  }

  private var listening: String {
    let on = [http.map { "http \($0)" }, https.map { "https \($0)" }].compactMap(\.self)
    let off = [http == nil ? "http off" : nil, https == nil ? "https off" : nil].compactMap(\.self)
    return (on + off).joined(separator: ", ")
  }

  private var dataWords: String {
    var words = configuration.dataDirectory + ": "
    switch data.sessions {
    case nil: words += "sessions live in memory only, "
    case 0: words += "no session yet, "
    case let sessions?:
      words +=
        "\(sessions) \(sessions == 1 ? "session" : "sessions") of "
        + "\(data.isWhole ? "" : "more than ")\(Self.bytes(data.usedBytes)), "
    }
    if let free = data.freeBytes { words += "\(Self.bytes(free)) free, " }
    return words + "durability \(configuration.durability.rawValue)"
  }

  private var limitWords: String {
    let limits = configuration.limits
    return "\(limits.connections) connections, \(limits.connectionsPerAddress) an address; "
      + "\(limits.participantsPerSession) in a session; files of \(SettingValue.describe(size: limits.attachmentBytes))"
  }

  private var proxyWords: String {
    switch configuration.trustedProxies {
    case 0: "none is believed (--trust-proxy)"
    case 1: "the one in front is believed"
    default: "the \(configuration.trustedProxies) in front are believed"
    }
  }

  private var certificateWords: String? {
    guard https != nil else { return nil }
    if let certificateEnd {
      let file = configuration.certificateFile ?? ""
      let hasEnded = time.millisecondsSince1970 >= certificateEnd * 1_000
      return hasEnded
        ? "\(file), ended on \(Self.date(certificateEnd)): browsers refuse it"
        : "\(file), until \(Self.date(certificateEnd))"
    }
    return configuration.certificateFile
      ?? "of this gateway's own making: browsers ask once whether to trust it"
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

  /// A small number needs its unit said.
  private static func bytes(_ size: UInt64) -> String {
    SettingValue.rough(size: size) + (size < 1_024 ? " bytes" : "")
  }

  /// The day, in UTC.
  private static func date(_ secondsSince1970: Int64) -> String {
    String(LogTime(millisecondsSince1970: secondsSince1970 * 1_000).description.prefix(10))
  }
}
