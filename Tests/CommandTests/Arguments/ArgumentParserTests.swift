import Gateway
import Testing
import Wire

@testable import drawtogether

/// Parsing of flags and variables.
@Suite("Flags and environment variables are parsed into settings")
struct ArgumentParserTests {
  private func read(
    _ arguments: [String] = [], _ environment: [String: String] = [:]
  ) throws(CommandError) -> ArgumentParser.Invocation {
    try ArgumentParser.parse(arguments: arguments, environment: environment, cores: 4)
  }

  private func serve(
    _ arguments: [String] = [], _ environment: [String: String] = [:]
  ) throws -> GatewayConfiguration {
    guard case .serve(let configuration, _) = try read(arguments, environment) else {
      throw UnexpectedInvocation()
    }
    return configuration
  }

  private struct UnexpectedInvocation: Error {}

  @Test("Without arguments, every setting has its default")
  func defaults() throws {
    let configuration = try serve()
    #expect(configuration.http == ListenAddress(host: "0.0.0.0", port: 8080))
    #expect(configuration.https == ListenAddress(host: "0.0.0.0", port: 8443))
    #expect(configuration.certificateFile == nil)
    #expect(configuration.keyFile == nil)
    #expect(!configuration.sendsStrictTransportSecurity)
    #expect(!configuration.redirectsToHTTPS)
    #expect(configuration.publicURL == nil)
    #expect(configuration.allowedOrigins.isEmpty)
    #expect(configuration.trustedProxies == 0)
    #expect(configuration.dataDirectory == "data")
    #expect(configuration.publicDirectory == "Public")
    #expect(configuration.durability == .process)
    #expect(configuration.history == .on)
    #expect(configuration.reactors == 4)
    #expect(configuration.flushInterval == nil)
    #expect(configuration.drainDelay == .zero)
    #expect(configuration.limits == Limits())
    #expect(configuration.metricsToken == nil)
    #expect(configuration.logLevel == .info)
    #expect(configuration.logAddresses == .full)
    #expect(configuration.logFormat == nil)
    #expect(!configuration.servesEcho)
  }

  struct Accepted: Sendable, CustomTestStringConvertible {
    let arguments: [String]
    let expected: @Sendable (inout GatewayConfiguration) -> Void
    var testDescription: String { arguments.joined(separator: " ") }

    init(_ arguments: String..., expected: @escaping @Sendable (inout GatewayConfiguration) -> Void) {
      self.arguments = arguments
      self.expected = expected
    }
  }

