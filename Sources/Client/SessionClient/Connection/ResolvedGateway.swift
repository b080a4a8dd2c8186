internal import Networking

/// What has to be known before a connection to a gateway can be begun, found out on a thread that may block.
struct ResolvedGateway: Sendable {
  /// Why there can be no connection.
  enum Failure: Error, Sendable {
    /// The name has no address; why, in words. It may have one later.
    case address(String)
    /// The file with certificates cannot be used; why, in words.
    case trust(String)
  }

  /// The addresses to be tried, in this order.
  let addresses: [SocketAddress]
  /// For TLS; nil without.
  let tls: TLSClientContext?

  /// Finds it without asking anybody, when the host is an address and TLS is not wanted.
  init?(immediatelyFor gateway: GatewayAddress) {
    guard !gateway.isSecure, let ip = IPAddress(gateway.host) else { return nil }
    addresses = [SocketAddress(ip: ip, port: gateway.port)]
    tls = nil
  }

  /// Asks the system's resolver, which may take many seconds, and reads the certificates.
  init(blockingFor gateway: GatewayAddress) throws(Failure) {
    do throws(AddressError) {
      addresses = try SocketAddress.resolve(gateway.endpoint)
    } catch {
      throw .address("\(gateway.endpoint) \(error)")
    }
    do throws(TLSContextError) {
      tls = gateway.isSecure ? try TLSContextCache.context(for: gateway) : nil
    } catch {
      throw .trust(error.description)
    }
  }
}
