internal import Gateway
internal import Networking
internal import Platform
internal import Primitives

/// Warnings about an operator's certificate that browsers refuse. An unusable certificate is an error, not a warning.
extension ConfigurationWarnings {
  /// Returns all warnings about the certificate files: about the validity period, which a running gateway also checks, and about
  /// the names.
  static func ofCertificate(
    _ configuration: GatewayConfiguration, now: WallTime = .now()
  ) -> [String] {
    guard configuration.https != nil, let file = configuration.certificateFile,
      let key = configuration.keyFile,
      // `StartCheck` reports unreadable files.
      let context = try? TLSServerContext(certificatePath: file, keyPath: key)
    else { return [] }
    return ofAge(context.certificate, file, now: now) + ofNames(context, configuration)
  }

  /// Returns a warning if the certificate is not valid for the host of the public URL. Returns no warning behind a proxy: the
  /// proxy then presents its own certificate to browsers.
  static func ofNames(_ context: TLSServerContext, _ configuration: GatewayConfiguration) -> [String] {
    guard let file = configuration.certificateFile, configuration.trustedProxies == 0,
      let url = configuration.publicURL, url.scheme == .https
    else { return [] }
    let host = url.host.hasPrefix("[") ? String(url.host.dropFirst().dropLast()) : url.host
    guard !context.matches(host: host) else { return [] }
    let names = context.certificate.names
    let words = names.isEmpty ? "contains no host name, so it does not match" : "is for \(names), not for"
    return [
      "the certificate in --tls-cert \(file) \(words) \(host), the host of --public-url: browsers refuse it"
    ]
  }

  private static func ofAge(_ certificate: ServerCertificate, _ file: String, now: WallTime) -> [String] {
    func day(_ seconds: Int64) -> Substring {
      LogTime(millisecondsSince1970: seconds * 1_000).description.prefix(10)
    }
    let words: String
    switch CertificateValidity(notBefore: certificate.notBefore, notAfter: certificate.notAfter, now: now) {
    case .valid: return []
    case .notYetValid:
      words = "is not valid before \(day(certificate.notBefore)): browsers refuse it until then"
    case .expiring: words = "expires on \(day(certificate.notAfter)): renew it"
    case .expired: words = "expired on \(day(certificate.notAfter)): browsers refuse it"
    }
    return ["the certificate in --tls-cert \(file) \(words)"]
  }
}
