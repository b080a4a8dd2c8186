internal import COpenSSL

/// Digests bytes that come piece by piece.
///
/// An object and no value, so that it can lie in whatever state its owner has; a copy is made only where one is
/// asked for.
@safe
package final class RunningDigest {
  /// A digest of FIPS 180-4.
  package enum Algorithm: Sendable {
    /// 20 bytes. Broken as a signature, still good for finding an error of transmission.
    case sha1
    /// 32 bytes.
    case sha256

    /// How many bytes the digest has.
    package var length: Int {
      switch self {
      case .sha1: 20
      case .sha256: 32
      }
    }
  }

  /// Which digest this becomes.
  package let algorithm: Algorithm
  private let context: OpaquePointer

  /// Begins with no bytes.
  package init(_ algorithm: Algorithm) {
    self.algorithm = algorithm
    let method = unsafe algorithm == .sha1 ? EVP_sha1() : EVP_sha256()
    guard let context = unsafe EVP_MD_CTX_new(), unsafe EVP_DigestInit_ex(context, method, nil) == 1
    else { preconditionFailure("OpenSSL has the digest and the machine has memory") }
    unsafe self.context = context
  }

  private init(copying other: RunningDigest) {
    algorithm = other.algorithm
    guard let context = unsafe EVP_MD_CTX_new(), unsafe EVP_MD_CTX_copy_ex(context, other.context) == 1
    else { preconditionFailure("a digest that runs can be copied and the machine has memory") }
    unsafe self.context = context
  }

  deinit {
    unsafe EVP_MD_CTX_free(context)
  }

  /// Adds bytes behind those that came before.
  package func update(_ bytes: Span<UInt8>) {
    let status = unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
    }
    precondition(status == 1, "a digest takes bytes until it is finished")
  }

  /// Another one that has had the same bytes.
  package func copy() -> RunningDigest {
    RunningDigest(copying: self)
  }

  /// The digest of all bytes, `algorithm.length` long. Nothing may be added, copied or finished afterwards.
  package func finish() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: algorithm.length)
    let status = unsafe EVP_DigestFinal_ex(context, &bytes, nil)
    precondition(status == 1, "a digest finishes once")
    return bytes
  }
}
