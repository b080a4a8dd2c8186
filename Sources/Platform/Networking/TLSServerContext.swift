internal import Platform
internal import COpenSSL
internal import Glibc

/// The TLS configuration of a server: its certificate and key, and the keys of its session tickets.
///
/// A connection can resume the TLS sessions of all other connections with the same context, on any thread.
package struct TLSServerContext: Sendable {
  /// The contents of the certificate.
  package let certificate: ServerCertificate
  private let context: TLSContext

  /// Reads PEM files: the certificate with its intermediate certificates, and its private key, which must not be
  /// encrypted. Clients that offer ALPN must offer `http/1.1`.
  package init(
    certificatePath: String, keyPath: String, versions: ClosedRange<TLSVersion> = .v1_2 ... .v1_3
  ) throws(CertificateError) {
    context = try TLSContext(isServer: true, versions: versions)
    for path in [certificatePath, keyPath] where Self.isSpecialFile(at: path) {
      throw .notARegularFile(path: path)
    }
    guard unsafe copenssl_context_use_ticket_keys(context.pointer) == 1 else { throw .unsupported(.take()) }
    guard unsafe SSL_CTX_use_certificate_chain_file(context.pointer, certificatePath) == 1 else {
      throw .certificateUnusable(path: certificatePath, .take())
    }
    var isEncrypted: CInt = 0
    guard unsafe copenssl_context_use_key(context.pointer, keyPath, &isEncrypted) == 1 else {
      let error = OpenSSLError.take()
      guard isEncrypted == 0 else { throw .keyEncrypted(path: keyPath) }
      let isMismatch = error.library == ERR_LIB_X509 && error.reason == X509_R_KEY_VALUES_MISMATCH
      throw isMismatch ? .keyMismatch(path: keyPath) : .keyUnusable(path: keyPath, error)
    }
    guard unsafe SSL_CTX_check_private_key(context.pointer) == 1 else {
      ERR_clear_error()
      throw .keyMismatch(path: keyPath)
    }
    guard let certificate = ServerCertificate(of: context) else {
      throw .certificateUnusable(path: certificatePath, .take())
    }
    self.certificate = certificate
  }

  /// Returns true if the path names a special file, such as a pipe. Reading such a file may block or never end. If the path
  /// cannot be examined, returns false; reading the file then fails.
  private static func isSpecialFile(at path: String) -> Bool {
    var found = stat()
    guard unsafe stat(path, &found) == 0 else { return false }
    return found.st_mode & S_IFMT != S_IFREG && found.st_mode & S_IFMT != S_IFDIR
  }

  /// Returns true if the certificate is valid for a host: a name, or a numeric address (RFC 9110 §4.3.4, RFC 9525).
  package func matches(host: String) -> Bool {
    guard let certificate = unsafe SSL_CTX_get0_certificate(context.pointer) else { return false }
    defer { ERR_clear_error() }
    let isName = unsafe X509_check_host(certificate, host, 0, 0, nil) == 1
    let isAddress = unsafe X509_check_ip_asc(certificate, host, 0) == 1
    return isName || isAddress
  }

  /// Creates the server side of a connection, which waits for the client's first bytes.
  package func makeConnection() -> TLSConnection {
    TLSConnection(context, role: .server)
  }

  /// Encrypts session tickets with a new key from now on. Tickets of the previous two keys can still resume a session. Older keys
  /// are erased. So an attacker who has recorded tickets of these older keys cannot decrypt them, even if the keys in memory leak
  /// later.
  ///
  /// - Returns: false, without any change, if the system has no random bytes.
  @discardableResult
  package func rotateTicketKeys() -> Bool {
    let isDone = unsafe copenssl_context_rotate_ticket_keys(context.pointer) == 1
    ERR_clear_error()
    return isDone
  }

  /// Erases the keys of all session tickets that were sent.
  func eraseTicketKeys() {
    // Three rotations replace all keys. The context itself stays in memory until its last connection ends.
    for _ in 0..<3 { rotateTicketKeys() }
  }
}

/// The context of a server whose certificate can be replaced while the server runs.
package final class TLSServerContextHolder: Sendable {
  private let context: Guarded<TLSServerContext>

  /// Stores the first context.
  package init(_ context: TLSServerContext) {
    self.context = Guarded(context)
  }

  /// The context for the next connection. Any thread may read it.
  package var current: TLSServerContext {
    context.withLock { $0 }
  }

  /// Replaces the context for new connections. Open connections keep the former context. The TLS sessions of the former context
  /// can no longer be resumed.
  package func replace(with context: TLSServerContext) {
    let former = self.context.withLock { current in
      defer { current = context }
      return current
    }
    former.eraseTicketKeys()
  }
}
