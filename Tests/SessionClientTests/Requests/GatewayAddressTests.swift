import FoundationEssentials
import Testing
import Networking
import Wire

@testable import SessionClient

/// Gateway addresses and session links as users write them.
@Suite("Gateway addresses and session links are parsed in the forms in which users write them")
struct GatewayAddressTests {
  @Test(
    "Valid gateway addresses are parsed",
    arguments: [
      ("http://127.0.0.1:8080", "http://127.0.0.1:8080", "127.0.0.1:8080"),
      ("http://[::1]:8080/", "http://[::1]:8080", "[::1]:8080"),
      ("https://[2001:db8::1]", "https://[2001:db8::1]", "[2001:db8::1]:443"),
      ("HTTPS://Draw.Example", "https://draw.example", "draw.example:443"),
      ("https://draw.example:443/", "https://draw.example", "draw.example:443"),
      ("http://draw.example", "http://draw.example", "draw.example:80"),
      ("http://draw.example:443", "http://draw.example:443", "draw.example:443"),
      ("http://müller.example", "http://xn--mller-kva.example", "xn--mller-kva.example:80"),
    ])
  func address(_ text: String, _ shown: String, _ endpoint: String) throws {
    let address = try GatewayAddress(#require(URL(string: text)))
    #expect(address.description == shown)
    #expect(address.endpoint == endpoint)
    #expect(shown == "\(address.isSecure ? "https" : "http")://\(address.authority)")
  }

  @Test(
    "Invalid gateway addresses are rejected with an error text",
    arguments: [
      ("draw.example:8080", "begins with http:// or https://"),
      ("ftp://draw.example", "begins with http:// or https://"),
      ("http:///s", "has no valid host"),
      ("http://draw,example", "a name in ASCII"),
      ("http://draw.example:0", "outside 1 to 65535"),
      ("http://draw.example:70000", "outside 1 to 65535"),
      ("http://ada@draw.example", "without a path"),
      ("http://draw.example/board", "without a path"),
      ("http://draw.example/?a", "without a path"),
      ("http://draw.example/#a", "without a path"),
    ])
  func noAddress(_ text: String, _ words: String) throws {
    let url = try #require(URL(string: text))
    let error = try #require(throws: GatewayAddressError.self) { try GatewayAddress(url) }
    #expect(error.description.contains(words))
  }

  @Test(
    "A host name of 253 bytes is accepted and a longer one rejected, with and without TLS",
    arguments: ["http", "https"])
  func longHost(_ scheme: String) throws {
    func url(_ count: Int) throws -> URL {
      try #require(URL(string: "\(scheme)://\(String(repeating: "a", count: count - 8)).example"))
    }
    let longest = try GatewayAddress(url(253))
    // The TLS context accepts the longest host name too.
    _ = try TLSClientContext(trust: .system).makeConnection(to: longest.host)
    #expect(throws: GatewayAddressError.hostTooLong(limit: 253, actual: 254)) {
      try GatewayAddress(url(254))
    }
    let link = try #require(URL(string: "\(try url(300).absoluteString)/s/AAAAAAAAAAAAAAAAAAAAAQ"))
    let error = try #require(throws: GatewayAddressError.self) { try SessionLink(link) }
    #expect(error.description.contains("253 bytes at most; this host has 300"))
  }

  @Test(
    "Error texts contain no secret part of a link",
    arguments: [
      ("https://draw.example/s/SECRET", "“https://draw.example/…” is not a session link"),
      ("https://draw.example:0/s/SECRET", "“https://draw.example:0/…” has a port"),
      ("https://SECRET:SECRET@draw.example/s/SECRET", "“https://draw.example/…” has extra parts"),
      ("ftp://draw.example/s/SECRET", "“ftp://draw.example/…” is not a gateway address"),
      ("draw.example:80/s/SECRET", "“draw.example:80/…” is not a gateway address"),
      ("http:///s/SECRET", "“http:///…” has no valid host"),
      ("http://draw.example?SECRET", "“http://draw.example/…” is not a session link"),
    ])
  func secrets(_ text: String, _ words: String) throws {
    let url = try #require(URL(string: text))
    let error = try #require(throws: GatewayAddressError.self) { try SessionLink(url) }
    #expect(error.description.hasPrefix(words))
    #expect(!error.description.contains("SECRET") && !"\(String(reflecting: error))".contains("SECRET"))
  }

  @Test(
    "Valid session links are parsed",
    arguments: ["", "/", "?utm=mail", "#top"])
  func link(_ rest: String) throws {
    let id = try #require(SessionID("AAAAAAAAAAAAAAAAAAAAAQ"))
    let link = try SessionLink(#require(URL(string: "https://draw.example:8443/s/\(id.text)\(rest)")))
    #expect(link.session == id && link.gateway.description == "https://draw.example:8443")
    #expect(link.url.absoluteString == "https://draw.example:8443/s/\(id.text)")
    #expect(try SessionLink(link.url) == link)
  }

  @Test(
    "Invalid session links are rejected",
    arguments: ["", "/s", "/s/", "/s/short", "/x/AAAAAAAAAAAAAAAAAAAAAQ"])
  func noLink(_ path: String) throws {
    let url = try #require(URL(string: "https://draw.example\(path)"))
    let error = try #require(throws: GatewayAddressError.self) { try SessionLink(url) }
    #expect(error == .noSession(path.isEmpty ? "https://draw.example" : "https://draw.example/…"))
    #expect(error.description.contains("/s/"))
  }
}
