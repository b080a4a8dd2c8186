/// A SHA-256 digest (FIPS 180-4): 32 bytes.
package struct SHA256Digest: Hashable, Sendable, CustomStringConvertible {
  /// The 32 bytes of the digest.
  package let bytes: [UInt8]

  /// Computes the digest of bytes.
  package init(of bytes: Span<UInt8>) {
    let digest = RunningDigest(.sha256)
    digest.update(bytes)
    self.init(finishing: digest)
  }

  /// Finishes a running digest, which must be of SHA-256 (checked).
  package init(finishing digest: RunningDigest) {
    precondition(digest.algorithm == .sha256, "the digest must use the algorithm SHA-256")
    bytes = digest.finish()
  }

  /// Wraps a digest that was computed elsewhere; nil unless it has 32 bytes.
  package init?(bytes: [UInt8]) {
    guard bytes.count == 32 else { return nil }
    self.bytes = bytes
  }

  /// The digest as 64 lowercase hexadecimal digits.
  package var description: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
