internal import HTTP
internal import Networking

/// The client of a request, according to its connection and to the fields of trusted proxies.
///
/// A proxy sends requests of many clients over one connection, so each request has its own client.
struct ForwardedClient: Equatable, Sendable {
  /// The client's address. If no trusted proxy names the client, this is the address of the connection's peer.
  let address: IPAddress
  /// True if the client's own connection uses TLS, either to the gateway or to the first trusted proxy.
  let isSecure: Bool
  /// True if the client is known to use plain text. If the gateway has trusted proxies, this is known only if a proxy reports it.
  let isKnownPlain: Bool
  /// The host to which the client sent the request, as a trusted proxy reports it. If this is nil, the `Host` field of the
  /// request applies.
  let authority: Authority?
  /// True if a trusted proxy names the client.
  let isForwarded: Bool
  /// True if the client is known to be on this machine. The limits for each address do not apply to such a client.
  let isThisMachine: Bool

  /// Finds the client of a request.
  ///
  /// - Parameters:
  ///   - head: the request.
  ///   - peer: the other end of its connection.
  ///   - isSecure: true if the connection of the request uses TLS.
  ///   - proxies: the number of trusted proxies. If this is zero, the fields of proxies are ignored.
  init(of head: RequestHead, from peer: IPAddress, isSecure: Bool, behind proxies: Int) {
    guard proxies > 0, let hop = Self.hop(of: head.fields, behind: proxies) else {
      (address, authority, isForwarded) = (peer, nil, false)
      self.isSecure = isSecure
      isKnownPlain = proxies == 0 && !isSecure
      // If a proxy on this machine does not name its client, the client may be on another machine.
      isThisMachine = proxies == 0 && peer.isLoopback
      return
    }
    let forwarded = hop.client.flatMap { IPAddress($0) }
    address = forwarded ?? peer
    self.isSecure = hop.isSecure ?? isSecure
    isKnownPlain = hop.isSecure == false
    authority = hop.authority
    isForwarded = true
    isThisMachine = forwarded?.isLoopback ?? false
  }

  /// The address for the limits that apply to each address; nil for a client on this machine, to which these limits do not apply.
  var countedAddress: IPAddress? { isThisMachine ? nil : address }

  /// Returns a text for the log: the reason why the proxy fields of a request do not name its client.
  static func missingClientReason(_ head: RequestHead, behind proxies: Int) -> String {
    switch (
      ForwardedHop.forwarded(in: head.fields, behind: proxies),
      ForwardedHop.xForwarded(in: head.fields, behind: proxies)
    ) {
    case (.absent, .absent): "neither Forwarded nor X-Forwarded-For is present"
    case (.unusable, _): "Forwarded names fewer proxies than are trusted"
    case (_, .unusable): "X-Forwarded-For names fewer proxies than are trusted"
    case (.hop, _), (_, .hop): "Forwarded and X-Forwarded-For name different clients"
    }
  }

  /// Returns the data that the first trusted proxy reports about the client; nil if the data is missing or contradictory.
  ///
  /// There are two kinds of proxy fields: `Forwarded` and `X-Forwarded-*`. A proxy writes one kind, and passes on the other kind
  /// unchanged, although the client may have forged it. So if a request has both kinds, both must name the same client. The
  /// scheme and the host are then used only if both kinds agree on them.
  private static func hop(of fields: FieldList, behind proxies: Int) -> ForwardedHop? {
    switch (
      ForwardedHop.forwarded(in: fields, behind: proxies),
      ForwardedHop.xForwarded(in: fields, behind: proxies)
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
