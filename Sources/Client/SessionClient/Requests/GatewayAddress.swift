package import FoundationEssentials
internal import HTTP
internal import Platform

/// The address of a gateway: scheme, host and port, and the additional trusted certificates.
package struct GatewayAddress: Hashable, Sendable, CustomStringConvertible {
  /// True for TLS.
  package let isSecure: Bool
  /// The host name or address in lower case, at most `hostLimit` bytes; an IPv6 address without brackets.
  package let host: String
  /// The TCP port.
  package let port: UInt16
  /// A PEM file with certificates trusted in addition to the system's authorities; nil to trust these authorities only.
  package let certificates: String?

  /// The maximum length of a host name in bytes. RFC 1035 §2.3.4 allows 255 octets in a DNS message, and the text form of a name
  /// is two bytes shorter. TLS does not accept a longer name either.
  package static let hostLimit = 253

  /// Parses `http://host[:port]` or `https://…`. Only the path `/` is allowed.
  ///
  /// - Throws: `GatewayAddressError`.
  package init(_ url: URL, certificates: String? = nil) throws(GatewayAddressError) {
    try self.init(authorityOf: url, certificates: certificates)
    guard ["", "/"].contains(url.path()), url.query() == nil, url.fragment() == nil else {
      throw .path(Self.redacted(url))
    }
  }

  /// Parses the scheme, the host and the port of a URL, and ignores all other parts.
  init(authorityOf url: URL, certificates: String?) throws(GatewayAddressError) {
    let text = Self.redacted(url)
    switch url.scheme?.lowercased() {
    case "http": isSecure = false
    case "https": isSecure = true
    default: throw .scheme(text)
    }
    guard url.user() == nil, url.password() == nil else { throw .path(text) }
    guard let host = url.host(percentEncoded: false), !host.isEmpty,
      let authority = Authority(host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host)
    else { throw .noHost(text) }
    guard authority.host.utf8.count <= Self.hostLimit else {
      throw .hostTooLong(limit: Self.hostLimit, actual: authority.host.utf8.count)
    }
    let isNumbered = authority.host.hasPrefix("[")
    self.host = isNumbered ? String(authority.host.dropFirst().dropLast()) : authority.host
    if let named = url.port {
      guard let port = UInt16(exactly: named), port > 0 else { throw .port(text) }
      self.port = port
    } else {
      port = isSecure ? 443 : 80
    }
    self.certificates = certificates
  }

  /// The value of the `Host` field: the host and the port. The scheme's default port is omitted.
  package var authority: String {
    port == (isSecure ? 443 : 80) ? bracketedHost : "\(bracketedHost):\(port)"
  }

  /// The address as a URL without a path: `https://host:port`, without the scheme's default port.
  package var description: String {
    "\(isSecure ? "https" : "http")://\(authority)"
  }

  /// The argument for `SocketAddress.resolve`: the host and the port, even if the port is the scheme's default.
  package var endpoint: String { "\(bracketedHost):\(port)" }

  private var bracketedHost: String {
    host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
  }

  /// Returns the parts of a URL that are not secret: scheme, host and port. A session link gives access to the session, and a
  /// password may precede the host.
  static func redacted(_ url: URL) -> String {
    let text = url.absoluteString[...]
    let authority = text.firstRange(of: "://").map { text[$0.upperBound...] } ?? text
    let isEnd = { (character: Character) in "/?#\\".contains(character) }
    let end = authority.firstIndex(where: isEnd) ?? text.endIndex
    var start = authority.startIndex
    if let at = authority[..<end].lastIndex(of: "@") { start = text.index(after: at) }
    return String(text[..<authority.startIndex] + text[start..<end]) + (end < text.endIndex ? "/…" : "")
  }
}

/// The reason why a URL is not a gateway address, with the part of the URL that is not secret.
package enum GatewayAddressError: Error, Equatable, Sendable {
  /// The scheme is neither http nor https.
  case scheme(String)
  /// The URL has no valid host.
  case noHost(String)
  /// The host name is too long. Both values are in bytes.
  case hostTooLong(limit: Int, actual: Int)
  /// The port is invalid.
  case port(String)
  /// The URL has a path, a query, a fragment or a user.
  case path(String)
  /// The URL has no session id where a session link should have it.
  case noSession(String)
}

extension GatewayAddressError: CustomStringConvertible {
  /// The message: the URL up to its host, and the expected form.
  package var description: String {
    switch self {
    case .scheme(let url):
      "\(Self.quoted(url)) is not a gateway address, which begins with http:// or https://"
    case .noHost(let url):
      "\(Self.quoted(url)) has no valid host: a gateway address is http://HOST[:PORT] or https://HOST[:PORT], "
        + "where HOST is a name in ASCII, an IPv4 address, or an IPv6 address in brackets"
    case .hostTooLong(let limit, let actual):
      "the host in a gateway address has \(limit) bytes at most; this host has \(actual)"
    case .port(let url): "\(Self.quoted(url)) has a port outside 1 to 65535"
    case .path(let url):
      "\(Self.quoted(url)) has extra parts: "
        + "a gateway address is http://HOST[:PORT] or https://HOST[:PORT] without a path"
    case .noSession(let url):
      "\(Self.quoted(url)) is not a session link: the gateway address followed by /s/ and 22 characters"
    }
  }

  private static func quoted(_ url: String) -> String {
    url.count <= 100 ? "“\(url)”" : "“\(url.prefix(100))…”"
  }
}
