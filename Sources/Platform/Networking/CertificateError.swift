package import Platform
internal import COpenSSL

/// The reason why a TLS context could not be created: the certificate, the key, or the trusted certificates are unusable, or no
/// self-signed certificate can be created.
package enum CertificateError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The PEM file with the certificate and its intermediate certificates is unusable.
  case certificateUnusable(path: String, OpenSSLError)
  /// The path names a pipe or another special file: reading it may block forever.
  case notARegularFile(path: String)
  /// The PEM file with the private key is unusable.
  case keyUnusable(path: String, OpenSSLError)
  /// The private key is encrypted with a passphrase.
  case keyEncrypted(path: String)
  /// The key does not match the certificate.
  case keyMismatch(path: String)
  /// The PEM file with certificates to trust is unusable.
  case trustedCertificatesUnusable(path: String, OpenSSLError)
  /// OpenSSL on this machine lacks a feature that we need.
  case unsupported(OpenSSLError)
  /// A system call for a file of a self-signed certificate, or for its directory, failed.
  case fileUnusable(path: String, SystemError)
  /// OpenSSL failed to create a self-signed certificate.
  case creationFailed(OpenSSLError)

  /// The problem and the file.
  package var description: String {
    switch self {
    case .certificateUnusable(let path, let error):
      error.isNotPEM
        ? "\(path) contains no certificate in PEM" : "cannot use the certificate in \(path): \(error)"
    case .notARegularFile(let path): "\(path) is not a regular file: certificate and key must be files in PEM"
    case .keyUnusable(let path, let error):
      error.isNotPEM
        ? "\(path) contains no private key in PEM" : "cannot use the private key in \(path): \(error)"
    case .keyEncrypted(let path):
      "the private key in \(path) is encrypted, and the gateway cannot ask for its passphrase:"
        + " write an unencrypted copy with openssl pkey -in FILE -out NEWFILE"
    case .keyMismatch(let path): "the private key in \(path) does not match the certificate"
    case .trustedCertificatesUnusable(let path, let error):
      "cannot trust the certificates in \(path): \(error)"
    case .unsupported(let error): "OpenSSL lacks a required feature: \(error)"
    case .fileUnusable(let path, let error): "cannot store a certificate in \(path): \(error)"
    case .creationFailed(let error): "cannot create a certificate: \(error)"
    }
  }
}

extension OpenSSLError {
  /// True if the file was readable but contains no PEM.
  fileprivate var isNotPEM: Bool {
    library == ERR_LIB_PEM && reason == PEM_R_NO_START_LINE || library == ERR_LIB_OSSL_DECODER
  }
}