  @Test(
    "Each flag sets one setting",
    arguments: [
      Accepted("--http", "127.0.0.1:0") { $0.http = ListenAddress(host: "127.0.0.1", port: 0) },
      Accepted("--http=[::1]:80") { $0.http = ListenAddress(host: "::1", port: 80) },
      Accepted("--http", "off") { $0.http = nil },
      Accepted("--https=OFF") { $0.https = nil },
      Accepted("--https", "localhost:443") { $0.https = ListenAddress(host: "localhost", port: 443) },
      Accepted("--tls-cert", "a.pem", "--tls-key", "b=c.pem") {
        $0.certificateFile = "a.pem"
        $0.keyFile = "b=c.pem"
      },
      Accepted("--tls-key=b=c.pem", "--tls-cert=a.pem") {
        $0.certificateFile = "a.pem"
        $0.keyFile = "b=c.pem"
      },
      Accepted("--hsts") { $0.sendsStrictTransportSecurity = true },
      Accepted("--hsts=no") { _ in },
      Accepted("--redirect-to-https", "--hsts") {
        $0.redirectsToHTTPS = true
        $0.sendsStrictTransportSecurity = true
      },
      Accepted("--public-url", "https://Draw.example/") { $0.publicURL = WebOrigin("https://draw.example") },
      Accepted("--allowed-origins", "https://a.example, http://b.example:81,https://a.example:443") {
        $0.allowedOrigins = ["https://a.example", "http://b.example:81"].compactMap { WebOrigin($0) }
      },
      Accepted("--trust-proxy", "2") { $0.trustedProxies = 2 },
      Accepted("--data", "/data") { $0.dataDirectory = "/data" },
      Accepted("--public=/srv/page") { $0.publicDirectory = "/srv/page" },
      Accepted("--durability", "full") { $0.durability = .full },
      Accepted("--durability=memory") { $0.durability = .memory },
      Accepted("--history", "off") { $0.history = .off },
      Accepted("--max-history-bytes", "1M") { $0.limits.historyBytes = 1 << 20 },
      Accepted("--memory", "1G") { $0.memory = 1 << 30 },
      Accepted("--reactors", "1") { $0.reactors = 1 },
      Accepted("--flush-interval", "5") { $0.flushInterval = .milliseconds(5) },
      Accepted("--flush-interval", "12ms") { $0.flushInterval = .milliseconds(12) },
      Accepted("--flush-interval=1s") { $0.flushInterval = .seconds(1) },
      Accepted("--flush-interval", "0") { $0.flushInterval = .zero },
      Accepted("--flush-interval", "5", "--flush-interval", "auto") { $0.flushInterval = nil },
      Accepted("--drain-delay", "10s") { $0.drainDelay = .seconds(10) },
      Accepted("--metrics-token", "s3cret") { $0.metricsToken = "s3cret" },
      Accepted("--log-level", "debug") { $0.logLevel = .debug },
      Accepted("--log-level", "Warning") { $0.logLevel = .warning },
      Accepted("--log-addresses", "masked") { $0.logAddresses = .masked },
      Accepted("--metrics-token-file", "/run/secrets/token") { $0.metricsTokenFile = "/run/secrets/token" },
      Accepted("--log-format=json") { $0.logFormat = .json },
      Accepted("--log-format=json", "--log-format=auto") { $0.logFormat = nil },
      Accepted("--max-memory-bytes", "1M", "--max-session-log-bytes", "1M") {
        $0.limits.memoryBytes = 1 << 20
        $0.limits.sessionLogBytes = 1 << 20
      },
      Accepted("--echo") { $0.servesEcho = true },
      Accepted("--reactors", "1", "--reactors", "3") { $0.reactors = 3 },
      Accepted("serve", "--echo=true") { $0.servesEcho = true },
      Accepted("--max-message-bytes", "64K") { $0.limits.messageBytes = 65_536 },
      Accepted("--max-session-log-bytes=2GiB") { $0.limits.sessionLogBytes = 2_147_483_648 },
      Accepted("--max-bytes-per-second", "3m") { $0.limits.bytesPerSecond = 3_145_728 },
      Accepted("--join-seconds", "7") { $0.limits.joinSeconds = 7 },
      Accepted("--join-seconds", "7s") { $0.limits.joinSeconds = 7 },
      Accepted("--grace-seconds", "2m") { $0.limits.graceSeconds = 120 },
      Accepted("--idle-seconds=1h30m") { $0.limits.idleSeconds = 5_400 },
      Accepted("--message-seconds=2000ms") { $0.limits.messageSeconds = 2 },
      Accepted("--session-keep-seconds", "90D") { $0.limits.sessionKeepSeconds = 7_776_000 },
      Accepted("--max-connections", "20000") { $0.limits.connections = 20_000 },
      // The limit that conflicts with `--max-connections` has its default value, so the gateway lowers it at the start.
      Accepted("--max-connections", "100") { $0.limits.connections = 100 },
      Accepted("--max-session-log-bytes", "64K") { $0.limits.sessionLogBytes = 65_536 },
      Accepted("--max-session-attachment-bytes=0", "--max-attachment-bytes=1M") {
        $0.limits.sessionAttachmentBytes = 0
        $0.limits.attachmentBytes = 1 << 20
      },
      // These flags are for a gateway behind a proxy that terminates TLS.
      Accepted("--hsts", "--redirect-to-https", "--https=off", "--trust-proxy=1") {
        $0.sendsStrictTransportSecurity = true
        $0.redirectsToHTTPS = true
        $0.https = nil
        $0.trustedProxies = 1
      },
      Accepted("--http", "127.0.0.1:0", "--https", "127.0.0.1:0") {
        $0.http = ListenAddress(host: "127.0.0.1", port: 0)
        $0.https = ListenAddress(host: "127.0.0.1", port: 0)
      },
      Accepted("--http", "127.0.0.1:80", "--https", "127.0.0.2:80") {
        $0.http = ListenAddress(host: "127.0.0.1", port: 80)
        $0.https = ListenAddress(host: "127.0.0.2", port: 80)
      },
    ])
  func takes(_ accepted: Accepted) throws {
    var expected = GatewayConfiguration()
    expected.reactors = 4
    accepted.expected(&expected)
    #expect(try serve(accepted.arguments) == expected)
  }

