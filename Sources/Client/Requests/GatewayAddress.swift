package import FoundationEssentials

/// Where a gateway is: scheme, host and port; and whose certificates are believed there.
package struct GatewayAddress: Hashable, Sendable, CustomStringConvertible {
  /// Whether it is reached over TLS.
  package let isSecure: Bool
  /// A name or an address; an IPv6 one without brackets.
  package let host: String
  /// The TCP port.
  package let port: UInt16
  /// A PEM file with certificates that are believed; nil for the system's authorities.
  package let certificates: String?

  /// Reads `http://host[:port]` or `https://…`; a path other than `/` is none of a gateway's.
  ///
  /// - Throws: `GatewayAddressError`.
  package init(_ url: URL, certificates: String? = nil) throws(GatewayAddressError) {
    fatalError()
  }

  /// The value of `Host`: without the port where that is the scheme's own.
  package var authority: String { fatalError() }

  /// As a URL without a path: `https://host:port`.
  package var description: String { fatalError() }
}

/// Why a URL names no gateway.
package enum GatewayAddressError: Error, Equatable, Sendable {
  /// It is neither http nor https.
  case scheme(String)
  /// It names no host.
  case noHost(String)
  /// The port is none.
  case port(String)
  /// It has a path, a query or a user that no gateway has.
  case path(String)
}
