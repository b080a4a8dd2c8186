internal import COpenSSL

/// Random bytes for keys and tokens.
package enum SecureRandom {
  /// Returns `count` bytes from OpenSSL's generator, which the kernel seeds.
  package static func bytes(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let status = unsafe RAND_bytes(&bytes, CInt(count))
    precondition(status == 1, "OpenSSL failed to generate random bytes")
    return bytes
  }
}

/// Compares two secrets. The time depends on their length only, not on the position of the first difference.
package func areEqualInConstantTime(_ one: Span<UInt8>, _ other: Span<UInt8>) -> Bool {
  guard one.count == other.count else { return false }
  return unsafe one.withUnsafeBufferPointer { one in
    unsafe other.withUnsafeBufferPointer { other in
      unsafe one.count == 0 || CRYPTO_memcmp(one.baseAddress, other.baseAddress, one.count) == 0
    }
  }
}
