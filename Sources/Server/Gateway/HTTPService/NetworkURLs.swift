package import Networking

/// The URLs at which other devices in the network reach a listener.
package enum NetworkURLs {
  /// Returns the addresses at which other devices reach a listener. IPv4 addresses come first, because they are easier to type.
  /// For a listener on all addresses of this machine, these are the addresses of the interfaces.
  package static func addresses(of listener: SocketAddress, interfaces: [IPAddress]) -> [IPAddress] {
    let all = listener.ip.isUnspecified ? interfaces.filter { listener.ip.isV6 || !$0.isV6 } : [listener.ip]
    // A URL cannot contain a link-local address.
    let reachable = all.filter { !$0.isLoopback && !$0.isLinkLocal && !$0.isUnspecified }
    return reachable.filter { !$0.isV6 } + reachable.filter(\.isV6)
  }

  /// Returns the URLs of a listener at the addresses that `addresses` returns.
  package static func all(
    of listener: SocketAddress, _ scheme: WebOrigin.Scheme, interfaces: [IPAddress]
  ) -> [String] {
    addresses(of: listener, interfaces: interfaces).map { url(scheme, $0, port: listener.port) }
  }

  /// Returns the URL of an address, without a path.
  package static func url(_ scheme: WebOrigin.Scheme, _ address: IPAddress, port: UInt16) -> String {
    "\(scheme.rawValue)://\(SocketAddress(ip: address, port: port))"
  }
}
