import Testing
import Wire

@testable import Gateway

/// What flags and variables make of a configuration.
@Suite("Configuration")
struct ConfigurationReaderTests {
  private func read(
    _ arguments: [String] = [], _ environment: [String: String] = [:]
  ) throws(ConfigurationError) -> ConfigurationReader.Invocation {
    try ConfigurationReader.read(arguments: arguments, environment: environment, cores: 4)
  }

  private func serve(
    _ arguments: [String] = [], _ environment: [String: String] = [:]
  ) throws -> GatewayConfiguration {
    guard case .serve(let configuration) = try read(arguments, environment) else {
      throw UnexpectedInvocation()
    }
    return configuration
  }

  private struct UnexpectedInvocation: Error {}

  @Test("Nothing said means the defaults")
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
    #expect(configuration.reactors == 4)
    #expect(configuration.flushInterval == nil)
    #expect(configuration.limits == Limits())
    #expect(configuration.metricsToken == nil)
    #expect(configuration.logLevel == .info)
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
    "A flag sets its own member and no other",
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
      Accepted("--reactors", "1") { $0.reactors = 1 },
      Accepted("--flush-interval", "5") { $0.flushInterval = .milliseconds(5) },
      Accepted("--flush-interval", "0") { $0.flushInterval = .zero },
      Accepted("--flush-interval", "5", "--flush-interval", "auto") { $0.flushInterval = nil },
      Accepted("--metrics-token", "s3cret") { $0.metricsToken = "s3cret" },
      Accepted("--log-level", "debug") { $0.logLevel = .debug },
      Accepted("--log-format=json") { $0.logFormat = .json },
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
      Accepted("--max-connections", "20000") { $0.limits.connections = 20_000 },
    ])
  func takes(_ accepted: Accepted) throws {
    var expected = GatewayConfiguration()
    expected.reactors = 4
    accepted.expected(&expected)
    #expect(try serve(accepted.arguments) == expected)
  }

  @Test("Every limit of the contract has a flag and a variable of its own", arguments: Limits.all.map(\.name))
  func limits(_ name: String) throws {
    let limit = try #require(Limits.all.first { $0.name == name })
    let value = limit.range.upperBound
    var expected = GatewayConfiguration()
    expected.reactors = 4
    expected.limits[keyPath: limit.keyPath] = value
    // What one session may retain, all together may.
    let room = name == "sessionLogBytes" ? ["--max-memory-bytes", "16T"] : []
    if !room.isEmpty { expected.limits.memoryBytes = 1 << 44 }
    #expect(try serve(room + [limit.flag, String(value)]) == expected)
    #expect(try serve(room, [limit.environmentVariable: String(value)]) == expected)
    #expect(throws: ConfigurationError.self) { try read([limit.flag, String(value + 1)]) }
    #expect(CommandHelp.text.contains("\(limit.flag) "))
  }

  @Test("A variable sets what no flag sets, and an empty one nothing")
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

  @Test("A bad variable is not looked at when a flag says otherwise")
  func flagOverBadVariable() throws {
    #expect(try serve(["--reactors", "2"], ["DRAWTOGETHER_REACTORS": "many"]).reactors == 2)
  }

  @Test(
    "Kubernetes' variables for a service of our name are passed over",
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
    "What is wrong is said in one sentence with the setting, the value and what is accepted",
    arguments: [
      Refused(
        "--http", "8080",
        says: "--http does not take \"8080\": it takes HOST:PORT (an IPv6 host in brackets, port 0 for a free"
          + " one) or off."),
      Refused(
        "--reactors=0", says: "--reactors does not take \"0\": it takes a whole number from 1 to 256."),
      Refused(
        environment: ["DRAWTOGETHER_REACTORS": "-1"],
        says: "DRAWTOGETHER_REACTORS does not take \"-1\": it takes a whole number from 1 to 256."),
      Refused(
        "--durability", "paper",
        says: "--durability does not take \"paper\": it takes memory, process or full."),
      Refused(
        "--log-level", "loud",
        says: "--log-level does not take \"loud\": it takes debug, info, warning or error."),
      Refused(
        "--flush-interval", "5ms",
        says:
          "--flush-interval does not take \"5ms\": it takes a whole number of milliseconds from 0 to 1000 or auto."
      ),
      Refused("--hsts=maybe", says: "--hsts does not take \"maybe\": it takes true or false."),
      Refused("--data", "", says: "--data does not take \"\": it takes the name of a directory."),
      Refused(
        "--join-seconds", "1m",
        says: "--join-seconds does not take \"1m\": it takes a whole number of seconds from 1 to 3600."),
      Refused(
        "--max-head-bytes", "5X",
        says:
          "--max-head-bytes does not take \"5X\": it takes a number of bytes from 1K to 1M, where K, M and G"
          + " are powers of 1,024."),
      Refused(
        "--metrics-token", "two words",
        says:
          "--metrics-token does not take the value that was given: it takes 1 to 256 visible ASCII characters."
      ),
      Refused("--data", says: "--data needs a value: it takes the name of a directory."),
      Refused("--htps", "off", says: "--htps is not known; did you mean --https?"),
      Refused(
        "--max-mesage-bytes=1K", says: "--max-mesage-bytes is not known; did you mean --max-message-bytes?"),
      Refused("--colour", "red", says: "--colour is not known; --help lists what is."),
      Refused(
        environment: ["DRAWTOGETHER_RECTORS": "2"],
        says:
          "The environment variable DRAWTOGETHER_RECTORS is not known; did you mean DRAWTOGETHER_REACTORS?"),
      Refused(
        environment: ["DRAWTOGETHER_CONFETTI": "2"],
        says: "The environment variable DRAWTOGETHER_CONFETTI is not known; --help lists what is."),
      Refused(
        "draw",
        says: "\"draw\" is no command: there are serve, health, sessions, export, verify, backup, restore."),
      Refused(
        "--echo", "true", says: "\"true\" was not expected: every setting has a flag, see --help."),
      Refused("-p", "80", says: "\"-p\" was not expected: every setting has a flag, see --help."),
      Refused("--", says: "\"--\" was not expected: every setting has a flag, see --help."),
      Refused("--tls-cert", "a.pem", says: "--tls-cert needs --tls-key."),
      Refused(
        environment: ["DRAWTOGETHER_TLS_KEY": "a.pem"], says: "--tls-key needs --tls-cert."),
      Refused(
        "--http", "off", "--https", "off",
        says: "--http and --https are both off: one of them takes HOST:PORT."),
      Refused(
        "--redirect-to-https", "--https=off", says: "--redirect-to-https needs both --http and --https."),
      Refused("--hsts", "--https", "off", says: "--hsts needs --https."),
      Refused(
        "--max-memory-bytes", "100M",
        says:
          "--max-memory-bytes is 100M, which is less than the 256M of --max-session-log-bytes: raise the one or lower the other."
      ),
      Refused(
        "--max-session-log-bytes", "3000000000", environment: ["DRAWTOGETHER_MAX_MEMORY_BYTES": "2G"],
        says:
          "--max-memory-bytes is 2G, which is less than the 3000000000 of --max-session-log-bytes: raise the one or lower the other."
      ),
      Refused(
        "--data", "a\u{1B}[2J\n\0",
        says: "--data does not take \"a\\u001b[2J\\n\\u0000\": it takes the name of a directory."
      ),
    ])
  func refuses(_ refused: Refused) {
    let error = #expect(throws: ConfigurationError.self) { try read(refused.arguments, refused.environment) }
    #expect(error?.description == refused.says)
  }

  @Test("The other commands")
  func commands() throws {
    var expected = GatewayConfiguration()
    expected.reactors = 4
    expected.http = nil
    #expect(try read(["health", "--http", "off"]) == .health(expected))
    #expect(try read(["--http", "off", "--check-config"]) == .checkConfiguration(expected))
    #expect(try read(["--check-config=false", "--http=off"]) == .serve(expected))
    #expect(try read(["--help"]) == .help)
    #expect(try read(["serve", "--nonsense", "-h"]) == .help)
    #expect(try read(["--version"]) == .version)
  }

  @Test("The number of cores is kept within what reactors may be", arguments: [(0, 1), (2, 2), (1000, 256)])
  func cores(_ cores: Int, _ reactors: Int) throws {
    let invocation = try ConfigurationReader.read(arguments: [], environment: [:], cores: cores)
    var expected = GatewayConfiguration()
    expected.reactors = reactors
    #expect(invocation == .serve(expected))
  }

  @Test("The report shows what is in force, and of a secret only that there is one")
  func report() throws {
    let configuration = try serve([
      "--metrics-token", "s3cret", "--https", "off", "--max-message-bytes", "1000", "--public-url",
      "http://draw.example:8080",
    ])
    let lines = CommandHelp.report(configuration).split(separator: "\n").map {
      $0.split(separator: " ").joined(separator: " ")
    }
    #expect(!lines.contains { $0.contains("s3cret") })
    for line in [
      "--metrics-token set", "--https off", "--http 0.0.0.0:8080", "--max-message-bytes 1000",
      "--max-session-log-bytes 256M", "--public-url http://draw.example:8080", "--grace-seconds 30",
      "--allowed-origins own", "--reactors 4", "--flush-interval auto",
    ] {
      #expect(lines.contains(line))
    }
    #expect(lines.count == Setting.all.count)
  }

  @Test("The help names every flag once and fits a terminal of 132 columns")
  func help() {
    let lines = CommandHelp.text.split(separator: "\n")
    for setting in Setting.all {
      #expect(lines.count { $0.hasPrefix("  \(setting.flag) ") } == 1)
    }
    #expect(lines.allSatisfy { $0.count <= 132 })
  }

  @Test("No two settings share a flag")
  func names() {
    #expect(Set(Setting.all.map(\.flag)).count == Setting.all.count)
    #expect(Set(Setting.all.map(\.variable)).count == Setting.all.count)
  }
}
