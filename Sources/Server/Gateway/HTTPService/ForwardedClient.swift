internal import HTTP
internal import Networking

/// The client of a request, according to its connection and to the fields of trusted proxies.
///
/// A proxy sends requests of many clients over one connection, so each request has its own client.
struct ForwardedClient: Equatable, Sendable {
  /// The client's address; the peer's if no trusted proxy names one.
  let address: IPAddress
  /// True if the client uses TLS to the gateway or to the first trusted proxy.
  let isSecure: Bool
  /// True if the client is known to use plain text. Behind trusted proxies, one of them must report that.
  let isKnownPlain: Bool
  /// The host of the client's request as reported by a trusted proxy; nil if the `Host` field applies.
  let authority: Authority?
  /// True if a trusted proxy names the client.
  let isForwarded: Bool
  /// True if the client is known to be on this machine. Its address is then not counted.
  let isThisMachine: Bool

  /// Finds the client of a request.
  ///
  /// - Parameters:
  ///   - head: the request.
  ///   - peer: the other end of its connection.
  ///   - isSecure: true if that connection uses TLS.
  ///   - proxies: the number of trusted proxies. If it is zero, only the connection is used.
  init(of head: RequestHead, from peer: IPAddress, isSecure: Bool, behind proxies: Int) {
    guard proxies > 0, let hop = Self.hop(of: head.fields, behind: proxies) else {
      (address, authority, isForwarded) = (peer, nil, false)
      self.isSecure = isSecure
      isKnownPlain = proxies == 0 && !isSecure
      // If a proxy on this machine does not name its client, the client is not assumed to be on this machine.
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

  /// The address to which the client's sessions and connections are counted; nil for a client on this machine.
  var countedAddress: IPAddress? { isThisMachine ? nil : address }

  /// Returns the reason for which the client of a request behind proxies is unknown, for the log.
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

  /// Returns the fields that the first trusted proxy wrote; nil if they are missing or contradictory.
  ///
  /// There are two kinds of fields. A proxy writes one kind and passes on the other, which a client may have sent. So if a
  /// request has both kinds, both must name the same client, and other values are used only if both kinds agree.
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
