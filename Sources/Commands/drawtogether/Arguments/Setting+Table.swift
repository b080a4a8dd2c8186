internal import Gateway
internal import Primitives
internal import Wire

extension Setting {
  /// Every setting, in the order of the help; the limits come last.
  static let all: [Setting] = listeners + files + running + observing + limits

  private static let listeners: [Setting] = [
    Setting(
      "http", "HOST:PORT", expects: listenerSyntax,
      help: "address for plain HTTP, or off", at: \.http, read: SettingValue.listener, show: show),
    Setting(
      "https", "HOST:PORT", expects: listenerSyntax,
      help: "address for HTTP over TLS, or off", at: \.https, read: SettingValue.listener, show: show),
    Setting(
      "tls-cert", "FILE", expects: "a PEM file",
      help: "certificate chain; reloaded when it changes", defaultLabel: "created at the first start",
      at: \.certificateFile, read: SettingValue.path, show: { $0 }),
    Setting(
      "tls-key", "FILE", expects: "a PEM file", help: "private key of the certificate",
      defaultLabel: "created at the first start", at: \.keyFile, read: SettingValue.path, show: { $0 }),
    Setting(
      switch: "hsts", help: "make browsers use TLS only, on every port of this host",
      at: \.sendsStrictTransportSecurity),
    Setting(
      switch: "redirect-to-https", help: "redirect pages, but not the API, to the https address",
      at: \.redirectsToHTTPS),
    Setting(
      "public-url", "URL",
      expects: "http:// or https:// with the host for browsers, an optional port, and no path",
      help: "URL of the gateway for browsers; requests for other hosts are refused", at: \.publicURL,
      read: { SettingValue.publicURL($0).map { .some($0) } }, show: { $0?.description }),
    Setting(
      "allowed-origins", "LIST", expects: "origins such as https://example.org, separated by commas",
      help: "other sites whose pages may use this gateway", at: \.allowedOrigins, read: SettingValue.origins,
      show: { $0.isEmpty ? nil : $0.map(\.description).joined(separator: ",") }),
    number(
      "trust-proxy", "N", 0...16, help: "number of trusted proxies in front of the gateway",
      at: \.trustedProxies),
  ]

  private static let listenerSyntax =
    "HOST:PORT such as 0.0.0.0:8080 or [::1]:8080 (port 0: any free port), or off"

  private static let files: [Setting] = [
    Setting(
      "data", "DIR", expects: "a directory", help: "directory for all data; no other directory is written to",
      at: \.dataDirectory, read: SettingValue.path, show: { $0 }),
    Setting(
      "public", "DIR", expects: "a directory", help: "directory with the files of the page",
      at: \.publicDirectory, read: SettingValue.path, show: { $0 }),
    choice(
      "durability",
      help: "failure that sessions survive: none (memory), end of the process (process), power cut (full)",
      at: \.durability),
    choice(
      "history", help: "keep each session's earlier states, to go back to them; off also removes them",
      at: \.history),
  ]

  private static let running: [Setting] = [
    number("reactors", "N", 1...256, help: "number of threads that serve sockets", at: \.reactors),
    Setting(
      "memory", "SIZE", expects: "a size from 64M to 16T, in bytes or with a suffix K, M, G or T",
      help: "memory limit; all other limits must fit into it", defaultLabel: "75% of the available memory",
      at: \.memory,
      read: { text in SettingValue.size(text).flatMap { (64 << 20...1 << 44).contains($0) ? $0 : nil } },
      show: { $0.map { SettingValue.describe(size: $0) } }),
    Setting(
      "flush-interval", "TIME|auto",
      expects: "auto or a time from 0ms to 1s, in milliseconds or with units, such as 5ms",
      help: "minimum time between two sends to a session; auto: up to 16ms under load",
      at: \.flushInterval,
      read: { text in
        if text.lowercased() == "auto" { return .some(nil) }
        return SettingValue.milliseconds(text).flatMap { (0...1000).contains($0) ? .milliseconds($0) : nil }
      },
      show: { $0.map { SettingValue.describe(milliseconds: Int($0.wholeMilliseconds)) } ?? "auto" }),
    Setting(
      "drain-delay", "TIME", expects: "a time from 0ms to 5m, in milliseconds or with units, such as 10s",
      help: "time to keep serving after SIGTERM, while /readyz answers 503", at: \.drainDelay,
      read: { text in
        SettingValue.milliseconds(text).flatMap { (0...300_000).contains($0) ? .milliseconds($0) : nil }
      },
      show: { SettingValue.describe(milliseconds: Int($0.wholeMilliseconds)) }),
  ]

  private static let observing: [Setting] = [
    Setting(
      "metrics-token", "TOKEN", expects: "1 to 256 visible ASCII characters",
      help: "bearer token that gives access to /metrics", isSecret: true, at: \.metricsToken,
      read: SettingValue.token, show: { $0 == nil ? nil : "set" }),
    Setting(
      "metrics-token-file", "FILE", expects: "a file that contains the token",
      help: "file with the metrics token, read at the start", at: \.metricsTokenFile, read: SettingValue.path,
      show: { $0 }),
    choice("log-level", help: "lowest level that is logged", at: \.logLevel),
    choice(
      "log-addresses", help: "client addresses in the log: complete, network only, or none",
      at: \.logAddresses),
    Setting(
      "log-format", "auto|text|json", expects: "auto, text or json",
      help: "key=value lines or JSON; auto: text on a terminal, else json", at: \.logFormat,
      read: {
        $0.lowercased() == "auto" ? .some(nil) : Log.Format(rawValue: $0.lowercased()).map { .some($0) }
      },
      show: { $0?.rawValue ?? "auto" }),
    Setting(switch: "echo", help: "serve /echo, for conformance test suites", at: \.servesEcho),
  ]

  private static func show(_ listener: ListenAddress?) -> String { listener?.description ?? "off" }

  private static func number(
    _ name: String, _ placeholder: String, _ range: ClosedRange<Int>, help: String,
    at path: any WritableKeyPath<GatewayConfiguration, Int> & Sendable
  ) -> Setting {
    Setting(
      name, placeholder, expects: "a whole number from \(range.lowerBound) to \(range.upperBound)",
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
      expects: names.dropLast().joined(separator: ", ") + " or " + names[names.count - 1],
      help: help, at: path, read: { Value(rawValue: $0.lowercased()) }, show: { $0.rawValue })
  }
}
