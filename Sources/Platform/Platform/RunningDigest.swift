internal import COpenSSL

/// A digest of bytes that arrive in pieces.
///
/// It is a class, so that a copyable type, such as an enum of states, can store it. Only `copy()` copies the digest.
@safe
package final class RunningDigest {
  /// A digest algorithm of FIPS 180-4.
  package enum Algorithm: Sendable {
    /// SHA-1, with a digest of 20 bytes. Unsafe for signatures, sufficient to detect transmission errors.
    case sha1
    /// SHA-256, with a digest of 32 bytes.
    case sha256

    /// The length of the digest in bytes.
    package var length: Int {
      switch self {
      case .sha1: 20
      case .sha256: 32
      }
    }
  }

  /// The algorithm of this digest.
  package let algorithm: Algorithm
  private let context: OpaquePointer

  /// Creates a digest of no bytes.
  package init(_ algorithm: Algorithm) {
    self.algorithm = algorithm
    let method = unsafe algorithm == .sha1 ? copenssl_sha1() : copenssl_sha256()
    guard let context = unsafe EVP_MD_CTX_new(), unsafe EVP_DigestInit_ex(context, method, nil) == 1
    else { preconditionFailure("OpenSSL failed to create a digest") }
    unsafe self.context = context
  }

  private init(copying other: RunningDigest) {
    algorithm = other.algorithm
    guard let context = unsafe EVP_MD_CTX_new(), unsafe EVP_MD_CTX_copy_ex(context, other.context) == 1
    else { preconditionFailure("OpenSSL failed to copy a digest") }
    unsafe self.context = context
  }

  deinit {
    unsafe EVP_MD_CTX_free(context)
  }

  /// Adds bytes to the digest.
  package func update(_ bytes: Span<UInt8>) {
    let status = unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
    }
    precondition(status == 1, "a finished digest must not be updated")
  }

  /// Returns an independent digest of the same bytes.
  package func copy() -> RunningDigest {
    RunningDigest(copying: self)
  }

  /// Returns the digest of all bytes, `algorithm.length` long. The digest must not be used afterwards.
  package func finish() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: algorithm.length)
    let status = unsafe EVP_DigestFinal_ex(context, &bytes, nil)
    precondition(status == 1, "a digest must be finished only once")
    return bytes
  }
}
