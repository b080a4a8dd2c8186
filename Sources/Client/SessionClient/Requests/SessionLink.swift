package import FoundationEssentials
package import Wire

/// A session link. Anyone who knows the link can join the session.
package struct SessionLink: Hashable, Sendable {
  /// The session's gateway.
  package let gateway: GatewayAddress
  /// The id of the session.
  package let session: SessionID

  /// Creates the link of a session.
  package init(session: SessionID, at gateway: GatewayAddress) {
    self.session = session
    self.gateway = gateway
  }

  /// Parses `http(s)://host[:port]/s/{session}`. A query and a fragment, which mail programs may add, are ignored.
  ///
  /// - Throws: `GatewayAddressError`.
  package init(_ url: URL, certificates: String? = nil) throws(GatewayAddressError) {
    gateway = try GatewayAddress(authorityOf: url, certificates: certificates)
    let parts = url.path().split(separator: "/", omittingEmptySubsequences: true)
    guard parts.count == 2, parts[0] == "s", let session = SessionID(parts[1]) else {
      throw .noSession(GatewayAddress.redacted(url))
    }
    self.session = session
  }

  /// The link as a URL.
  package var url: URL {
    guard let url = URL(string: "\(gateway)/s/\(session.text)") else {
      preconditionFailure("a parsed address and an id must form a URL")
    }
    return url
  }
}
