import HTTP
import Testing
import Networking

@testable import Gateway

@Suite("Metrics are served only to local requests, or to requests that contain the token")
struct MetricsAccessTests {
  private func admits(
    _ fields: FieldList, host: String = "localhost:8080", from peer: String = "127.0.0.1:5000",
    _ adjust: (inout GatewayConfiguration) -> Void = { _ in }
  ) throws -> Bool {
    var configuration = GatewayConfiguration()
    adjust(&configuration)
    var fields = fields
    fields.append("Host", host)
    let head = try #require(RequestHead(.get, "/metrics", fields: fields))
    return MetricsAccess(configuration).admits(head, from: try SocketAddress(peer).ip)
  }

  @Test(
    "Without a token, metrics are served only to requests from this machine whose `Host` names this machine",
    arguments: [
      ("localhost:8080", "127.0.0.1:5000", true), ("127.0.0.1", "127.0.0.1:5000", true),
      ("127.1.2.3:80", "127.0.0.1:5000", true), ("[::1]:8080", "[::1]:5000", true),
      ("LOCALHOST", "[::1]:5000", true), ("draw.localhost:1", "127.0.0.1:5000", true),
      ("localhost", "192.0.2.7:5000", false), ("localhost", "[2001:db8::1]:5000", false),
      ("draw.example", "127.0.0.1:5000", false), ("localhost.example", "127.0.0.1:5000", false),
      ("192.0.2.1:8080", "127.0.0.1:5000", false), ("[2001:db8::1]", "[::1]:5000", false),
    ])
  func loopback(_ host: String, _ peer: String, _ isAdmitted: Bool) throws {
    #expect(try admits([:], host: host, from: peer) == isAdmitted)
  }

  @Test(
    "A request that a proxy on this machine forwarded does not count as local",
    arguments: [
      "Forwarded", "forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto",
      "X-Real-IP",
    ])
  func proxied(_ field: String) throws {
    var fields = FieldList()
    fields.append(field, field == "Via" ? "1.1 proxy" : "127.0.0.1")
    #expect(try !admits(fields))
    fields.append("Authorization", "Bearer secret")
    #expect(try !admits(fields))
    #expect(try admits(fields) { $0.metricsToken = "secret" })
  }

  @Test("Behind trusted proxies, no request counts as local")
  func trusted() throws {
    #expect(try !admits([:]) { $0.trustedProxies = 1 })
    #expect(
      try admits(["Authorization": "Bearer secret"]) {
        $0.trustedProxies = 1
        $0.metricsToken = "secret"
      })
  }

  @Test(
    "With a token, metrics are served from any address, but only to requests that contain the token",
    arguments: [
      ("Bearer s3cret", true), ("bearer s3cret", true), ("BEARER s3cret", true), ("Bearer s3cre", false),
      ("Bearer s3crets", false), ("Bearer ", false), ("Bearer", false), ("s3cret", false),
      ("Basic s3cret", false),
      ("Bearer  s3cret", false), ("Beärer s3cret", false), ("", false),
    ])
  func token(_ value: String, _ isAdmitted: Bool) throws {
    for peer in ["127.0.0.1:5000", "192.0.2.7:5000"] {
      var fields = FieldList()
      fields.append("Authorization", value)
      #expect(try admits(fields, from: peer) { $0.metricsToken = "s3cret" } == isAdmitted, "\(peer)")
      #expect(try !admits([:], from: peer) { $0.metricsToken = "s3cret" }, "\(peer)")
    }
  }
}
