internal import Gateway
internal import Wire

extension Setting {
  /// Every setting, in the order of the help; the limits come last.
  static let all: [Setting] = listeners + files + running + observing + limits

  private static let listeners: [Setting] = [
    Setting(
      "http", "HOST:PORT", accepts: listenerWords,
      help: "plain HTTP, or off", at: \.http, read: SettingValue.listener, show: show),
    Setting(
      "https", "HOST:PORT", accepts: listenerWords,
      help: "HTTP over TLS, or off", at: \.https, read: SettingValue.listener, show: show),
    Setting(
      "tls-cert", "FILE", accepts: "the name of a PEM file",
      help: "certificate chain; taken anew when it changes", absence: "made at the first start",
      at: \.certificateFile, read: SettingValue.path, show: { $0 }),
    Setting(
      "tls-key", "FILE", accepts: "the name of a PEM file", help: "its private key",
      absence: "made at the first start", at: \.keyFile, read: SettingValue.path, show: { $0 }),
    Setting(
      switch: "hsts", help: "tell browsers to use TLS only, on every port of this host",
      at: \.sendsStrictTransportSecurity),
    Setting(
      switch: "redirect-to-https", help: "send pages on to the https address, not the API",
      at: \.redirectsToHTTPS),
    Setting(
      "public-url", "URL",
      accepts: "http:// or https:// with the host that browsers open and, if need be, a port, and no path",
      help: "how the gateway is reached from outside; any other Host is refused", at: \.publicURL,
      read: { SettingValue.publicURL($0).map { .some($0) } }, show: { $0?.description }),
    Setting(
      "allowed-origins", "LIST", accepts: "origins like https://example.org, between commas",
      help: "other sites whose pages may use this gateway", at: \.allowedOrigins, read: SettingValue.origins,
      show: { $0.isEmpty ? nil : $0.map(\.description).joined(separator: ",") }),
    number(
      "trust-proxy", "N", 0...16, help: "proxies in front that are believed about clients",
      at: \.trustedProxies),
  ]

  private static let listenerWords =
    "HOST:PORT as in 0.0.0.0:8080 or [::1]:8080, where port 0 is a free one, or off"

  private static let files: [Setting] = [
    Setting(
      "data", "DIR", accepts: "the name of a directory", help: "the one directory that is written to",
      at: \.dataDirectory, read: SettingValue.path, show: { $0 }),
    Setting(
      "public", "DIR", accepts: "the name of a directory", help: "the files of the page",
      at: \.publicDirectory, read: SettingValue.path, show: { $0 }),
    choice(
      "durability", help: "what sessions outlive: nothing, the process, or a power cut too", at: \.durability),
  ]

  private static let running: [Setting] = [
    number("reactors", "N", 1...256, help: "threads that serve sockets", at: \.reactors),
    Setting(
      "memory", "SIZE", accepts: "a size from 64M to 16T, in bytes or with K, M, G or T behind it",
      help: "memory that all limits have to fit into", absence: "75% of what the process may have",
      at: \.memory,
      read: { text in SettingValue.size(text).flatMap { (64 << 20...1 << 44).contains($0) ? $0 : nil } },
      show: { $0.map { SettingValue.describe(size: $0) } }),
    Setting(
      "flush-interval", "TIME|auto", accepts: "auto or a time from 0ms to 1s, in milliseconds or as in 5ms",
      help: "least time between two sends to a session; auto: up to 16ms, when busy",
      at: \.flushInterval,
      read: { text in
        if text.lowercased() == "auto" { return .some(nil) }
        return SettingValue.milliseconds(text).flatMap { (0...1000).contains($0) ? .milliseconds($0) : nil }
      },
      show: { $0.map { SettingValue.describe(milliseconds: Int($0.wholeMilliseconds)) } ?? "auto" }),
    Setting(
      "drain-delay", "TIME", accepts: "a time from 0ms to 5m, in milliseconds or as in 10s",
      help: "at SIGTERM, serve on for so long while /readyz answers 503", at: \.drainDelay,
      read: { text in
        SettingValue.milliseconds(text).flatMap { (0...300_000).contains($0) ? .milliseconds($0) : nil }
      },
      show: { SettingValue.describe(milliseconds: Int($0.wholeMilliseconds)) }),
  ]

  private static let observing: [Setting] = [
    Setting(
      "metrics-token", "TOKEN", accepts: "1 to 256 visible ASCII characters",
      help: "opens /metrics to whoever sends it as a bearer token", isSecret: true, at: \.metricsToken,
      read: SettingValue.token, show: { $0 == nil ? nil : "set" }),
    Setting(
      "metrics-token-file", "FILE", accepts: "the name of a file with the token in it",
      help: "the same, read from a file at the start", at: \.metricsTokenFile, read: SettingValue.path,
      show: { $0 }),
    choice("log-level", help: "the least that is logged", at: \.logLevel),
    choice(
      "log-addresses", help: "addresses in the log: whole, the network only, or none", at: \.logAddresses),
    Setting(
      "log-format", "auto|text|json", accepts: "auto, text or json",
      help: "lines of key=value, or JSON; auto: text on a terminal, else json", at: \.logFormat,
      read: {
        $0.lowercased() == "auto" ? .some(nil) : Log.Format(rawValue: $0.lowercased()).map { .some($0) }
      },
      show: { $0?.rawValue ?? "auto" }),
    Setting(switch: "echo", help: "serve /echo, for conformance suites", at: \.servesEcho),
  ]

  private static func show(_ listener: ListenAddress?) -> String { listener?.description ?? "off" }

  private static func number(
    _ name: String, _ placeholder: String, _ range: ClosedRange<Int>, help: String,
    at path: any WritableKeyPath<GatewayConfiguration, Int> & Sendable
  ) -> Setting {
    Setting(
      name, placeholder, accepts: "a whole number from \(range.lowerBound) to \(range.upperBound)",
      help: help,
      at: path, read: { text in SettingValue.count(text).flatMap { range.contains($0) ? $0 : nil } },
      show: { String($0) })
  }

  private static func choice<Value: RawRepresentable<String> & CaseIterable & Sendable>(
    _ name: String, help: String, at path: any WritableKeyPath<GatewayConfiguration, Value> & Sendable
  ) -> Setting {
    let names = Value.allCases.map(\.rawValue)
    return Setting(
      name, names.joined(separator: "|"),
      accepts: names.dropLast().joined(separator: ", ") + " or " + names[names.count - 1],
      help: help, at: path, read: { Value(rawValue: $0.lowercased()) }, show: { $0.rawValue })
  }
}
