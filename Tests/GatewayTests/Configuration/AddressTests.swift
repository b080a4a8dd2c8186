import Testing

@testable import Gateway

/// Parsing and printing of addresses and origins.
@Suite("Addresses and origins")
struct AddressTests {
  @Test(
    "HOST:PORT is parsed and printed",
    arguments: [
      ("0.0.0.0:8080", "0.0.0.0", 8080), ("localhost:0", "localhost", 0), ("[::]:443", "::", 443),
      ("[fe80::1%eth0]:1", "fe80::1%eth0", 1), ("my_host-1.example:65535", "my_host-1.example", 65535),
    ] as [(String, String, UInt16)])
  func reads(_ text: String, _ host: String, _ port: UInt16) throws {
    let address = try #require(ListenAddress(text))
    #expect(address == ListenAddress(host: host, port: port))
    #expect(address.description == text)
  }

  @Test(
    "An invalid HOST:PORT is refused",
    arguments: [
      "", ":", ":80", "80", "host", "host:", "host:65536", "host:-1", "host:+1", "host: 1", "host:080000",
      "::1:80", "[::1]", "[]:80", "[host]:80", "ho st:80", "host/:80", "h\u{F6}st:80", "host:80x",
      "host:\u{0661}",
    ])
  func refuses(_ text: String) {
    #expect(ListenAddress(text) == nil)
  }

  @Test(
    "0.0.0.0 and [::] stand for all addresses of the machine",
    arguments: [("0.0.0.0", true), ("::", true), ("127.0.0.1", false)])
  func wildcard(_ host: String, _ isWildcard: Bool) {
    #expect(ListenAddress(host: host, port: 1).isWildcard == isWildcard)
  }

  @Test(
    "RFC 6454 §6.2: an origin is printed in lower case and without the default port",
    arguments: [
      ("http://example.org", "http://example.org", "example.org"),
      ("HTTPS://Example.ORG:443/", "https://example.org", "example.org"),
      ("http://example.org:443", "http://example.org:443", "example.org:443"),
      ("https://example.org:8443", "https://example.org:8443", "example.org:8443"),
      ("http://[::1]:80", "http://[::1]", "[::1]"), ("https://[::1]", "https://[::1]", "[::1]"),
    ])
  func origins(_ text: String, _ written: String, _ authority: String) throws {
    let origin = try #require(WebOrigin(text))
    #expect(origin.description == written)
    #expect(origin.authority == authority)
    #expect(WebOrigin(origin.description) == origin)
  }

  @Test(
    "An invalid origin is refused",
    arguments: [
      "", "null", "*", "example.org", "ftp://example.org", "http://", "http:///", "http://a/b", "http://a?b",
      "http://a#b", "http://user@a", "http://a:0", "http://a:99999", "http://a b", "http://::1",
    ])
  func refusesOrigins(_ text: String) {
    #expect(WebOrigin(text) == nil)
  }
}
