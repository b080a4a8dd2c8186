internal import Platform
internal import COpenSSL

/// A supported version of TLS.
package enum TLSVersion: Comparable, Hashable, Sendable, CaseIterable {
  /// TLS 1.2 (RFC 5246)
  case v1_2
  /// TLS 1.3 (RFC 8446)
  case v1_3

  /// `TLS 1.2` or `TLS 1.3`.
  package var name: String {
    switch self {
    case .v1_2: "TLS 1.2"
    case .v1_3: "TLS 1.3"
    }
  }

  var number: CInt {
    switch self {
    case .v1_2: TLS1_2_VERSION
    case .v1_3: TLS1_3_VERSION
    }
  }
}

/// An `SSL_CTX` and our reference to it.
///
/// `@unchecked`, because the pointer type is not `Sendable`. The creator of a context configures it before sharing it, and no
/// code changes it afterwards. OpenSSL itself locks the state that connections share in it: the reference count and the ticket
/// keys.
@safe
final class TLSContext: @unchecked Sendable {
  let pointer: OpaquePointer

  init(isServer: Bool, versions: ClosedRange<TLSVersion>) throws(CertificateError) {
    ERR_clear_error()
    let context = unsafe copenssl_context_new(
      isServer ? 1 : 0, versions.lowerBound.number, versions.upperBound.number)
    guard let context = unsafe context else { throw .unsupported(.take()) }
    unsafe pointer = context
    guard unsafe copenssl_context_use_http_alpn(pointer, isServer ? 1 : 0) == 1 else {
      throw .unsupported(.take())
    }
  }

  deinit {
    unsafe SSL_CTX_free(pointer)
  }
}

/// The TLS configuration of a client: the certificates that it trusts.
package struct TLSClientContext: Sendable {
  /// The certificates that a client trusts.
  package enum Trust: Equatable, Sendable {
    /// The certificates of the system's authorities.
    case system
    /// The certificates in a PEM file, and certificates that were signed with the keys of these certificates. The file may
    /// contain a server's own certificate.
    case certificates(path: String)
    /// The certificates of the system's authorities, and all certificates that the case `certificates` trusts.
    case systemAnd(path: String)
    /// Any certificate. Only for requests to this machine that contain no secret.
    case unverified
  }

  private let context: TLSContext

  /// Creates a context that offers `http/1.1`. The context verifies each server's certificate and name, unless `trust` is
  /// `unverified`.
  package init(
    trust: Trust, versions: ClosedRange<TLSVersion> = .v1_2 ... .v1_3
  ) throws(CertificateError) {
    context = try TLSContext(isServer: false, versions: versions)
    unsafe SSL_CTX_set_verify(context.pointer, trust == .unverified ? SSL_VERIFY_NONE : SSL_VERIFY_PEER, nil)
    switch trust {
    case .unverified:
      break
    case .system:
      guard unsafe SSL_CTX_set_default_verify_paths(context.pointer) == 1 else { throw .unsupported(.take()) }
    case .certificates(let path):
      try trustCertificates(in: path)
    case .systemAnd(let path):
      guard unsafe SSL_CTX_set_default_verify_paths(context.pointer) == 1 else { throw .unsupported(.take()) }
      try trustCertificates(in: path)
    }
  }

  private func trustCertificates(in path: String) throws(CertificateError) {
    guard unsafe SSL_CTX_load_verify_file(context.pointer, path) == 1 else {
      throw .trustedCertificatesUnusable(path: path, .take())
    }
    // With this flag, a certificate in the file is trusted even if the authority that signed the certificate is not trusted.
    _ = unsafe X509_VERIFY_PARAM_set_flags(
      SSL_CTX_get0_param(context.pointer), UInt(X509_V_FLAG_PARTIAL_CHAIN))
  }

  /// Creates the client side of a connection to a host: a name of at most 255 bytes, or a numeric address. Call
  /// `receive` with no bytes to get the first bytes to send.
  package func makeConnection(to host: String, resuming session: TLSSession? = nil) -> TLSConnection {
    TLSConnection(context, role: .client(host: host, resuming: session))
  }
}
