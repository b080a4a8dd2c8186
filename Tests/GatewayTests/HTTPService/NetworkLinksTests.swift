import HTTP
import Networking
import Platform
import Primitives
import TestSupport
import Testing

@testable import Gateway

@Suite("Only a page at localhost gets the links for other devices in the network")
struct NetworkLinksTests {
  private static let machine = AlternativeNames(
    hosts: ["localhost", "studio.lan", "studio", "studio.local"],
    addresses: ["127.0.0.1", "::1", "2001:db8::7", "192.0.2.7", "169.254.1.1", "fe80::1", "198.51.100.3"]
      .compactMap { IPAddress($0) })

  private func links(
    http: String? = nil, https: String? = nil, certificate: TLSServerContext? = nil,
    host: String = "localhost:8080", from peer: String = "127.0.0.1", _ more: FieldList = [:],
    _ adjust: (inout GatewayConfiguration) throws -> Void = { _ in }
  ) throws -> [String]? {
    var configuration = GatewayConfiguration()
    configuration.certificateFile = certificate == nil ? nil : "/certs/tls.crt"
    try adjust(&configuration)
    let endpoints = Endpoints(
      http: try http.map { try SocketAddress($0) }, https: try https.map { try SocketAddress($0) })
    let links = NetworkLinks(
      configuration, endpoints: { endpoints }, certificate: { certificate }, machine: { Self.machine })
    var fields: FieldList = ["Host": host]
    for field in more { fields.append(field.name, field.value) }
    let head = try #require(RequestHead(.get, "/api/sessions/x", fields: fields))
    let client = ForwardedClient(
      of: head, from: try #require(IPAddress(peer)), isSecure: false, behind: configuration.trustedProxies)
    return links.links(to: "/s/x", for: head, from: client)
  }

  @Test("The links contain the interfaces' addresses, IPv4 first, and use https if the gateway serves it")
  func addresses() throws {
    #expect(
      try links(http: "0.0.0.0:8080") == ["http://192.0.2.7:8080/s/x", "http://198.51.100.3:8080/s/x"])
    #expect(
      try links(http: "0.0.0.0:8080", https: "[::]:8443") == [
        "https://192.0.2.7:8443/s/x", "https://198.51.100.3:8443/s/x", "https://[2001:db8::7]:8443/s/x",
      ])
    #expect(
      try links(http: "0.0.0.0:8080", https: "127.0.0.1:8443")
        == ["http://192.0.2.7:8080/s/x", "http://198.51.100.3:8080/s/x"])
    #expect(
      try links(http: "127.0.0.1:8080", https: "198.51.100.3:8443") == ["https://198.51.100.3:8443/s/x"])
  }

  @Test("A gateway that listens on loopback addresses only has no links")
  func loopback() throws {
    #expect(try links(http: "127.0.0.1:8080", https: "[::1]:8443") == nil)
    #expect(try links() == nil)
  }

  @Test(
    "With the operator's certificate, the links contain only its hosts and addresses, or use http",
    arguments: [
      (["studio.lan"], ["192.0.2.7"], ["https://studio.lan:8443/s/x", "https://192.0.2.7:8443/s/x"]),
      (["draw.example", "localhost"], [], ["http://192.0.2.7:8080/s/x", "http://198.51.100.3:8080/s/x"]),
    ] as [([String], [String], [String])])
  func certificate(_ hosts: [String], _ addresses: [String], _ expected: [String]) throws {
    let folder = TemporaryFolder()
    let names = AlternativeNames(hosts: hosts, addresses: addresses.compactMap { IPAddress($0) })
    let made = try SelfSignedCertificate.loadOrCreate(in: folder.path, now: .now(), names: names)
    let context = try TLSServerContext(certificatePath: made.certificatePath, keyPath: made.keyPath)
    let all = try links(http: "0.0.0.0:8080", https: "0.0.0.0:8443", certificate: context)
    #expect(all == expected)
  }

  @Test(
    "A request that does not come from a page on this machine gets no links",
    arguments: [
      ("192.0.2.7:8080", "127.0.0.1", [:]), ("evil.example", "127.0.0.1", [:]),
      ("localhost:8080", "192.0.2.9", [:]), ("localhost:8080", "127.0.0.1", ["X-Forwarded-For": "127.0.0.1"]),
      ("localhost:8080", "127.0.0.1", ["Via": "1.1 proxy"]),
      ("localhost:8080", "127.0.0.1", ["Origin": "https://friend.example"]),
      ("localhost:8080", "127.0.0.1", ["Origin": "https://evil.example"]),
    ] as [(String, String, FieldList)])
  func others(_ host: String, _ peer: String, _ fields: FieldList) throws {
    let friend = try #require(WebOrigin("https://friend.example"))
    let found = try links(http: "0.0.0.0:8080", host: host, from: peer, fields) {
      $0.allowedOrigins = [friend]
    }
    #expect(found == nil)
  }

  @Test("Behind trusted proxies, and with a public URL, there are no links")
  func proxies() throws {
    #expect(try links(http: "0.0.0.0:8080") { $0.trustedProxies = 1 } == nil)
    #expect(try links(http: "0.0.0.0:8080") { $0.publicURL = WebOrigin("https://draw.example") } == nil)
    #expect(try links(http: "0.0.0.0:8080", ["Origin": "http://localhost:8080"]) != nil)
  }
}
