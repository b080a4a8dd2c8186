internal import Gateway
internal import Networking
internal import Platform
internal import Primitives

/// What browsers will have against the operator's certificate. That it cannot be used at all is no warning but a fault.
extension ConfigurationWarnings {
  /// All of it, read from the files; a gateway that runs tells of the age itself.
  static func ofCertificate(
    _ configuration: GatewayConfiguration, now: WallTime = .now()
  ) -> [String] {
    guard configuration.https != nil, let file = configuration.certificateFile,
      let key = configuration.keyFile,
      // What cannot be read is told by who looks for faults.
      let context = try? TLSServerContext(certificatePath: file, keyPath: key)
    else { return [] }
    return ofAge(context.certificate, file, now: now) + ofNames(context, configuration)
  }

  /// Whether the certificate is for the host of the public address, where browsers come straight here.
  static func ofNames(_ context: TLSServerContext, _ configuration: GatewayConfiguration) -> [String] {
    guard let file = configuration.certificateFile, configuration.trustedProxies == 0,
      let url = configuration.publicURL, url.scheme == .https
    else { return [] }
    let host = url.host.hasPrefix("[") ? String(url.host.dropFirst().dropLast()) : url.host
    guard !context.isFor(host: host) else { return [] }
    let names = context.certificate.names
    let words = names.isEmpty ? "names no host, and so not" : "is for \(names) and not for"
    return [
      "the certificate in --tls-cert \(file) \(words) \(host), the host of --public-url: browsers refuse it"
    ]
  }

  private static func ofAge(_ certificate: ServerCertificate, _ file: String, now: WallTime) -> [String] {
    func day(_ seconds: Int64) -> Substring {
      LogTime(millisecondsSince1970: seconds * 1_000).description.prefix(10)
    }
    let words: String
    switch CertificateAge(notBefore: certificate.notBefore, notAfter: certificate.notAfter, now: now) {
    case .valid: return []
    case .notYetValid: words = "is valid from \(day(certificate.notBefore)) on: browsers refuse it until then"
    case .ending: words = "ends on \(day(certificate.notAfter)): a new one is due"
    case .ended: words = "ended on \(day(certificate.notAfter)): browsers refuse it"
    }
    return ["the certificate in --tls-cert \(file) \(words)"]
  }
}
