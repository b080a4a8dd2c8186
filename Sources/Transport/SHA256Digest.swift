internal import COpenSSL

/// A SHA-256 digest (FIPS 180-4): 32 bytes.
package struct SHA256Digest: Hashable, Sendable, CustomStringConvertible {
  /// The 32 bytes.
  package let bytes: [UInt8]

  /// Digests what is given.
  package init(of bytes: Span<UInt8>) {
    var hash = SHA256()
    hash.update(bytes)
    self = hash.finish()
  }

  fileprivate init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// 64 lowercase hexadecimal digits.
  package var description: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}

/// Digests bytes that come piece by piece.
@safe
package struct SHA256: ~Copyable {
  private let context: OpaquePointer

  /// Begins with no bytes.
  package init() {
    guard let context = unsafe EVP_MD_CTX_new(), unsafe EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1
    else { preconditionFailure("OpenSSL has SHA-256 and the machine has memory") }
    unsafe self.context = context
  }

  deinit {
    unsafe EVP_MD_CTX_free(context)
  }

  /// Adds bytes behind those that came before.
  package mutating func update(_ bytes: Span<UInt8>) {
    let status = unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
    }
    precondition(status == 1, "SHA-256 takes bytes until it is finished")
  }

  /// The digest of all bytes.
  package consuming func finish() -> SHA256Digest {
    var bytes = [UInt8](repeating: 0, count: 32)
    let status = unsafe EVP_DigestFinal_ex(context, &bytes, nil)
    precondition(status == 1, "SHA-256 finishes once")
    return SHA256Digest(bytes: bytes)
  }
}
