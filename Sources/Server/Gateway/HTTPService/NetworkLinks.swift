internal import HTTP
internal import Networking

/// The links to a session that other devices in the network can open. A person who has opened the page at `localhost` needs one
/// for an invitation.
///
/// The addresses of this machine are private. So only local requests get the links (`LocalRequests`), and no page of another site
/// does, even if the operator allows that site to use the gateway.
struct NetworkLinks: Sendable {
  private let isOn: Bool
  private let localRequests: LocalRequests
  private let origins: Origins
  private let endpoints: @Sendable () -> Endpoints
  /// False if the certificate is self-signed, so that browsers warn at every address.
  private let hasOperatorCertificate: Bool
  private let certificate: @Sendable () -> TLSServerContext?
  private let machine: @Sendable () -> AlternativeNames

  /// Creates the links of a gateway. With a public URL, there are none: the page is then at the public URL.
  ///
  /// - Parameters:
  ///   - configuration: the settings.
  ///   - endpoints: returns the addresses of the listeners.
  ///   - certificate: returns the certificate in use; nil without TLS.
  ///   - machine: returns the names and addresses of this machine. They change when it joins another network.
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

  /// The URLs with https, because browsers restrict plain http pages of other machines. If there are none, those with http.
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
    // Browsers refuse the operator's certificate at any other name or address.
    let names = machine.hosts.filter { $0 != "localhost" && certificate.matches(host: $0) }
    let numeric = addresses.filter { certificate.matches(host: "\($0)") }
    guard !addresses.isEmpty else { return [] }
    return names.map { "https://\($0):\(listener.port)" }
      + numeric.map { NetworkURLs.url(.https, $0, port: listener.port) }
  }
}
