/// The origin of a web page (RFC 6454 §6.2): scheme, host and port, in lower case. A default port is omitted.
package struct WebOrigin: Hashable, Sendable, CustomStringConvertible {
  package enum Scheme: String, Sendable {
    case http
    case https

    /// The default port of the scheme.
    package var defaultPort: UInt16 { self == .http ? 80 : 443 }
  }

  package let scheme: Scheme
  /// The host in lower case; an IPv6 address is in brackets.
  package let host: String
  package let port: UInt16

  /// Parses `http://HOST[:PORT]` or `https://HOST[:PORT]`, optionally with a `/` at the end.
  ///
  /// Returns nil for `null`, for other schemes, and for a URL with a path, a query or a user.
  package init?(_ text: String) {
    let lowered = text.lowercased()
    let rest: Substring
    if lowered.hasPrefix("http://") {
      (scheme, rest) = (.http, lowered.dropFirst(7))
    } else if lowered.hasPrefix("https://") {
      (scheme, rest) = (.https, lowered.dropFirst(8))
    } else {
      return nil
    }
    let authority = String(rest.hasSuffix("/") ? rest.dropLast() : rest)
    if let address = ListenAddress(authority) {
      guard address.port != 0 else { return nil }
      (host, port) = (address.authorityHost, address.port)
    } else {
      guard let address = ListenAddress("\(authority):\(scheme.defaultPort)") else { return nil }
      (host, port) = (address.authorityHost, address.port)
    }
  }

  package var description: String { "\(scheme.rawValue)://\(authority)" }

  /// Host and port in the form of a `Host` field. The port is omitted if it is the default port of the scheme.
  package var authority: String { port == scheme.defaultPort ? host : "\(host):\(port)" }
}