  @Test("Every limit has a flag and an environment variable", arguments: Limits.all.map(\.name))
  func limits(_ name: String) throws {
    let limit = try #require(Limits.all.first { $0.name == name })
    let value = limit.range.upperBound
    var expected = GatewayConfiguration()
    expected.reactors = 4
    expected.limits[keyPath: limit.keyPath] = value
    // The memory of all sessions must have room for the log of one session.
    let room = name == "sessionLogBytes" ? ["--max-memory-bytes", "16T"] : []
    if !room.isEmpty { expected.limits.memoryBytes = 1 << 44 }
    #expect(try serve(room + [limit.flag, String(value)]) == expected)
    #expect(try serve(room, [limit.environmentVariable: String(value)]) == expected)
    #expect(throws: CommandError.self) { try read([limit.flag, String(value + 1)]) }
    #expect(CommandHelp.text.contains("\(limit.flag) "))
  }

  @Test("An environment variable is used if its flag is not given. An empty variable is ignored")
  func variables() throws {
    let environment = [
      "DRAWTOGETHER_HTTP": "127.0.0.1:1", "DRAWTOGETHER_HTTPS": "off", "DRAWTOGETHER_ECHO": "yes",
      "DRAWTOGETHER_DATA": "", "HTTP": "nonsense",
    ]
    let configuration = try serve(["--http", "127.0.0.1:2"], environment)
    #expect(configuration.http?.port == 2)
    #expect(configuration.https == nil)
    #expect(configuration.servesEcho)
    #expect(configuration.dataDirectory == "data")
  }

  @Test("An environment variable with an invalid value is ignored if its flag is given")
  func flagOverBadVariable() throws {
    #expect(try serve(["--reactors", "2"], ["DRAWTOGETHER_REACTORS": "many"]).reactors == 2)
  }

  @Test(
    "A gateway ignores the environment variables that are meant for client programs, such as `DRAWTOGETHER_GATEWAY`"
  )
  func participantVariables() throws {
    let environment = [
      "DRAWTOGETHER_GATEWAY": "https://draw.example", "DRAWTOGETHER_GATEWAY_CERTIFICATES": "ca.pem",
    ]
    #expect(try serve([], environment) == serve([], [:]))
  }

  @Test(
    "Kubernetes' variables for a service named drawtogether are ignored",
    arguments: [
      "DRAWTOGETHER_SERVICE_HOST", "DRAWTOGETHER_SERVICE_PORT", "DRAWTOGETHER_SERVICE_PORT_HTTP",
      "DRAWTOGETHER_PORT", "DRAWTOGETHER_PORT_8080_TCP", "DRAWTOGETHER_PORT_8080_TCP_ADDR",
      "DRAWTOGETHER_WEB_SERVICE_HOST", "DRAWTOGETHER_WEB_PORT",
    ])
  func kubernetes(_ variable: String) throws {
    #expect(throws: Never.self) { try read([], [variable: "tcp://10.0.0.1:8080"]) }
  }

  struct Refused: Sendable, CustomTestStringConvertible {
    let arguments: [String]
    var environment: [String: String] = [:]
    let says: String
    var testDescription: String { "\(arguments) \(environment)" }

    init(_ arguments: String..., environment: [String: String] = [:], says: String) {
      self.arguments = arguments
      self.environment = environment
      self.says = says
    }
  }

