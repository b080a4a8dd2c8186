internal import HTTP
internal import Networking

/// The links to a session that other devices in the network can open. A person who has opened the page at `localhost` needs such a
/// link to invite others.
///
/// The addresses of this machine are private. So the links are sent only in answers to local requests (`LocalRequests`). A page of
/// another site never gets them, even if the operator allows that site to use the gateway.
struct NetworkLinks: Sendable {
  private let isOn: Bool
  private let localRequests: LocalRequests
  private let origins: Origins
  private let endpoints: @Sendable () -> Endpoints
  /// True if the operator has set a certificate. Otherwise, the certificate is self-signed, and browsers warn at every address.
  private let hasOperatorCertificate: Bool
  private let certificate: @Sendable () -> TLSServerContext?
  private let machine: @Sendable () -> AlternativeNames

  /// Creates the links of a gateway. A gateway with a public URL has no such links, because people open the page at that URL.
  ///
  /// - Parameters:
  ///   - configuration: the settings.
  ///   - endpoints: returns the addresses of the listeners.
  ///   - certificate: returns the certificate in use; nil without TLS.
  ///   - machine: returns the names and addresses of this machine. They change when the machine joins another network.
  init(
    _ configuration: GatewayConfiguration, endpoints: @escaping @Sendable () -> Endpoints,
    certificate: @escaping @Sendable () -> TLSServerContext?,
    machine: @escaping @Sendable () -> AlternativeNames = { .ofThisMachine() }
  ) {
    isOn = configuration.publicURL == nil
    localRequests = LocalRequests(configuration)
    origins = Origins(configuration)
    self.endpoints = endpoints
    hasOperatorCertificate = configuration.certificateFile != nil
    self.certificate = certificate
    self.machine = machine
  }

  /// Returns the links with a path, such as `/s/{session}`; nil if the request gets none.
  func links(to path: String, for head: RequestHead, from client: ForwardedClient) -> [String]? {
    guard isOn, localRequests.contains(head, from: client.address),
      case .own = origins.verdict(on: head, forwarded: client.authority)
    else { return nil }
    let links = urls.map { $0 + path }
    return links.isEmpty ? nil : links
  }

  /// The URLs with https, or those with http if there are none. URLs with https are preferred, because browsers restrict pages that
  /// come from other machines over plain http.
  private var urls: [String] {
    let (endpoints, machine) = (self.endpoints(), self.machine())
    let secure = endpoints.https.map { secureURLs(of: $0, machine) } ?? []
    guard secure.isEmpty, let http = endpoints.http else { return secure }
    return NetworkURLs.all(of: http, .http, interfaces: machine.addresses)
  }

  private func secureURLs(of listener: SocketAddress, _ machine: AlternativeNames) -> [String] {
    let addresses = NetworkURLs.addresses(of: listener, interfaces: machine.addresses)
    guard hasOperatorCertificate, let certificate = self.certificate() else {
      return addresses.map { NetworkURLs.url(.https, $0, port: listener.port) }
    }
    // Browsers refuse the operator's certificate at names and addresses that the certificate does not contain.
    let names = machine.hosts.filter { $0 != "localhost" && certificate.matches(host: $0) }
    let numeric = addresses.filter { certificate.matches(host: "\($0)") }
    guard !addresses.isEmpty else { return [] }
    return names.map { "https://\($0):\(listener.port)" }
      + numeric.map { NetworkURLs.url(.https, $0, port: listener.port) }
  }
}
