package import Platform
internal import COpenSSL

/// The contents of a server's certificate (RFC 5280), for logs and for monitoring of its expiry.
package struct ServerCertificate: Equatable, Sendable {
  /// The subject, as in RFC 2253; empty in some certificates that contain only host names.
  package let subject: String
  /// The hosts and addresses of the certificate, such as `DNS:localhost, IP Address:127.0.0.1`; at most 512 bytes.
  package let names: String
  /// The beginning of the validity, in seconds since 1970.
  package let notBefore: Int64
  /// The end of the validity, in seconds since 1970; the year 9999 in some certificates.
  package let notAfter: Int64
  /// The SHA-256 digest of the certificate, as browsers show it.
  package let fingerprint: SHA256Digest
  /// The SHA-256 digest of the certificate and of its intermediate certificates: equal digests mean that the same
  /// chain is served.
  package let chain: SHA256Digest

  /// Reads the certificate of a context. Returns `nil`, with an error in OpenSSL's queue, if reading fails.
  init?(of context: TLSContext) {
    guard let certificate = unsafe SSL_CTX_get0_certificate(context.pointer) else { return nil }
    var (notBefore, notAfter): (Int64, Int64) = (0, 0)
    guard unsafe copenssl_certificate_times(certificate, &notBefore, &notAfter) == 1 else { return nil }
    var length: UInt32 = 0
    var print = [UInt8](repeating: 0, count: 32)
    var chain = print
    guard unsafe X509_digest(certificate, EVP_sha256(), &print, &length) == 1, length == 32,
      unsafe copenssl_context_digest_chain(context.pointer, &chain) == 1,
      let fingerprint = SHA256Digest(bytes: print), let chain = SHA256Digest(bytes: chain)
    else { return nil }
    self.notBefore = notBefore
    self.notAfter = notAfter
    self.fingerprint = fingerprint
    self.chain = chain
    subject = unsafe Self.text { unsafe copenssl_certificate_subject(certificate, $0, $1) }
    names = unsafe Self.text { unsafe copenssl_certificate_names(certificate, $0, $1) }
    ERR_clear_error()
  }

  private static func text(_ print: (UnsafeMutablePointer<CChar>?, Int) -> Int) -> String {
    var bytes = [CChar](repeating: 0, count: 512)
    let count = unsafe bytes.withUnsafeMutableBufferPointer { unsafe print($0.baseAddress, $0.count) }
    return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
