internal import Platform
package import Primitives
internal import CLinux
internal import COpenSSL
internal import Glibc

/// A self-signed certificate (ECDSA P-256) for a machine that has no other certificate.
///
/// Browsers warn about it until the user trusts it. It consists of two files in a directory, `tls-cert.pem` and
/// `tls-key.pem`; only the owner may read the key.
package struct SelfSignedCertificate: Equatable, Sendable {
  /// The origin of the certificate.
  package enum Origin: Equatable, Sendable {
    /// The directory had a usable certificate.
    case loaded
    /// `loadOrCreate` created the certificate, for the given reason.
    case created(Reason)
  }

  /// The reason for a new certificate.
  package enum Reason: Equatable, Sendable {
    /// The directory had no certificate.
    case missing
    /// The files were not a certificate and a key.
    case unreadable
    /// The key did not match the certificate.
    case mismatched
    /// According to the clock, the certificate was not valid yet.
    case notYetValid
    /// The certificate had expired, or would expire within `renewalMargin`.
    case expired
  }

  /// The validity period of a new certificate. Browsers refuse a period of more than 398 days.
  package static let validity = Duration.seconds(396 * 86_400)
  /// The remaining validity below which a certificate is replaced.
  package static let renewalMargin = Duration.seconds(30 * 86_400)

  /// The PEM file with the certificate.
  package let certificatePath: String
  /// The PEM file with the private key.
  package let keyPath: String
  /// The origin of the certificate: loaded or newly created.
  package let origin: Origin

  /// Returns the paths of the certificate file and the key file in a directory.
  package static func paths(in directory: String) -> (certificate: String, key: String) {
    (directory + "/tls-cert.pem", directory + "/tls-key.pem")
  }

  /// Returns the certificate in a directory. If the directory has no usable certificate, creates one for `names` there. The
  /// directory must exist; errors name the call that failed.
  package static func loadOrCreate(
    in directory: String, now: WallTime, names: AlternativeNames = .ofThisMachine()
  ) throws(CertificateError) -> SelfSignedCertificate {
    let (certificatePath, keyPath) = paths(in: directory)
    let seconds = now.secondsSince1970
    let until = (now + renewalMargin).secondsSince1970
    let state = unsafe copenssl_check_pair(certificatePath, keyPath, seconds, until)
    guard let reason = Reason(state) else {
      try restrict(keyPath)
      return SelfSignedCertificate(certificatePath: certificatePath, keyPath: keyPath, origin: .loaded)
    }
    // The validity begins one day ago, for clients whose clocks are behind.
    try create(
      certificatePath: certificatePath, keyPath: keyPath, directory: directory, names: names,
      notBefore: seconds - 86_400, notAfter: (now + validity).secondsSince1970)
    return SelfSignedCertificate(certificatePath: certificatePath, keyPath: keyPath, origin: .created(reason))
  }

  /// Writes and syncs both files under temporary names, and renames them afterwards. After a crash, the directory contains the
  /// old pair, or a certificate and a key that do not belong together. The next start replaces such a pair.
  private static func create(
    certificatePath: String, keyPath: String, directory: String, names: AlternativeNames, notBefore: Int64,
    notAfter: Int64
  ) throws(CertificateError) {
    let newCertificatePath = certificatePath + ".new"
    let newKeyPath = keyPath + ".new"
    let key = try create(newKeyPath, mode: 0o600)
    let certificate = try create(newCertificatePath, mode: 0o644)
    ERR_clear_error()
    let status = unsafe copenssl_write_self_signed(
      "DrawTogether", names.notation, notBefore, notAfter, certificate.rawValue, key.rawValue)
    guard status == 1 else { throw .creationFailed(.take()) }
    try check("fsync", newKeyPath, fsync(key.rawValue))
    try check("fsync", newCertificatePath, fsync(certificate.rawValue))
    try check("rename", keyPath, unsafe rename(newKeyPath, keyPath))
    try check("rename", certificatePath, unsafe rename(newCertificatePath, certificatePath))
    let synced = unsafe clinux_sync_directory(directory)
    guard synced == 0 else { throw .fileUnusable(path: directory, SystemError("fsync", code: -synced)) }
  }

  private static func create(
    _ path: String, mode: UInt32
  ) throws(CertificateError) -> OwnedDescriptor {
    let descriptor = unsafe clinux_create_private(path, mode)
    guard descriptor >= 0 else { throw .fileUnusable(path: path, SystemError("open", code: -descriptor)) }
    return OwnedDescriptor(owning: descriptor)
  }

  /// Removes the permissions of other users. A key file that was copied here by hand may have such permissions.
  private static func restrict(_ keyPath: String) throws(CertificateError) {
    var status = stat()
    try check("stat", keyPath, unsafe stat(keyPath, &status))
    guard status.st_mode & 0o077 != 0 else { return }
    try check("chmod", keyPath, unsafe chmod(keyPath, 0o600))
  }

  private static func check(
    _ call: StaticString, _ path: String, _ result: CInt
  ) throws(CertificateError) {
    guard result != 0 else { return }
    throw .fileUnusable(path: path, SystemError(call, code: errno))
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
