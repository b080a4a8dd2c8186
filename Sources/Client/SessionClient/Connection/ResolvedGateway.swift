internal import Networking

/// The addresses of a gateway and the TLS context for it: the result of lookups that may block.
struct ResolvedGateway: Sendable {
  /// The addresses, in the order of attempts.
  let addresses: [SocketAddress]
  /// The context for TLS; nil without TLS.
  let tls: TLSClientContext?

  /// Resolves a gateway without a lookup. Returns nil if the host is a name or TLS is used.
  init?(immediatelyFor gateway: GatewayAddress) {
    guard !gateway.isSecure, let ip = IPAddress(gateway.host) else { return nil }
    addresses = [SocketAddress(ip: ip, port: gateway.port)]
    tls = nil
  }

  /// Resolves a gateway by the system's resolver, which may take many seconds, and reads the certificates.
  ///
  /// - Throws: `unreachable` when the name has no address, which may be temporary; `notTrusted` when the file with certificates
  ///   cannot be used.
  init(blockingFor gateway: GatewayAddress) throws(SessionClientError) {
    do throws(AddressError) {
      addresses = try SocketAddress.resolve(gateway.endpoint)
    } catch {
      throw .unreachable("\(gateway.endpoint) \(error)")
    }
    do throws(CertificateError) {
      tls = gateway.isSecure ? try TLSContextCache.context(for: gateway) : nil
    } catch {
      throw .notTrusted(error.description)
    }
  }
}
