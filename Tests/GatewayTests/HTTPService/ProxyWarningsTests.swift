import HTTP
import Networking
import Primitives
import Testing

@testable import Gateway

@Suite("Requests that show a wrong proxy setting cause warnings in the log")
struct ProxyWarningsTests {
  private static let privatePeer = IPAddress(v4: 0xC0A8_0002)  // 192.168.0.2
  private let lines = LogLines()
  private let start = MonotonicTime(nanoseconds: 1_000_000_000_000)

  private func warnings(trustedProxies: Int = 0, publicURL: String? = nil) -> ProxyWarnings {
    var configuration = GatewayConfiguration()
    configuration.trustedProxies = trustedProxies
    configuration.publicURL = publicURL.flatMap { WebOrigin($0) }
    return ProxyWarnings(configuration, log: lines.log)
  }

  private func check(
    _ warnings: ProxyWarnings, _ fields: FieldList, trustedProxies: Int = 0, peer: IPAddress = privatePeer,
    afterSeconds seconds: Int = 0
  ) throws {
    let head = try #require(RequestHead(.get, "/", fields: fields))
    let client = ForwardedClient(of: head, from: peer, isSecure: false, behind: trustedProxies)
    warnings.check(head, from: client, peer: peer, now: start.adding(seconds: seconds))
  }

  @Test(
    "If a peer with a private address sends proxy fields, a warning about an untrusted proxy is logged at most once per hour"
  )
  func untrustedProxy() throws {
    let warnings = warnings()
    try check(warnings, ["X-Forwarded-For": "203.0.113.9"])
    #expect(lines.count == 1)
    #expect(lines.last?.contains("event=\"proxy is not trusted\"") == true)
    #expect(lines.last?.contains("remote=192.168.0.2") == true)
    #expect(lines.last?.contains("X-Forwarded-For") == true)
    try check(warnings, ["X-Forwarded-For": "203.0.113.9"], afterSeconds: 3_599)
    #expect(lines.count == 1)
    try check(warnings, ["X-Forwarded-For": "203.0.113.9"], afterSeconds: 3_600)
    #expect(lines.count == 2)
  }

  @Test(
    "Requests without proxy fields, and requests with proxy fields from a public address, cause no warning")
  func noWarning() throws {
    let warnings = warnings()
    try check(warnings, [:])
    try check(warnings, ["X-Forwarded-For": "203.0.113.9"], peer: IPAddress(v4: 0xCB00_7109))
    #expect(lines.count == 0)
  }

  @Test("If a trusted proxy names no client, one warning per hour is logged with the reason")
  func missingClient() throws {
    let warnings = warnings(trustedProxies: 1)
    try check(warnings, ["X-Forwarded-For": "203.0.113.9"], trustedProxies: 1)
    #expect(lines.count == 0)
    try check(warnings, [:], trustedProxies: 1)
    try check(warnings, [:], trustedProxies: 1, afterSeconds: 60)
    #expect(lines.count == 1)
    #expect(lines.last?.contains("event=\"proxy names no client\"") == true)
    #expect(lines.last?.contains("trustProxy=1") == true)
    #expect(lines.last?.contains("neither Forwarded nor X-Forwarded-For is present") == true)
  }

  @Test("A request for a wrong host is logged with the host in the proxy's fields and the expected host")
  func otherHost() throws {
    let warnings = warnings(trustedProxies: 1, publicURL: "https://draw.example")
    let head = try #require(
      RequestHead(
        .get, "/",
        fields: ["Host": "inside", "X-Forwarded-For": "203.0.113.9", "X-Forwarded-Host": "other:81"]))
    let client = ForwardedClient(of: head, from: Self.privatePeer, isSecure: false, behind: 1)
    warnings.warnOfOtherHost(head, from: client, now: start)
    warnings.warnOfOtherHost(head, from: client, now: start + .seconds(3_599))
    #expect(lines.count == 1)
    #expect(lines.last?.contains("host=other:81") == true)
    #expect(lines.last?.contains("expected=https://draw.example") == true)
    #expect(lines.last?.contains("remote=203.0.113.9") == true)
  }

  @Test("Only the first 100 bytes of a long host are logged")
  func longHost() throws {
    let warnings = warnings(publicURL: "https://draw.example")
    let host = String(repeating: "a", count: 200)
    let head = try #require(RequestHead(.get, "/", fields: ["Host": host]))
    let client = ForwardedClient(of: head, from: Self.privatePeer, isSecure: false, behind: 0)
    warnings.warnOfOtherHost(head, from: client, now: start)
    #expect(lines.last?.contains("host=" + String(repeating: "a", count: 100) + "… ") == true)
  }
}
