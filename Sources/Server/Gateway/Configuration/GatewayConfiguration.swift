package import Wire

/// Everything an operator may set, with its default. Read once at the start, then passed on as a value.
package struct GatewayConfiguration: Equatable, Sendable {
  /// What `committed` promises, and what it costs.
  package enum Durability: String, CaseIterable, Sendable {
    /// Survives nothing: sessions live in memory, and nothing of them is written but attachments.
    case memory
    /// Survives the end of the process; a power cut may cost the kernel's last half minute.
    case process
    /// Survives a power cut too.
    case full
  }

  /// Where plain HTTP is served; `nil` when it is off.
  package var http: ListenAddress? = ListenAddress(host: "0.0.0.0", port: 8080)
  /// Where HTTP over TLS is served; `nil` when it is off.
  package var https: ListenAddress? = ListenAddress(host: "0.0.0.0", port: 8443)
  /// Certificate chain in PEM; `nil` means one made at the first start and kept in the data directory.
  package var certificateFile: String?
  /// The certificate's private key in PEM; set when `certificateFile` is.
  package var keyFile: String?
  /// Whether answers over TLS carry `Strict-Transport-Security`, which binds every port of the host.
  package var sendsStrictTransportSecurity = false
  /// Whether pages asked for over plain HTTP are sent to the https address.
  package var redirectsToHTTPS = false
  /// How the gateway is reached from outside; makes links absolute and refuses any other `Host`.
  package var publicURL: WebOrigin?
  /// Origins of other sites whose pages may use this gateway.
  package var allowedOrigins: [WebOrigin] = []
  /// How many proxies stand in front and are believed in what they say of a client: its address, scheme and host.
  package var trustedProxies = 0

  /// The one directory that is written to.
  package var dataDirectory = "data"
  /// The files of the page, read once at the start.
  package var publicDirectory = "Public"
  package var durability = Durability.process

  /// Threads that serve sockets, 1–256; the reader sets it to the number of cores.
  package var reactors = 1
  /// The least time between two sends to a session, 0–1,000 ms: what is said meanwhile goes together. Nil: up to 16 ms,
  /// while there is much to do and where it pays.
  package var flushInterval: Duration?
  /// The time for which a gateway keeps serving after the request to stop, while `/readyz` answers 503; at most five minutes.
  package var drainDelay = Duration.zero
  /// The bytes of memory into which all limits must fit; nil for three quarters of the process's memory.
  package var memory: Int?
  package var limits = Limits()

  /// Opens `/metrics` to whoever sends it as a bearer token; without one only loopback may read them.
  package var metricsToken: String?
  /// The file that `metricsToken` is read from when the gateway starts; `nil` when it was given itself, or not at all.
  package var metricsTokenFile: String?
  package var logLevel = Log.Level.info
  /// The part of the addresses of clients and proxies that the log shows.
  package var logAddresses = Log.AddressDetail.full
  /// `nil` means text on a terminal and JSON elsewhere.
  package var logFormat: Log.Format?
  /// Whether `/echo` is served, for conformance suites.
  package var servesEcho = false

  /// The defaults, with one reactor.
  package init() {}
}