  @Test(
    "An invalid argument or variable is rejected with one sentence that names the setting, the value and the accepted values",
    arguments: [
      Refused(
        "--http", "8080",
        says:
          "invalid value \"8080\" for --http: expected HOST:PORT such as 0.0.0.0:8080 or [::1]:8080 (port 0:"
          + " any free port), or off."),
      Refused(
        "--reactors=0", says: "invalid value \"0\" for --reactors: expected a whole number from 1 to 256."),
      Refused(
        environment: ["DRAWTOGETHER_REACTORS": "-1"],
        says: "invalid value \"-1\" for DRAWTOGETHER_REACTORS: expected a whole number from 1 to 256."),
      Refused(
        "--durability", "paper",
        says: "invalid value \"paper\" for --durability: expected memory, process or full."),
      Refused(
        "--log-level", "loud",
        says: "invalid value \"loud\" for --log-level: expected debug, info, warning or error."),
      Refused(
        "--flush-interval", "2s",
        says:
          "invalid value \"2s\" for --flush-interval: expected auto or a time from 0ms to 1s, in milliseconds or with units, such as 5ms."
      ),
      Refused(
        "--drain-delay", "6m",
        says:
          "invalid value \"6m\" for --drain-delay: expected a time from 0ms to 5m, in milliseconds or with units, such as 10s."
      ),
      Refused("--hsts=maybe", says: "invalid value \"maybe\" for --hsts: expected true or false."),
      Refused("--data", "", says: "invalid value \"\" for --data: expected a directory."),
      Refused(
        "--join-seconds", "2h",
        says:
          "invalid value \"2h\" for --join-seconds: expected a time from 1s to 1h, in seconds or with units, such as 1m30s."
      ),
      Refused(
        "--session-keep-seconds", "20y",
        says:
          "invalid value \"20y\" for --session-keep-seconds: expected a time from 1s to 3650d, in seconds or with units, such as 1m30s."
      ),
      Refused(
        "--max-head-bytes", "5X",
        says:
          "invalid value \"5X\" for --max-head-bytes: expected a size from 1K to 1M, in bytes or with a suffix K, M,"
          + " G or T."),
      Refused(
        "--metrics-token", "two words",
        says:
          "invalid value for --metrics-token: expected 1 to 256 visible ASCII characters."
      ),
      Refused("--data", says: "missing value for --data: expected a directory."),
      Refused("--htps", "off", says: "unknown flag --htps; --help lists all flags."),
      Refused("--colour", "red", says: "unknown flag --colour; --help lists all flags."),
      Refused(
        environment: ["DRAWTOGETHER_RECTORS": "2"],
        says:
          "unknown environment variable DRAWTOGETHER_RECTORS; --help lists all settings."),
      Refused(
        environment: ["DRAWTOGETHER_CONFETTI": "2"],
        says: "unknown environment variable DRAWTOGETHER_CONFETTI; --help lists all settings."),
      Refused(
        "draw",
        says:
          "unknown command \"draw\": the commands are \(ArgumentParser.commandNames.joined(separator: ", "))."
      ),
      Refused(
        "--echo", "true",
        says: "unexpected argument \"true\": write --echo alone, or --echo=true."),
      Refused(
        "--echo", "draw",
        says: "unexpected argument \"draw\": each setting is a flag that begins with --; see --help."),
      Refused("--port", "80", says: "unknown flag --port; did you mean --http?"),
      Refused("--max-memory", "4G", says: "unknown flag --max-memory; did you mean --max-memory-bytes?"),
      Refused("--cert", "a.pem", says: "unknown flag --cert; did you mean --tls-cert?"),
      Refused(
        environment: ["DRAWTOGETHER_DATA_DIR": "/data"],
        says: "unknown environment variable DRAWTOGETHER_DATA_DIR; did you mean DRAWTOGETHER_DATA?"),
      Refused(
        environment: ["DRAWTOGETHER_PORT": "80"],
        says: "unknown environment variable DRAWTOGETHER_PORT; did you mean DRAWTOGETHER_HTTP?"),
      Refused(
        "check-config",
        says:
          "unknown command \"check-config\": the commands are \(ArgumentParser.commandNames.joined(separator: ", ")); did you mean --check-config?"
      ),
      Refused(
        "-p", "80",
        says: "unexpected argument \"-p\": each setting is a flag that begins with --; see --help."),
      Refused(
        "--", says: "unexpected argument \"--\": each setting is a flag that begins with --; see --help."),
      Refused("--tls-cert", "a.pem", says: "--tls-cert requires --tls-key."),
      Refused(
        environment: ["DRAWTOGETHER_TLS_KEY": "a.pem"],
        says: "DRAWTOGETHER_TLS_KEY requires DRAWTOGETHER_TLS_CERT."),
      Refused(
        "--http", "off", "--https", "off",
        says: "--http and --https are both off: set one of them to HOST:PORT."),
      Refused(
        "--redirect-to-https", "--https=off", says: "--redirect-to-https requires both --http and --https."),
      Refused(
        "--hsts", "--https", "off",
        says: "--hsts requires --https, or --trust-proxy and a proxy with TLS."),
      Refused(
        "--https", "127.0.0.1:8080",
        says:
          "--http 0.0.0.0:8080 and --https 127.0.0.1:8080 cannot share the port: change one of them, or set it to off."
      ),
      Refused(
        "--http", "[::]:80", "--https", "0.0.0.0:80",
        says:
          "--http [::]:80 and --https 0.0.0.0:80 cannot share the port: change one of them, or set it to off."
      ),
      Refused(
        "--redirect-to-https", environment: ["DRAWTOGETHER_PUBLIC_URL": "http://draw.example"],
        says:
          "--redirect-to-https makes browsers use https, but DRAWTOGETHER_PUBLIC_URL is http://draw.example: change the"
          + " URL to https://, or remove --redirect-to-https."),
      Refused(
        "--public-url", "http://draw.example", "--hsts",
        says:
          "--hsts makes browsers use https, but --public-url is http://draw.example: change the URL to https://,"
          + " or remove --hsts."),
      Refused(
        "--public-url", "http://0.0.0.0:8080",
        says:
          "invalid value \"http://0.0.0.0:8080\" for --public-url: expected http:// or https:// with the host for"
          + " browsers, an optional port, and no path."),
      Refused(
        "--metrics-token", "x", environment: ["DRAWTOGETHER_METRICS_TOKEN_FILE": "/run/secrets/token"],
        says: "--metrics-token and DRAWTOGETHER_METRICS_TOKEN_FILE are both set: remove one of them."),
      Refused(
        "--max-message-bytes", "512K", "--max-session-log-bytes", "256K",
        says:
          "--max-session-log-bytes is 256K, less than --max-message-bytes (512K): raise the first or lower the second."
      ),
      Refused(
        "--max-connections", "100",
        environment: ["DRAWTOGETHER_MAX_CONNECTIONS_PER_ADDRESS": "200"],
        says:
          "--max-connections is 100, less than DRAWTOGETHER_MAX_CONNECTIONS_PER_ADDRESS (200): raise the first or lower the second."
      ),
      Refused(
        "--max-memory-bytes", "100M",
        says:
          "--max-memory-bytes is 100M, less than --max-session-log-bytes (256M): raise the first or lower the second."
      ),
      Refused(
        "--max-session-log-bytes", "3000000000", environment: ["DRAWTOGETHER_MAX_MEMORY_BYTES": "2G"],
        says:
          "DRAWTOGETHER_MAX_MEMORY_BYTES is 2G, less than --max-session-log-bytes (3000000000): raise the first or lower the second."
      ),
      Refused(
        "--data", "a\u{1B}[2J\n\0",
        says: "invalid value \"a\\u001b[2J\\n\\u0000\" for --data: expected a directory."
      ),
    ])
  func refuses(_ refused: Refused) {
    let error = #expect(throws: CommandError.self) { try read(refused.arguments, refused.environment) }
    #expect(error?.description == refused.says)
  }

