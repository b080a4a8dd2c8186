package import Platform
internal import COpenSSL

/// The error that ended a TLS connection. The ciphertext to send already ends with the alert for the peer.
package enum TLSError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The peer ended the connection with this alert (RFC 8446 §6).
  case alertReceived(UInt8)
  /// The client does not trust the server's certificate; the number is OpenSSL's `X509_V_ERR_…`.
  case certificateNotTrusted(Int)
  /// The first bytes of the client are not a ClientHello, or the ClientHello is too long.
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
