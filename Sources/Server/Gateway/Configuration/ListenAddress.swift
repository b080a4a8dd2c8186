/// The address of a listener: a host, as the operator wrote it, and a port.
///
/// With port 0, the system chooses a free port.
package struct ListenAddress: Equatable, Sendable, CustomStringConvertible {
  /// A name, an IPv4 address, or an IPv6 address without its brackets.
  package var host: String
  package var port: UInt16

  /// Creates an address from its two parts; an IPv6 host has no brackets.
  package init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Parses `HOST:PORT`, with brackets around an IPv6 host. Returns nil for any other text.
  package init?(_ text: String) {
    guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) else { return nil }
    let written = text[..<colon]
    let digits = text[text.utf8.index(after: colon)...]
    guard digits.utf8.count <= 5, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let port = UInt16(digits)
    else { return nil }
    let isBracketed = written.hasPrefix("[") && written.hasSuffix("]")
    let host = isBracketed ? written.dropFirst().dropLast() : written
    guard !host.isEmpty, host.utf8.count <= 253, isBracketed == host.utf8.contains(UInt8(ascii: ":")),
      host.utf8.allSatisfy(Self.isAllowedInHost)
    else { return nil }
    self.init(host: String(host), port: port)
  }

  package var description: String { "\(authorityHost):\(port)" }

  /// The host in the form that it has in a URL: an IPv6 address is in brackets.
  package var authorityHost: String { host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host }

  /// True if the host is `0.0.0.0` or `::`, which means all addresses of the machine.
  package var isWildcard: Bool { host == "0.0.0.0" || host == "::" }

  /// Returns true if the two addresses cannot be bound at the same time, because they have the same port and the same host, or
  /// one host is a wildcard that includes the other.
  package func overlaps(_ other: ListenAddress) -> Bool {
    guard port == other.port, port != 0 else { return false }
    let isOfOneKind = host.utf8.contains(UInt8(ascii: ":")) == other.host.utf8.contains(UInt8(ascii: ":"))
    // `::` includes all IPv6 and IPv4 addresses; `0.0.0.0` includes all IPv4 addresses.
    return host == other.host || host == "::" || other.host == "::"
      || isOfOneKind && (isWildcard || other.isWildcard)
  }

  private static func isAllowedInHost(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ":"), UInt8(ascii: "%"):
      true
    default:
      false
    }
  }
}
