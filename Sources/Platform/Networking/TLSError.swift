package import Platform
internal import COpenSSL

/// Why a TLS connection failed. What is to be sent to the peer about it, an alert, has been given out.
package enum TLSError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The peer broke the connection off by this alert (RFC 8446 §6).
  case alertReceived(UInt8)
  /// A client does not trust the server's certificate; the number is OpenSSL's `X509_V_ERR_…`.
  case certificateNotTrusted(Int)
  /// The first bytes of a client are no ClientHello, or one that is too long.
  case noClientHello(ClientHelloError)
  /// The peer sent what TLS does not allow, or nothing that we have in common.
  case protocolViolation(OpenSSLError)

  /// What happened, for a log.
  package var description: String {
    switch self {
    case .alertReceived(let number):
      "the peer sent alert \(number), \(Self.words(forAlert: number))"
    case .certificateNotTrusted(let number):
      "the certificate is not trusted: \(Self.words(forVerification: number))"
    case .noClientHello(let error):
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

/// Why there is no TLS context: the certificate, the key, or what a client is to trust.
package enum TLSContextError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The PEM file with the certificate and those that lead up from it cannot be used.
  case certificateUnusable(path: String, OpenSSLError)
  /// A pipe, or something else that is no file: to read it may take for ever.
  case notAFile(path: String)
  /// The PEM file with the private key cannot be used.
  case keyUnusable(path: String, OpenSSLError)
  /// The private key is there, but only a passphrase would open it.
  case keyEncrypted(path: String)
  /// The key is not the one that the certificate was made for.
  case keyOfAnotherCertificate(path: String)
  /// The PEM file with certificates to trust cannot be used.
  case trustUnusable(path: String, OpenSSLError)
  /// OpenSSL on this machine does not offer what we need.
  case unsupported(OpenSSLError)

  /// What is wrong, and with which file.
  package var description: String {
    switch self {
    case .certificateUnusable(let path, let error):
      error.saysNotPEM
        ? "\(path) holds no certificate in PEM" : "cannot use the certificate in \(path): \(error)"
    case .notAFile(let path): "\(path) is not a file: certificate and key are read from files in PEM"
    case .keyUnusable(let path, let error):
      error.saysNotPEM
        ? "\(path) holds no private key in PEM" : "cannot use the private key in \(path): \(error)"
    case .keyEncrypted(let path):
      "the private key in \(path) is encrypted, and nobody is there to be asked for its passphrase:"
        + " openssl pkey -in FILE -out NEWFILE writes it without one"
    case .keyOfAnotherCertificate(let path): "the private key in \(path) is of another certificate"
    case .trustUnusable(let path, let error): "cannot trust the certificates in \(path): \(error)"
    case .unsupported(let error): "OpenSSL cannot do what is needed: \(error)"
    }
  }
}

extension OpenSSLError {
  /// Whether a file was readable, and nothing in it was what PEM looks like.
  fileprivate var saysNotPEM: Bool {
    library == ERR_LIB_PEM && reason == PEM_R_NO_START_LINE || library == ERR_LIB_OSSL_DECODER
  }
}
