package import FoundationEssentials
package import Wire

/// A session's link: to know it is to be a member.
package struct SessionLink: Hashable, Sendable {
  /// Where the session is.
  package let gateway: GatewayAddress
  /// Which one it is.
  package let session: SessionID

  /// The link of a session.
  package init(session: SessionID, at gateway: GatewayAddress) {
    self.session = session
    self.gateway = gateway
  }

  /// Reads `http(s)://host[:port]/s/{session}`; a query and a fragment, which mail programs like to add, are passed over.
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

  /// As a URL.
  package var url: URL {
    guard let url = URL(string: "\(gateway)/s/\(session.text)") else {
      preconditionFailure("an address that was read from a URL, and an id, are a URL")
    }
    return url
  }
}
