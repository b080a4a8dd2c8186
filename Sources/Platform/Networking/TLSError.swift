package import Platform
internal import COpenSSL

/// The error that ended a TLS connection. The ciphertext to send already ends with the alert for the peer.
package enum TLSError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The peer ended the connection with this alert (RFC 8446 §6).
  case alertReceived(UInt8)
  /// The client does not trust the server's certificate; the number is OpenSSL's `X509_V_ERR_…`.
  case certificateNotTrusted(Int)
  /// The first bytes of the client are not a ClientHello, or it is too long.
  case invalidClientHello(ClientHelloError)
  /// The peer broke a rule of TLS, or supports no common version or algorithm.
  case protocolViolation(OpenSSLError)

  /// The error in words, for a log.
  package var description: String {
    switch self {
    case .alertReceived(let number):
      "the peer sent alert \(number), \(Self.words(forAlert: number))"
    case .certificateNotTrusted(let number):
      "the certificate is not trusted: \(Self.words(forVerification: number))"
    case .invalidClientHello(let error):
      "\(error)"
    case .protocolViolation(let error):
      "TLS failed: \(error)"
    }
  }

  private static func words(forAlert number: UInt8) -> String {
    guard let text = unsafe SSL_alert_desc_string_long(CInt(number)) else { return "unknown" }
    return unsafe String(cString: text)
  }

  private static func words(forVerification number: Int) -> String {
    guard let text = unsafe X509_verify_cert_error_string(number) else { return "error \(number)" }
    return unsafe String(cString: text)
  }
}

/// The error that prevented a TLS context: the certificate, the key, or the trusted certificates are unusable.
package enum TLSContextError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The PEM file with the certificate and its intermediate certificates is unusable.
  case certificateUnusable(path: String, OpenSSLError)
  /// The path names a pipe or another special file: reading it may block for ever.
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
      "the private key in \(path) is encrypted, and the gateway has no passphrase for it:"
        + " openssl pkey -in FILE -out NEWFILE writes it without one"
    case .keyMismatch(let path): "the private key in \(path) does not match the certificate"
    case .trustedCertificatesUnusable(let path, let error):
      "cannot trust the certificates in \(path): \(error)"
    case .unsupported(let error): "OpenSSL lacks a required feature: \(error)"
    }
  }
}

extension OpenSSLError {
  /// True if the file was readable but contains no PEM.
  fileprivate var isNotPEM: Bool {
    library == ERR_LIB_PEM && reason == PEM_R_NO_START_LINE || library == ERR_LIB_OSSL_DECODER
  }
}
