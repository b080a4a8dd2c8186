import Gateway
import Testing
import Networking

@testable import drawtogether

/// The notice of a gateway that is ready.
@Suite("The notice that a gateway prints when it is ready")
struct ReadyNoticeTests {
  private func notice(
    http: String?, https: String?, interfaces: [String] = [],
    data: Gateway.DataFolderUsage = .init(
      sessions: 12, usedBytes: 1_395_864_371, isWhole: true, freeBytes: 20 << 30),
    certificateEnd: Int64? = nil, change: (inout GatewayConfiguration) -> Void = { _ in }
  ) throws -> ReadyNotice {
    var configuration = GatewayConfiguration()
    change(&configuration)
    return ReadyNotice(
      http: try http.map { try SocketAddress($0) }, https: try https.map { try SocketAddress($0) },
      interfaces: interfaces.compactMap { IPAddress($0) }, startDuration: .microseconds(12_900),
      configuration: configuration, data: data, certificateEnd: certificateEnd,
      time: LogTime(millisecondsSince1970: 1_790_000_000_123))
  }

  @Test(
    "The ready notice as JSON begins with the event, the URLs of the listeners, and the duration of the start",
    arguments: [
      (
        "127.0.0.1:4000", "127.0.0.1:4001",
        #"{"event":"ready","http":"http://127.0.0.1:4000","https":"https://127.0.0.1:4001","ms":12,"#
      ),
      (
        "0.0.0.0:8080", nil, #"{"event":"ready","http":"http://localhost:8080","https":null,"ms":12,"#
      ),
      (nil, "[::1]:443", #"{"event":"ready","http":null,"https":"https://[::1]:443","ms":12,"#),
    ] as [(String?, String?, String)])
  func json(_ http: String?, _ https: String?, _ start: String) throws {
    let line = try notice(http: http, https: https).json
    #expect(line.hasPrefix(start + #""time":"2026-09-21T14:13:20.123Z","level":"info","#))
    #expect(line.hasSuffix("}\n") && line.split(separator: "\n").count == 1)
  }

  @Test("The ready notice as JSON contains the settings, and null for unknown values")
  func jsonFacts() throws {
    let few = try notice(
      http: "127.0.0.1:1", https: nil,
      data: .init(sessions: nil, usedBytes: 7, isWhole: false, freeBytes: nil)
    ) { $0.durability = .memory }.json
    #expect(
      few.hasSuffix(
        #""version":"\#(Product.version)","publicURL":null,"data":"data","durability":"memory","sessions":null,"#
          + #""usedBytes":null,"freeBytes":null,"trustProxy":0,"metrics":"loopback","certificateExpires":null}"#
          + "\n"))
    let all = try notice(http: nil, https: "127.0.0.1:1", certificateEnd: 1_795_000_000) {
      $0.publicURL = WebOrigin("https://draw.example")
      $0.trustedProxies = 1
      $0.metricsToken = "s3cret"
    }.json
    #expect(
      all.hasSuffix(
        #""publicURL":"https://draw.example","data":"data","durability":"process","sessions":12,"usedBytes":1395864371,"#
          + #""freeBytes":21474836480,"trustProxy":1,"metrics":"token","certificateExpires":"2026-11-18"}"#
          + "\n"))
    #expect(!all.contains("s3cret"))
  }

  @Test("The ready notice as text fits into 100 columns")
  func text() throws {
    let text = try notice(
      http: "0.0.0.0:8080", https: "0.0.0.0:8443",
      interfaces: ["127.0.0.1", "192.0.2.7", "169.254.1.1", "2001:db8::7", "::1"]
    ).text
    #expect(
      text == """
        DrawTogether \(Product.version) is ready after 12 ms.

          Listening        http 0.0.0.0:8080, https 0.0.0.0:8443
          Open             http://localhost:8080  https://localhost:8443
          In your network  https://192.0.2.7:8443
          Data             data: 12 sessions of 1.3G, 20G free, durability process
          Limits           10000 connections, 200 per address; 1000 per session; files up to 100M
          Proxies          no proxy is trusted (--trust-proxy)
          Health           /healthz, /readyz; limits: /api/limits
          Metrics          /metrics, only on this machine (--metrics-token allows other machines)
          Certificate      self-signed by this gateway: browsers ask once whether to trust it


        """)
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 })
  }

  @Test(
    "The ready notice as text shows proxies, the certificate, access with a token, and sessions in memory")
  func otherText() throws {
    let text = try notice(
      http: nil, https: "127.0.0.1:8443",
      data: .init(sessions: nil, usedBytes: 0, isWhole: true, freeBytes: 500),
      certificateEnd: 1_795_000_000
    ) {
      $0.publicURL = WebOrigin("https://draw.example")
      $0.certificateFile = "/certs/tls.crt"
      $0.trustedProxies = 2
      $0.metricsToken = "s3cret"
      $0.durability = .memory
    }.text
    for line in [
      "Listening        https 127.0.0.1:8443, http off\n", "Open             https://draw.example\n",
      "Data             data: sessions in memory only, 500 bytes free, durability memory\n",
      "Proxies          2 trusted proxies in front of the gateway\n",
      "Metrics          /metrics, with the token\n",
      "Certificate      /certs/tls.crt, valid until 2026-11-18\n",
    ] {
      #expect(text.contains(line))
    }
    let ended = try notice(http: nil, https: "127.0.0.1:8443", certificateEnd: 1_790_000_000) {
      $0.certificateFile = "/certs/tls.crt"
    }.text
    #expect(ended.contains("Certificate      /certs/tls.crt, expired on 2026-09-21: browsers refuse it\n"))
    #expect(!text.contains("s3cret"))
  }

  @Test(
    "The ready notice as text shows the number and the size of the stored sessions",
    arguments: [
      (0, 0, true, "no session yet"), (1, 500, true, "1 session of 500 bytes"),
      (9_999, 5 << 30, false, "9999 sessions of more than 5G"),
    ] as [(Int, UInt64, Bool, String)])
  func folder(_ sessions: Int, _ bytes: UInt64, _ isWhole: Bool, _ words: String) throws {
    let text = try notice(
      http: "127.0.0.1:1", https: nil,
      data: .init(sessions: sessions, usedBytes: bytes, isWhole: isWhole, freeBytes: 1 << 40)
    ).text
    #expect(text.contains("Data             data: \(words), 1T free, durability process\n"))
  }

  @Test(
    "The ready notice lists URLs for other machines only for wildcard listeners, and IPv6 URLs only for [::]")
  func network() throws {
    let loopback = try notice(http: "127.0.0.1:8080", https: nil, interfaces: ["192.0.2.7"]).text
    #expect(!loopback.contains("network") && !loopback.contains("Certificate"))
    let all = try notice(http: "[::]:80", https: nil, interfaces: ["192.0.2.7", "2001:db8::7", "fe80::1"])
      .text
    #expect(all.contains("http://192.0.2.7:80  http://[2001:db8::7]:80\n"))
    #expect(!all.contains("fe80"))
  }
}
