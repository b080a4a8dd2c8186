internal import Platform
internal import COpenSSL

/// A version of TLS that we speak.
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

/// An `SSL_CTX` and the one reference to it that is ours.
///
/// Unchecked, for the pointer's type cannot say so: whoever makes one configures it before giving it on, and
/// nothing changes it afterwards; OpenSSL itself locks what connections share in it, the count of references
/// and the ticket keys.
@safe
final class TLSContext: @unchecked Sendable {
  let pointer: OpaquePointer

  init(isServer: Bool, versions: ClosedRange<TLSVersion>) throws(TLSContextError) {
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

/// What a client needs for TLS: whom it trusts.
package struct TLSClientContext: Sendable {
  /// Whose certificates a client takes for good.
  package enum Trust: Equatable, Sendable {
    /// Those of the authorities that the system trusts.
    case system
    /// Those in a PEM file, or signed by them; a server's own certificate may be there.
    case certificates(path: String)
    /// Those of the authorities that the system trusts, and those in a PEM file as above.
    case systemAnd(path: String)
    /// Anyone's: for a question to this very machine that tells nothing, and for nothing else.
    case anyone
  }

  private let context: TLSContext

  /// Makes a context that offers `http/1.1` and checks each server's certificate and name, unless it trusts anyone.
  package init(
    trust: Trust, versions: ClosedRange<TLSVersion> = .v1_2 ... .v1_3
  ) throws(TLSContextError) {
    context = try TLSContext(isServer: false, versions: versions)
    unsafe SSL_CTX_set_verify(context.pointer, trust == .anyone ? SSL_VERIFY_NONE : SSL_VERIFY_PEER, nil)
    switch trust {
    case .anyone:
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

  private func trustCertificates(in path: String) throws(TLSContextError) {
    guard unsafe SSL_CTX_load_verify_file(context.pointer, path) == 1 else {
      throw .trustUnusable(path: path, .take())
    }
    // A certificate that is trusted needs no authority above it.
    _ = unsafe X509_VERIFY_PARAM_set_flags(
      SSL_CTX_get0_param(context.pointer), UInt(X509_V_FLAG_PARTIAL_CHAIN))
  }

  /// A new connection's client side for a server of that name, of at most 255 bytes, or address in numbers. Its
  /// first bytes are given out by a first `receive`, of nothing.
  package func makeConnection(to host: String, resuming session: TLSSession? = nil) -> TLSConnection {
    TLSConnection(context, role: .client(host: host, resuming: session))
  }
}
