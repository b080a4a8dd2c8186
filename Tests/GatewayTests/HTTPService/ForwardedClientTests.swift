import HTTP
import Testing
import Networking

@testable import Gateway

@Suite("Behind trusted proxies, the client is the one that the proxies report")
struct ForwardedClientTests {
  private static let peer = IPAddress(v4: 0xC0A8_0002)  // 192.168.0.2
  private static let everything: FieldList = [
    "X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "https", "X-Forwarded-Host": "draw.example",
    "Forwarded": "for=203.0.113.9;proto=https;host=draw.example",
  ]

  private func client(
    _ fields: FieldList, behind proxies: Int, from peer: IPAddress = peer, isSecure: Bool = false
  ) throws -> ForwardedClient {
    let head = try #require(RequestHead(.get, "/", fields: fields))
    return ForwardedClient(of: head, from: peer, isSecure: isSecure, behind: proxies)
  }

  @Test(
    "Without trusted proxies, the client's address is the address of the connection's peer",
    arguments: [false, true])
  func noProxies(isSecure: Bool) throws {
    let client = try client(Self.everything, behind: 0, isSecure: isSecure)
    #expect(client.address == Self.peer && client.isSecure == isSecure && client.authority == nil)
    #expect(!client.isForwarded && client.countedAddress == Self.peer)
    let local = try self.client(Self.everything, behind: 0, from: IPAddress(v4: 0x7F00_0001))
    #expect(local.isThisMachine && local.countedAddress == nil)
  }

  @Test(
    "The address, scheme and host of a request are those that a trusted proxy names", arguments: ["X-", ""])
  func trustedProxy(kind: String) throws {
    let fields = FieldList(Self.everything.filter { $0.name.hasPrefix("X-") == !kind.isEmpty })
    let client = try client(fields, behind: 1)
    #expect(client.address == IPAddress("203.0.113.9") && client.isSecure && client.isForwarded)
    #expect(client.authority == Authority("draw.example"))
    #expect(try self.client(fields, behind: 2).address == Self.peer)
  }

  @Test(
    "A request that a proxy received in plain text counts as plain text, even if the proxy itself uses TLS")
  func plainBehindTLS() throws {
    let plain: FieldList = ["X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "http"]
    let client = try client(plain, behind: 1, isSecure: true)
    #expect(!client.isSecure && client.isKnownPlain)
    #expect(try self.client(["X-Forwarded-For": "203.0.113.9"], behind: 1, isSecure: true).isSecure)
  }

  @Test(
    "Behind proxies, a request counts as plain text only if its fields are complete, unambiguous and say `http`",
    arguments: [
      ([:], 1), (["X-Forwarded-For": "203.0.113.9"], 1), (["X-Forwarded-Proto": "http"], 1),
      (["X-Forwarded-For": "203.0.113.9", "Forwarded": "for=6.6.6.6;proto=http"], 1),
      (["X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "http", "Forwarded": "for=203.0.113.9"], 1),
      (["X-Forwarded-For": "203.0.113.9, 192.0.2.1", "X-Forwarded-Proto": "http"], 2),
      (["X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "https"], 1),
    ] as [(FieldList, Int)])
  func unknownScheme(_ fields: FieldList, _ proxies: Int) throws {
    #expect(try !client(fields, behind: proxies).isKnownPlain)
  }

  struct Both: Sendable {
    let standard: String
    let customary: FieldList
    var address: String?
    var isSecure = false
    var host: String?
  }

  @Test(
    "If a request has both `Forwarded` and `X-Forwarded-*` fields, only values that are equal in both are used",
    arguments: [
      Both(
        standard: "for=203.0.113.9;proto=https;host=a.example",
        customary: [
          "X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "https", "X-Forwarded-Host": "a.example",
        ], address: "203.0.113.9", isSecure: true, host: "a.example"),
      Both(
        standard: "for=203.0.113.9;proto=https;host=evil.example",
        customary: ["X-Forwarded-For": "203.0.113.9", "X-Forwarded-Host": "a.example"], address: "203.0.113.9"
      ),
      Both(
        standard: #"for="[2001:DB8:0::1]:80""#, customary: ["X-Forwarded-For": "2001:db8::1"],
        address: "2001:db8::1"),
      Both(standard: "for=6.6.6.6;proto=https", customary: ["X-Forwarded-For": "203.0.113.9"]),
      Both(standard: "for=_hidden;proto=https", customary: ["X-Forwarded-For": "203.0.113.9"]),
      Both(standard: "for=unknown;proto=https", customary: ["X-Forwarded-For": "unknown"]),
      Both(standard: "?", customary: ["X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "https"]),
      Both(standard: "for=203.0.113.9;proto=https", customary: ["X-Forwarded-Proto": "https"]),
    ])
  func bothKinds(_ both: Both) throws {
    var fields = both.customary
    fields.append("Forwarded", both.standard)
    let client = try client(fields, behind: 1)
    #expect(client.address == both.address.flatMap { IPAddress($0) } ?? Self.peer)
    #expect(client.isSecure == both.isSecure)
    #expect(client.authority == both.host.flatMap { Authority($0) })
  }

  @Test(
    "Behind a proxy on this machine, a client of unknown address does not count as being on this machine",
    arguments: [
      ([:], false), (["X-Forwarded-For": "127.0.0.1"], true), (["X-Forwarded-For": "203.0.113.9"], false),
      (["X-Forwarded-For": "unknown"], false), (["X-Forwarded-For": ""], false), (["Forwarded": "?"], false),
      (["Forwarded": "for=_hidden"], false), (["X-Forwarded-Proto": "https"], false),
      (["X-Forwarded-For": "127.0.0.1", "Forwarded": "for=203.0.113.9"], false),
    ] as [(FieldList, Bool)])
  func thisMachine(_ fields: FieldList, _ isThisMachine: Bool) throws {
    let client = try client(fields, behind: 1, from: IPAddress(v4: 0x7F00_0001))
    #expect(client.isThisMachine == isThisMachine)
    #expect((client.countedAddress == nil) == isThisMachine)
  }
}
