internal import CommandSupport
internal import Gateway
internal import HTTP
internal import Networking
internal import Platform

/// Requests `/healthz` from a gateway on this machine, for the health check of a container. Blocks the calling thread.
///
/// The probe uses the http address, or the https address if http is off. It does not verify the certificate, because it talks to
/// its own machine and sends no secret.
struct HealthProbe {
  /// Checks the gateway of a configuration. Throws unless the gateway is healthy.
  static func check(
    _ configuration: GatewayConfiguration, within limit: Duration = .seconds(4)
  ) throws(CommandError) {
    guard let address = configuration.http ?? configuration.https, address.port != 0 else {
      throw .portUnknown
    }
    // A gateway with a public URL refuses any other `Host`.
    let authority = configuration.publicURL?.authority ?? "localhost:\(address.port)"
    let request = RequestHead(
      .get, "/healthz",
      fields: ["Host": authority, "User-Agent": "drawtogether/\(Product.version)", "Connection": "close"])
    guard let request else { preconditionFailure("/healthz must be a valid request target") }
    let target = try resolve(address)
    let status: Status
    do throws(BlockingHTTPClient.RequestError) {
      let client = try BlockingHTTPClient(
        to: target, host: "localhost", isSecure: configuration.http == nil, timeout: limit)
      status = try client.send(request).status
    } catch {
      switch error {
      case .unreachable(let error): throw .unreachable(error)
      case .tls(let text): throw .tls(text)
      case .notHTTP: throw .notHTTP
      case .noAnswer: throw .noAnswer
      case .timeout: throw .timeout(limit: limit)
      }
    }
    guard status == .ok else { throw .unhealthy(status: status.code) }
  }

  /// Returns the address for a request to a listener: loopback for a wildcard address.
  private static func resolve(_ address: ListenAddress) throws(CommandError) -> SocketAddress {
    if address.isWildcard {
      let loopback = address.host == "::" ? IPAddress(v6High: 0, low: 1) : IPAddress(v4: 0x7F00_0001)
      return SocketAddress(ip: loopback, port: address.port)
    }
    do throws(AddressError) {
      return try SocketAddress(address.description)
    } catch {
      throw .unresolved(address, error)
    }
  }
}
