internal import Platform
internal import COpenSSL
internal import Glibc

/// What a server needs for TLS: its certificate and key, and the keys of its session tickets.
///
/// Every connection made from one context resumes the sessions of every other, on whatever thread.
package struct TLSServerContext: Sendable {
  /// What can be told of its certificate.
  package let certificate: ServerCertificate
  private let context: TLSContext

  /// Reads PEM files: the certificate with those that lead up from it, and its private key, which must not be
  /// encrypted. Clients that offer ALPN must offer `http/1.1`.
  package init(
    certificatePath: String, keyPath: String, versions: ClosedRange<TLSVersion> = .v1_2 ... .v1_3
  ) throws(TLSContextError) {
    context = try TLSContext(isServer: true, versions: versions)
    for path in [certificatePath, keyPath] where Self.wouldWait(at: path) { throw .notAFile(path: path) }
    guard unsafe copenssl_context_use_ticket_keys(context.pointer) == 1 else { throw .unsupported(.take()) }
    guard unsafe SSL_CTX_use_certificate_chain_file(context.pointer, certificatePath) == 1 else {
      throw .certificateUnusable(path: certificatePath, .take())
    }
    var isEncrypted: CInt = 0
    guard unsafe copenssl_context_use_key(context.pointer, keyPath, &isEncrypted) == 1 else {
      let error = OpenSSLError.take()
      guard isEncrypted == 0 else { throw .keyEncrypted(path: keyPath) }
      let isMismatch = error.library == ERR_LIB_X509 && error.reason == X509_R_KEY_VALUES_MISMATCH
      throw isMismatch ? .keyOfAnotherCertificate(path: keyPath) : .keyUnusable(path: keyPath, error)
    }
    guard unsafe SSL_CTX_check_private_key(context.pointer) == 1 else {
      ERR_clear_error()
      throw .keyOfAnotherCertificate(path: keyPath)
    }
    guard let certificate = ServerCertificate(of: context) else {
      throw .certificateUnusable(path: certificatePath, .take())
    }
    self.certificate = certificate
  }

  /// Whether reading there waits for somebody to write, as it does with a pipe, or never ends. What cannot be asked is
  /// left to be read, and to fail.
  private static func wouldWait(at path: String) -> Bool {
    var found = stat()
    guard unsafe stat(path, &found) == 0 else { return false }
    return found.st_mode & S_IFMT != S_IFREG && found.st_mode & S_IFMT != S_IFDIR
  }

  /// Whether its certificate is for a host: a name, or an address in numbers (RFC 9110 §4.3.4, RFC 9525).
  package func isFor(host: String) -> Bool {
    guard let certificate = unsafe SSL_CTX_get0_certificate(context.pointer) else { return false }
    defer { ERR_clear_error() }
    let isName = unsafe X509_check_host(certificate, host, 0, 0, nil) == 1
    let isAddress = unsafe X509_check_ip_asc(certificate, host, 0) == 1
    return isName || isAddress
  }

  /// A new connection's server side, which waits for the client to speak.
  package func makeConnection() -> TLSConnection {
    TLSConnection(context, role: .server)
  }

  /// Seals tickets by a new key from now on. Those of the last two keys still resume; the key before them is erased,
  /// so that nobody opens what it sealed, whatever he gets hold of later.
  ///
  /// - Returns: false, and all stays as it was, when the system has no randomness.
  @discardableResult
  package func rotateTicketKeys() -> Bool {
    let isDone = unsafe copenssl_context_rotate_ticket_keys(context.pointer) == 1
    ERR_clear_error()
    return isDone
  }

  /// Erases the keys of all tickets given out so far.
  func forgetTickets() {
    // The context itself lives as long as the last connection that was made from it.
    for _ in 0..<3 { rotateTicketKeys() }
  }
}

/// The context of a server whose certificate may be replaced while it runs.
package final class TLSServerContextHolder: Sendable {
  private let context: Guarded<TLSServerContext>

  /// Holds a first context.
  package init(_ context: TLSServerContext) {
    self.context = Guarded(context)
  }

  /// The context for the next connection; any thread may ask.
  package var current: TLSServerContext {
    context.withLock { $0 }
  }

  /// Has connections from now on use another context. Those that exist keep theirs; sessions of the former
  /// context are not resumed.
  package func replace(with context: TLSServerContext) {
    let former = self.context.withLock { current in
      defer { current = context }
      return current
    }
    former.forgetTickets()
  }
}
