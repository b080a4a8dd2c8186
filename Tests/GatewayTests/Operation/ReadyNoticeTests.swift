import Testing
import Transport

@testable import Gateway

/// What a gateway says when it is ready.
@Suite("Ready notice")
struct ReadyNoticeTests {
  private func notice(
    http: String?, https: String?, interfaces: [String] = []
  ) throws -> ReadyNotice {
    ReadyNotice(
      http: try http.map { try SocketAddress($0) }, https: try https.map { try SocketAddress($0) },
      interfaces: interfaces.compactMap { IPAddress($0) }, took: .microseconds(12_900),
      configuration: GatewayConfiguration())
  }

  @Test(
    "The line for programs",
    arguments: [
      (
        "127.0.0.1:4000", "127.0.0.1:4001",
        #"{"event":"ready","http":"http://127.0.0.1:4000","https":"https://127.0.0.1:4001","ms":12}"#
      ),
      (
        "0.0.0.0:8080", nil, #"{"event":"ready","http":"http://localhost:8080","https":null,"ms":12}"#
      ),
      (nil, "[::1]:443", #"{"event":"ready","http":null,"https":"https://[::1]:443","ms":12}"#),
    ] as [(String?, String?, String)])
  func json(_ http: String?, _ https: String?, _ line: String) throws {
    #expect(try notice(http: http, https: https).json == line + "\n")
  }

  @Test("The lines for people: this machine, the network, health, data, limits")
  func text() throws {
    let text = try notice(
      http: "0.0.0.0:8080", https: "0.0.0.0:8443",
      interfaces: ["127.0.0.1", "192.0.2.7", "169.254.1.1", "2001:db8::7", "::1"]
    ).text
    #expect(
      text == """
        DrawTogether \(Product.version) is ready after 12 ms.

          Open             http://localhost:8080  https://localhost:8443
          In your network  https://192.0.2.7:8443
          Health           http://localhost:8080/healthz
          Data             data (durability process)
          Limits           10000 sessions, 1000 participants each, 10000 connections; all of them at /api/limits

        The certificate is of this gateway's own making: browsers ask once whether to trust it.


        """)
  }

  @Test("A listener on one address is not offered to the network; IPv6 is where it is served")
  func network() throws {
    let loopback = try notice(http: "127.0.0.1:8080", https: nil, interfaces: ["192.0.2.7"]).text
    #expect(!loopback.contains("network") && !loopback.contains("certificate"))
    let all = try notice(http: "[::]:80", https: nil, interfaces: ["192.0.2.7", "2001:db8::7", "fe80::1"])
      .text
    #expect(all.contains("http://192.0.2.7:80  http://[2001:db8::7]:80\n"))
    #expect(!all.contains("fe80"))
  }
}
