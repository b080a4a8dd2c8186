package import Wire

/// All settings of the operator, with their defaults. They are read once at the start, and do not change later.
package struct GatewayConfiguration: Equatable, Sendable {
  /// The durability that a `committed` message guarantees.
  package enum Durability: String, CaseIterable, Sendable {
    /// Sessions are in memory only, so entries are lost when the process ends. Attachments are written to files.
    case memory
    /// Entries survive the end of the process. A power cut may lose the entries of the last half minute, because the kernel
    /// writes them to the disk later.
    case process
    /// Entries survive the end of the process and a power cut.
    case full
  }

  /// The setting for the histories of sessions.
  package enum History: String, CaseIterable, Sendable {
    /// The gateway keeps and serves the earlier states of each session.
    case on
    /// The gateway keeps and serves no earlier states, and removes those of a session when it opens the session.
    case off
  }

  /// The address for plain HTTP; nil if plain HTTP is off.
  package var http: ListenAddress? = ListenAddress(host: "0.0.0.0", port: 8080)
  /// The address for HTTP over TLS; nil if TLS is off.
  package var https: ListenAddress? = ListenAddress(host: "0.0.0.0", port: 8443)
  /// The file of the certificate chain in PEM; nil for a self-signed certificate in the data directory.
  package var certificateFile: String?
  /// The file of the certificate's private key in PEM. Set if and only if `certificateFile` is set.
  package var keyFile: String?
  /// True to send the field `Strict-Transport-Security` over TLS. Browsers apply the field to every port of the host.
  package var sendsStrictTransportSecurity = false
  /// True to redirect requests for pages from plain HTTP to the https address.
  package var redirectsToHTTPS = false
  /// The public URL of the gateway, used in links. If it is set, requests with another `Host` are refused.
  package var publicURL: WebOrigin?
  /// Origins of other sites whose pages may use this gateway.
  package var allowedOrigins: [WebOrigin] = []
  /// The number of trusted proxies in front of the gateway. The proxies report the address, scheme and host of a client.
  package var trustedProxies = 0

  /// The only directory that the gateway writes to.
  package var dataDirectory = "data"
  /// The files of the page, read once at the start.
  package var publicDirectory = "Public"
  package var durability = Durability.process
  package var history = History.on

  /// The number of event loops, 1–256. `drawtogether serve` sets it to the number of cores by default.
  package var reactors = 1
  /// The minimum time between two flushes of a session, 0–1,000 ms. Entries that arrive between two flushes are sent together.
  /// Nil for an automatic time: up to 16 ms while the event loop is busy.
  package var flushInterval: Duration?
  /// The time for which the gateway continues to serve after the signal to stop; at most five minutes. During this time,
  /// `/readyz` answers 503.
  package var drainDelay = Duration.zero
  /// The memory limit in bytes, from which all other memory limits are computed. Nil for three quarters of the memory that the
  /// process may use.
  package var memory: Int?
  package var limits = Limits()

  /// The bearer token for `/metrics`; without a token, only loopback addresses may read the metrics.
  package var metricsToken: String?
  /// The file from which `metricsToken` is read at the start; nil if the token was given directly, or not at all.
  package var metricsTokenFile: String?
  package var logLevel = Log.Level.info
  /// The part of client and proxy addresses that is logged.
  package var logAddresses = Log.AddressDetail.full
  /// The format of log lines; nil for text on a terminal and JSON elsewhere.
  package var logFormat: Log.Format?
  /// True to serve `/echo`, for conformance suites.
  package var servesEcho = false

  /// The limits in force. Without history, `historyBytes` is 0.
  var effectiveLimits: Limits {
    var limits = limits
    if history == .off || durability == .memory { limits.historyBytes = 0 }
    return limits
  }

  /// Creates the default settings, with one reactor.
  package init() {}
}