  @Test("The command `health` and the flags `--check-config`, `--help` and `--version` are parsed")
  func commands() throws {
    var expected = GatewayConfiguration()
    expected.reactors = 4
    expected.http = nil
    #expect(try read(["health", "--http", "off"]) == .health(expected))
    guard case .checkConfiguration(expected, _) = try read(["--http", "off", "--check-config"]) else {
      throw UnexpectedInvocation()
    }
    #expect(try serve(["--check-config=false", "--http=off"]) == expected)
    #expect(try read(["--help"]) == .help)
    #expect(try read(["serve", "--nonsense", "-h"]) == .help)
    #expect(try read(["--version"]) == .version)
    #expect(try read(["-v"]) == .version)
  }

  @Test("By default there is one reactor per core, from 1 to 256", arguments: [(0, 1), (2, 2), (1000, 256)])
  func cores(_ cores: Int, _ reactors: Int) throws {
    let invocation = try ArgumentParser.parse(arguments: [], environment: [:], cores: cores)
    var expected = GatewayConfiguration()
    expected.reactors = reactors
    #expect(invocation == .serve(expected, SettingOrigins()))
  }

  @Test("The help names every flag once and fits a terminal of 100 columns")
  func help() {
    let lines = CommandHelp.text.split(separator: "\n")
    for setting in Setting.all {
      #expect(lines.count { $0.hasPrefix("  \(setting.flag) ") } == 1)
    }
    #expect(lines.allSatisfy { $0.count <= 100 }, "\(lines.filter { $0.count > 100 })")
  }

  @Test("No two settings share a flag or an environment variable")
  func names() {
    #expect(Set(Setting.all.map(\.flag)).count == Setting.all.count)
    #expect(Set(Setting.all.map(\.variable)).count == Setting.all.count)
  }
}
