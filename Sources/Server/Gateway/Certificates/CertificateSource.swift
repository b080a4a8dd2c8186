internal import Networking
internal import Platform
internal import Primitives

/// The origin of the certificate and its key.
enum CertificateSource: Sendable {
  /// Files that the operator provides and replaces.
  case files(certificate: String, key: String)
  /// Files that the gateway creates in its data folder and renews before they expire.
  case selfSigned(directory: String)

  /// The versions of both files.
  struct Versions: Equatable, Sendable {
    var certificate: FileVersion?
    var key: FileVersion?
  }

  /// A certificate with its key, read from the source.
  struct Pair: Sendable {
    let context: TLSServerContext
    /// The versions of the files before the read. So a write during the read is detected as a change by the next check.
    let versions: Versions
  }

  init(_ configuration: GatewayConfiguration) {
    if let certificate = configuration.certificateFile, let key = configuration.keyFile {
      self = .files(certificate: certificate, key: key)
    } else {
      self = .selfSigned(directory: configuration.dataDirectory)
    }
  }

  var paths: (certificate: String, key: String) {
    switch self {
    case .files(let certificate, let key): (certificate, key)
    case .selfSigned(let directory): SelfSignedCertificate.paths(in: directory)
    }
  }

  /// Reads the present versions of both files.
  var versions: Versions {
    Versions(certificate: FileVersion(of: paths.certificate), key: FileVersion(of: paths.key))
  }

  /// Creates a self-signed certificate with its key if there is none, or if the present one expires soon. Does nothing if the
  /// operator provides the files.
  ///
  /// - Returns: the reason for the new certificate; nil if none was created.
  func makeIfNeeded(
    now: WallTime = .now()
  ) throws(CertificateError) -> SelfSignedCertificate.Reason? {
    guard case .selfSigned(let directory) = self else { return nil }
    switch try SelfSignedCertificate.loadOrCreate(in: directory, now: now).origin {
    case .loaded: return nil
    case .created(let reason): return reason
    }
  }

  func read() throws(CertificateError) -> Pair {
    let versions = versions
    let (certificate, key) = paths
    return Pair(
      context: try TLSServerContext(certificatePath: certificate, keyPath: key), versions: versions)
  }
}
