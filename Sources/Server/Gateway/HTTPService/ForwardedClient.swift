internal import HTTP
internal import Networking

/// Who sent a request, as far as that is believed: what its connection shows, or what trusted proxies wrote of it.
///
/// Proxies keep their connections and send requests of many people over each: it is asked anew for every request.
struct ForwardedClient: Equatable, Sendable {
  /// The client's address; the peer's when no other is believed.
  let address: IPAddress
  /// Whether its side is TLS: to the gateway, or to the first of the trusted proxies.
  let isSecure: Bool
  /// Whether its side is known to be plain text. Behind trusted proxies it is when one of them says so.
  let isKnownPlain: Bool
  /// Where it addressed its request to, if a trusted proxy tells; else `Host` says that.
  let authority: Authority?
  /// Whether a trusted proxy tells of it.
  let isForwarded: Bool
  /// Whether it is known to be on this machine: such a client is not counted by its address.
  let isThisMachine: Bool

  /// - Parameters:
  ///   - head: of the request.
  ///   - peer: the other end of its connection.
  ///   - isSecure: whether that connection is TLS.
  ///   - proxies: how many proxies are trusted. With none, nothing but the connection counts.
  init(of head: RequestHead, from peer: IPAddress, isSecure: Bool, behind proxies: Int) {
    guard proxies > 0, let hop = Self.hop(of: head.fields, behind: proxies) else {
      (address, authority, isForwarded) = (peer, nil, false)
      self.isSecure = isSecure
      isKnownPlain = proxies == 0 && !isSecure
      // Whom a proxy on this machine tells nothing of is not on it for that.
      isThisMachine = proxies == 0 && peer.isLoopback
      return
    }
    let told = hop.client.flatMap { IPAddress($0) }
    address = told ?? peer
    self.isSecure = hop.isSecure ?? isSecure
    isKnownPlain = hop.isSecure == false
    authority = hop.authority
    isForwarded = true
    isThisMachine = told?.isLoopback ?? false
  }

  /// Which address it is counted under; nil for this machine's own.
  var countedAddress: IPAddress? { isThisMachine ? nil : address }

  /// Why nothing is believed of a request behind proxies, for the log.
  static func missingClientReason(_ head: RequestHead, behind proxies: Int) -> String {
    switch (
      ForwardedHop.standard(in: head.fields, behind: proxies),
      ForwardedHop.customary(in: head.fields, behind: proxies)
    ) {
    case (.absent, .absent): "there is neither Forwarded nor X-Forwarded-For"
    case (.unusable, _): "Forwarded does not tell of so many proxies"
    case (_, .unusable): "X-Forwarded-For does not tell of so many proxies"
    case (.hop, _), (_, .hop): "Forwarded and X-Forwarded-For tell of different clients"
    }
  }

  /// What the first of the trusted proxies wrote; nil when that is not to be known.
  ///
  /// Proxies write one of the two kinds of fields, and a client may send the other, which they pass on. So where both are there,
  /// they must tell of the same client, and only what both say counts.
  private static func hop(of fields: FieldList, behind proxies: Int) -> ForwardedHop? {
    switch (
      ForwardedHop.standard(in: fields, behind: proxies), ForwardedHop.customary(in: fields, behind: proxies)
    ) {
    case (.hop(let hop), .absent), (.absent, .hop(let hop)):
      return hop
    case (.hop(var hop), .hop(let other)):
      guard let address = hop.client.flatMap({ IPAddress($0) }),
        address == other.client.flatMap({ IPAddress($0) })
      else { return nil }
      if hop.isSecure != other.isSecure { hop.isSecure = nil }
      if hop.authority != other.authority { hop.authority = nil }
      return hop
    case (.absent, .absent), (.unusable, _), (_, .unusable):
      return nil
    }
  }
}
