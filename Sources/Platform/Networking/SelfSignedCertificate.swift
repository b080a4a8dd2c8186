package import Platform
package import Primitives
internal import CLinux
internal import COpenSSL
internal import Glibc

/// A certificate of our own making for a machine that has no other: ECDSA P-256, signed by its own key.
///
/// Browsers warn of it until the person trusts it. Two files in a directory, `tls-cert.pem` and
/// `tls-key.pem`, the key readable by its owner only.
package struct SelfSignedCertificate: Equatable, Sendable {
  /// Where the certificate came from.
  package enum Origin: Equatable, Sendable {
    /// It was there, and is good.
    case kept
    /// It was made just now, for this reason.
    case made(Reason)
  }

  /// Why a new one was needed.
  package enum Reason: Equatable, Sendable {
    /// There was none.
    case missing
    /// There were files that are no certificate and key.
    case unreadable
    /// The key was of another certificate.
    case mismatched
    /// The clock says that it is not valid yet.
    case notYetValid
    /// It had expired, or was about to within `renewalMargin`.
    case expired
  }

  /// How long a new certificate is valid: browsers refuse what is valid for more than 398 days.
  package static let validity = Duration.seconds(396 * 86_400)
  /// How long before its end a certificate is replaced.
  package static let renewalMargin = Duration.seconds(30 * 86_400)

  /// The PEM file with the certificate.
  package let certificatePath: String
  /// The PEM file with the private key.
  package let keyPath: String
  /// Whether it was there or is new.
  package let origin: Origin

  /// Where the two files are in a directory.
  package static func paths(in directory: String) -> (certificate: String, key: String) {
    (directory + "/tls-cert.pem", directory + "/tls-key.pem")
  }

  /// Gives the certificate kept in a directory, or makes one there, for these names, when there is none that
  /// is good. The directory must exist; errors name the call that failed in it.
  package static func loadOrMake(
    in directory: String, now: WallTime, names: AlternativeNames = .ofThisMachine()
  ) throws(SelfSignedCertificateError) -> SelfSignedCertificate {
    let (certificatePath, keyPath) = paths(in: directory)
    let seconds = now.secondsSince1970
    let until = (now + renewalMargin).secondsSince1970
    let state = unsafe copenssl_check_pair(certificatePath, keyPath, seconds, until)
    guard let reason = Reason(state) else {
      try restrict(keyPath)
      return SelfSignedCertificate(certificatePath: certificatePath, keyPath: keyPath, origin: .kept)
    }
    // A day back, for clients whose clocks are behind.
    try make(
      certificatePath: certificatePath, keyPath: keyPath, directory: directory, names: names,
      notBefore: seconds - 86_400, notAfter: (now + validity).secondsSince1970)
    return SelfSignedCertificate(certificatePath: certificatePath, keyPath: keyPath, origin: .made(reason))
  }

  /// Writes both files beside their places, syncs them, and only then puts them there: a crash leaves the old
  /// pair, or a pair that does not match and is made again.
  private static func make(
    certificatePath: String, keyPath: String, directory: String, names: AlternativeNames, notBefore: Int64,
    notAfter: Int64
  ) throws(SelfSignedCertificateError) {
    let newCertificatePath = certificatePath + ".new"
    let newKeyPath = keyPath + ".new"
    let key = try create(newKeyPath, mode: 0o600)
    let certificate = try create(newCertificatePath, mode: 0o644)
    ERR_clear_error()
    let status = unsafe copenssl_write_self_signed(
      "DrawTogether", names.notation, notBefore, notAfter, certificate.rawValue, key.rawValue)
    guard status == 1 else { throw .notMade(.take()) }
    try check("fsync", newKeyPath, fsync(key.rawValue))
    try check("fsync", newCertificatePath, fsync(certificate.rawValue))
    try check("rename", keyPath, unsafe rename(newKeyPath, keyPath))
    try check("rename", certificatePath, unsafe rename(newCertificatePath, certificatePath))
    let synced = unsafe clinux_sync_directory(directory)
    guard synced == 0 else { throw .system(path: directory, SystemError("fsync", code: -synced)) }
  }

  private static func create(
    _ path: String, mode: UInt32
  ) throws(SelfSignedCertificateError) -> OwnedDescriptor {
    let descriptor = unsafe clinux_create_private(path, mode)
    guard descriptor >= 0 else { throw .system(path: path, SystemError("open", code: -descriptor)) }
    return OwnedDescriptor(owning: descriptor)
  }

  /// A key that was copied here by hand may be readable by others.
  private static func restrict(_ keyPath: String) throws(SelfSignedCertificateError) {
    var status = stat()
    try check("stat", keyPath, unsafe stat(keyPath, &status))
    guard status.st_mode & 0o077 != 0 else { return }
    try check("chmod", keyPath, unsafe chmod(keyPath, 0o600))
  }

  private static func check(
    _ call: StaticString, _ path: String, _ result: CInt
  ) throws(SelfSignedCertificateError) {
    guard result != 0 else { return }
    throw .system(path: path, SystemError(call, code: errno))
  }
}

extension SelfSignedCertificate.Reason {
  fileprivate init?(_ state: copenssl_pair_state) {
    switch state {
    case copenssl_pair_usable: return nil
    case copenssl_pair_missing: self = .missing
    case copenssl_pair_mismatched: self = .mismatched
    case copenssl_pair_not_yet_valid: self = .notYetValid
    case copenssl_pair_expired: self = .expired
    default: self = .unreadable
    }
  }
}

/// Why no certificate could be kept or made.
package enum SelfSignedCertificateError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A call on a file or the directory failed.
  case system(path: String, SystemError)
  /// OpenSSL did not make it.
  case notMade(OpenSSLError)

  /// What failed, and where.
  package var description: String {
    switch self {
    case .system(let path, let error): "cannot keep a certificate in \(path): \(error)"
    case .notMade(let error): "cannot make a certificate: \(error)"
    }
  }
}
