internal import Gateway
internal import Networking
internal import Primitives
internal import Wire

/// The notice on standard output when the gateway accepts connections: its URLs and its main settings.
struct ReadyNotice: Equatable, Sendable {
  /// The address of the http listener; nil when it is off.
  var http: SocketAddress?
  /// The address of the https listener; nil when it is off.
  var https: SocketAddress?
  /// The addresses of this machine, for URLs that work on other machines.
  var interfaces: [IPAddress]
  /// The time from the start of the process until now.
  var startDuration: Duration
  var configuration: GatewayConfiguration
  var data: Gateway.DataFolderUsage
  /// The expiry time of the operator's certificate, in seconds since 1970; nil without such a certificate.
  var certificateEnd: Int64?
  /// The time of the notice.
  var time: LogTime

  /// Creates a notice from its parts.
  init(
    http: SocketAddress?, https: SocketAddress?, interfaces: [IPAddress], startDuration: Duration,
    configuration: GatewayConfiguration, data: Gateway.DataFolderUsage, certificateEnd: Int64? = nil,
    time: LogTime = .now
  ) {
    self.http = http
    self.https = https
    self.interfaces = interfaces
    self.startDuration = startDuration
    self.configuration = configuration
    self.data = data
    self.certificateEnd = certificateEnd
    self.time = time
  }

  /// One line for programs: `{"event":"ready","http":…,"https":…,"ms":…,…}`, with `time` and `level` as in log lines. A listener
  /// that is off and an unknown value are `null`.
  var json: String {
    let members: [(String, String?)] = [
      ("event", JSONText.quoted("ready")),
      ("http", http.map { JSONText.quoted(Self.url(.http, $0)) }),
      ("https", https.map { JSONText.quoted(Self.url(.https, $0)) }),
      ("ms", String(startDuration.wholeMilliseconds)),
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

  /// A few lines for people, of at most 100 columns unless paths or hosts are long.
  var text: String {
    let local = [http.map { Self.url(.http, $0) }, https.map { Self.url(.https, $0) }].compactMap(\.self)
    var rows = [("Listening", listening)]
    rows.append(("Open", configuration.publicURL?.description ?? local.joined(separator: "  ")))
    let others = networkURLs
    if !others.isEmpty { rows.append(("In your network", others.joined(separator: "  "))) }
    rows.append(("Data", dataText))
    rows.append(("Limits", limitText))
    rows.append(("Proxies", proxyText))
    rows.append(("Health", "/healthz, /readyz; limits: /api/limits"))
    rows.append(
      (
        "Metrics",
        configuration.metricsToken == nil
          ? "/metrics, only on this machine (--metrics-token allows other machines)"
          : "/metrics, with the token"
      ))
    if let words = certificateText { rows.append(("Certificate", words)) }
    var text = "DrawTogether \(Product.version) is ready after \(startDuration.wholeMilliseconds) ms.\n\n"
    for (name, value) in rows { text += "  \(CommandHelp.padded(name, to: 17))\(value)\n" }
    return text + "\n"
  }

  private var listening: String {
    let on = [http.map { "http \($0)" }, https.map { "https \($0)" }].compactMap(\.self)
    let off = [http == nil ? "http off" : nil, https == nil ? "https off" : nil].compactMap(\.self)
    return (on + off).joined(separator: ", ")
  }

  private var dataText: String {
    var words = configuration.dataDirectory + ": "
    switch data.sessions {
    case nil: words += "sessions in memory only, "
    case 0: words += "no session yet, "
    case let sessions?:
      words +=
        "\(sessions) \(sessions == 1 ? "session" : "sessions") of "
        + "\(data.isWhole ? "" : "more than ")\(Self.bytes(data.usedBytes)), "
    }
    if let free = data.freeBytes { words += "\(Self.bytes(free)) free, " }
    return words + "durability \(configuration.durability.rawValue)"
  }

  private var limitText: String {
    let limits = configuration.limits
    return "\(limits.connections) connections, \(limits.connectionsPerAddress) per address; "
      + "\(limits.participantsPerSession) per session; files up to \(SettingValue.describe(size: limits.attachmentBytes))"
  }

  private var proxyText: String {
    switch configuration.trustedProxies {
    case 0: "no proxy is trusted (--trust-proxy)"
    case 1: "one trusted proxy in front of the gateway"
    default: "\(configuration.trustedProxies) trusted proxies in front of the gateway"
    }
  }

  private var certificateText: String? {
    guard https != nil else { return nil }
    if let certificateEnd {
      let file = configuration.certificateFile ?? ""
      let hasEnded = time.millisecondsSince1970 >= certificateEnd * 1_000
      return hasEnded
        ? "\(file), expired on \(Self.date(certificateEnd)): browsers refuse it"
        : "\(file), valid until \(Self.date(certificateEnd))"
    }
    return configuration.certificateFile
      ?? "self-signed by this gateway: browsers ask once whether to trust it"
  }

  /// URLs for other machines: https if possible, because browsers restrict http pages from other machines.
  private var networkURLs: [String] {
    guard let listener = https ?? http, listener.ip.isUnspecified else { return [] }
    let scheme: WebOrigin.Scheme = https == nil ? .http : .https
    return NetworkURLs.all(of: listener, scheme, interfaces: interfaces)
  }

  /// Returns the URL of a listener on this machine: `localhost` for a wildcard address.
  private static func url(_ scheme: WebOrigin.Scheme, _ address: SocketAddress) -> String {
    let host = address.ip.isUnspecified ? "localhost" : address.ip.isV6 ? "[\(address.ip)]" : "\(address.ip)"
    return "\(scheme.rawValue)://\(host):\(address.port)"
  }

  /// Returns a size as text, such as `17 bytes` or `1.3G`.
  private static func bytes(_ size: UInt64) -> String {
    SettingValue.rough(size: size) + (size < 1_024 ? " bytes" : "")
  }

  /// Returns the day, in UTC.
  private static func date(_ secondsSince1970: Int64) -> String {
    String(LogTime(millisecondsSince1970: secondsSince1970 * 1_000).description.prefix(10))
  }
}
