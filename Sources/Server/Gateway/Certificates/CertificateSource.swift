internal import Networking
internal import Platform
internal import Primitives

/// Where certificate and key come from.
enum CertificateSource: Sendable {
  /// Files of the operator's, who puts new ones there.
  case files(certificate: String, key: String)
  /// Made by the gateway in its data folder, and made anew in time.
  case ownMade(directory: String)

  /// Both files as they are now.
  struct Marks: Equatable, Sendable {
    var certificate: FileMark?
    var key: FileMark?
  }

  /// A pair that was read.
  struct Pair: Sendable {
    let context: TLSServerContext
    /// Taken before it was read: what is written meanwhile shows as a change.
    let marks: Marks
  }

  init(_ configuration: GatewayConfiguration) {
    if let certificate = configuration.certificateFile, let key = configuration.keyFile {
      self = .files(certificate: certificate, key: key)
    } else {
      self = .ownMade(directory: configuration.dataDirectory)
    }
  }

  var paths: (certificate: String, key: String) {
    switch self {
    case .files(let certificate, let key): (certificate, key)
    case .ownMade(let directory): SelfSignedCertificate.paths(in: directory)
    }
  }

  var marks: Marks {
    Marks(certificate: FileMark(of: paths.certificate), key: FileMark(of: paths.key))
  }

  /// Makes the pair when it is our own to make, and there is none or it ends soon.
  ///
  /// - Returns: why one was made; nil when none was.
  func makeIfNeeded(
    now: WallTime = .now()
  ) throws(SelfSignedCertificateError) -> SelfSignedCertificate.Reason? {
    guard case .ownMade(let directory) = self else { return nil }
    switch try SelfSignedCertificate.loadOrCreate(in: directory, now: now).origin {
    case .loaded: return nil
    case .created(let reason): return reason
    }
  }

  func read() throws(TLSContextError) -> Pair {
    let marks = marks
    let (certificate, key) = paths
    return Pair(context: try TLSServerContext(certificatePath: certificate, keyPath: key), marks: marks)
  }
}
