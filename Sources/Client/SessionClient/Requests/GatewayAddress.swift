package import FoundationEssentials
internal import HTTP
internal import Platform

/// Where a gateway is: scheme, host and port; and whose certificates are believed there.
package struct GatewayAddress: Hashable, Sendable, CustomStringConvertible {
  /// Whether it is reached over TLS.
  package let isSecure: Bool
  /// A name or an address, in lower case and at most `hostLimit` bytes long; an IPv6 one without brackets.
  package let host: String
  /// The TCP port.
  package let port: UInt16
  /// A PEM file with certificates that are believed besides those of the system's authorities; nil for these alone.
  package let certificates: String?

  /// The most bytes of a host's name (RFC 1035 §2.3.4, in text); TLS takes no longer one either.
  package static let hostLimit = 253

  /// Reads `http://host[:port]` or `https://…`; a path other than `/` is none of a gateway's.
  ///
  /// - Throws: `GatewayAddressError`.
  package init(_ url: URL, certificates: String? = nil) throws(GatewayAddressError) {
    try self.init(authorityOf: url, certificates: certificates)
    guard ["", "/"].contains(url.path()), url.query() == nil, url.fragment() == nil else {
      throw .path(Self.redacted(url))
    }
  }

  /// Reads scheme, host and port, and looks at nothing behind them.
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

  /// The value of `Host`: without the port where that is the scheme's own.
  package var authority: String {
    port == (isSecure ? 443 : 80) ? bracketedHost : "\(bracketedHost):\(port)"
  }

  /// As a URL without a path: `https://host:port`, without the port where that is the scheme's own.
  package var description: String {
    "\(isSecure ? "https" : "http")://\(authority)"
  }

  /// What the resolver is asked for: the host and always the port, as `SocketAddress.resolve` reads them.
  package var endpoint: String { "\(bracketedHost):\(port)" }

  private var bracketedHost: String {
    host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
  }

  /// What of a URL may be told to anybody: up to the host and port. To know a session's link is to be a member, and before the
  /// host a password may stand.
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

/// Why a URL names no gateway, with as much of it as may be told to anybody.
package enum GatewayAddressError: Error, Equatable, Sendable {
  /// It is neither http nor https.
  case scheme(String)
  /// It names no host.
  case noHost(String)
  /// Its host's name has more bytes than a name may.
  case hostTooLong(limit: Int, actual: Int)
  /// The port is none.
  case port(String)
  /// It has a path, a query or a user that no gateway has.
  case path(String)
  /// It has no session's id where a session's link has it.
  case noSession(String)
}

extension GatewayAddressError: CustomStringConvertible {
  /// What was given, up to its host, and what it should look like.
  package var description: String {
    switch self {
    case .scheme(let url):
      "\(Self.quoted(url)) is no gateway's address: that begins with http:// or https://"
    case .noHost(let url):
      "\(Self.quoted(url)) names no host: a gateway's address is http://HOST[:PORT] or https://HOST[:PORT], "
        + "with HOST a name in ASCII, an IPv4 address, or an IPv6 address in brackets"
    case .hostTooLong(let limit, let actual):
      "a gateway's address names a host of \(limit) bytes at most; this one has \(actual)"
    case .port(let url): "\(Self.quoted(url)) has a port that is not from 1 to 65535"
    case .path(let url):
      "\(Self.quoted(url)) says more than where a gateway is: its address is http://HOST[:PORT] or "
        + "https://HOST[:PORT] and nothing behind it"
    case .noSession(let url):
      "\(Self.quoted(url)) is no session's link: that is the gateway's address with /s/ and 22 characters behind it"
    }
  }

  private static func quoted(_ url: String) -> String {
    url.count <= 100 ? "“\(url)”" : "“\(url.prefix(100))…”"
  }
}
