import Testing
import Networking

@Suite("Socket addresses")
struct SocketAddressTests {
  struct Good: CustomTestStringConvertible {
    let text: String
    let description: String
    let host: String
    let isLoopback: Bool
    var testDescription: String { text }
  }

  @Test(
    "A valid HOST:PORT is parsed",
    arguments: [
      Good(text: "127.0.0.1:8080", description: "127.0.0.1:8080", host: "127.0.0.1", isLoopback: true),
      Good(text: "127.255.0.9:1", description: "127.255.0.9:1", host: "127.255.0.9", isLoopback: true),
      Good(text: "0.0.0.0:0", description: "0.0.0.0:0", host: "0.0.0.0", isLoopback: false),
      Good(text: "192.0.2.1:65535", description: "192.0.2.1:65535", host: "192.0.2.1", isLoopback: false),
      Good(text: "[::1]:8080", description: "[::1]:8080", host: "::1", isLoopback: true),
      Good(text: "[::]:80", description: "[::]:80", host: "::", isLoopback: false),
      // RFC 5952 §4: lower case, no leading zeros, the longest run of zeros shortened
      Good(
        text: "[2001:0DB8:0:0:1:0:0:0001]:443", description: "[2001:db8::1:0:0:1]:443",
        host: "2001:db8::1:0:0:1", isLoopback: false),
      // RFC 4291 §2.5.5.2: an IPv4-mapped IPv6 address becomes the IPv4 address
      Good(
        text: "[::ffff:192.0.2.7]:80", description: "192.0.2.7:80", host: "192.0.2.7", isLoopback: false),
      Good(text: "[::ffff:127.0.0.1]:80", description: "127.0.0.1:80", host: "127.0.0.1", isLoopback: true),
    ])
  func parses(_ good: Good) throws {
    let address = try SocketAddress(good.text)
    #expect(address.description == good.description)
    #expect(address.host == good.host)
    #expect(address.isLoopback == good.isLoopback)
    #expect(try SocketAddress(address.description) == address)
  }

  @Test("The host name `localhost` is resolved to loopback addresses")
  func name() throws {
    let addresses = try SocketAddress.resolve("localhost:80")
    #expect(!addresses.isEmpty)
    #expect(addresses.allSatisfy { $0.isLoopback && $0.port == 80 })
  }

  struct Bad: CustomTestStringConvertible {
    let text: String
    let error: AddressError
    var testDescription: String { text }
  }

  @Test(
    "An invalid HOST:PORT is refused",
    arguments: [
      Bad(text: "", error: .missingPort),
      Bad(text: "localhost", error: .missingPort),
      Bad(text: "localhost:", error: .badPort),
      Bad(text: "127.0.0.1:65536", error: .badPort),
      Bad(text: "127.0.0.1:+1", error: .badPort),
      Bad(text: "127.0.0.1:-1", error: .badPort),
      Bad(text: "127.0.0.1: 1", error: .badPort),
      Bad(text: "127.0.0.1:99999999999999999999", error: .badPort),
      Bad(text: ":80", error: .missingHost),
      Bad(text: "[]:80", error: .missingHost),
      Bad(text: "::1:80", error: .badBrackets),
      Bad(text: "[127.0.0.1]:80", error: .badBrackets),
      Bad(text: "[::1:80", error: .badBrackets),
      Bad(text: "a\0b:80", error: .hostHasNoAddress),
    ])
  func refuses(_ bad: Bad) {
    #expect(throws: bad.error) { try SocketAddress(bad.text) }
    #expect(!bad.error.description.isEmpty)
  }

  @Test("An invalid address in brackets, and an unknown name (RFC 6761 §6.4), are refused")
  func unknown() {
    #expect(throws: AddressError.self) { try SocketAddress("[::zz]:80") }
    #expect(throws: AddressError.self) { try SocketAddress("nobody.invalid:80") }
  }

  @Test(
    "The network of a client is its IPv4 address, or the /64 of its IPv6 address",
    arguments: [
      ("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"),
      ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
      ("2001:db8:1:2::", "2001:db8:1:2::"), ("2001:db8:1:3::1", "2001:db8:1:3::"),
    ])
  func network(_ text: String, _ network: String) throws {
    #expect("\(try #require(IPAddress(text)).network)" == network)
  }

  @Test(
    "Private addresses are distinguished from all other addresses",
    arguments: [
      ("10.0.0.0", true), ("11.0.0.0", false), ("172.15.255.255", false), ("172.16.0.0", true),
      ("172.31.255.255", true),
      ("172.32.0.0", false), ("192.168.0.1", true), ("192.169.0.1", false), ("169.254.1.1", true),
      ("::ffff:10.1.2.3", true),
      ("fbff::1", false), ("fc00::1", true), ("fdff::1", true), ("fe80::1", true), ("2001:db8::1", false),
      ("127.0.0.1", false),
    ])
  func privateAddresses(text: String, isPrivate: Bool) throws {
    #expect(try #require(IPAddress(text)).isPrivate == isPrivate)
  }

  @Test("Link-local and unspecified addresses are recognized")
  func kinds() throws {
    #expect(try #require(IPAddress("169.254.1.1")).isLinkLocal)
    #expect(try #require(IPAddress("fe80::1")).isLinkLocal)
    #expect(try #require(IPAddress("febf::1")).isLinkLocal)
    #expect(try !#require(IPAddress("fec0::1")).isLinkLocal)
    #expect(try #require(IPAddress("::")).isUnspecified)
    #expect(try #require(IPAddress("0.0.0.0")).isUnspecified)
    #expect(try !#require(IPAddress("::1")).isUnspecified)
    #expect(IPAddress("localhost") == nil)
    #expect(IPAddress("::ffff:10.0.0.1") == IPAddress("10.0.0.1"))
  }
}
