internal import COpenSSL

/// Random bytes fit for keys and tokens.
package enum SecureRandom {
  /// So many bytes from OpenSSL's generator, which the kernel's seeds.
  package static func bytes(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let status = unsafe RAND_bytes(&bytes, CInt(count))
    precondition(status == 1, "the machine gives random bytes")
    return bytes
  }
}

/// Compares in a time that does not tell where two secrets differ, only how long they are.
package func areEqualInConstantTime(_ one: Span<UInt8>, _ other: Span<UInt8>) -> Bool {
  guard one.count == other.count else { return false }
  return unsafe one.withUnsafeBufferPointer { one in
    unsafe other.withUnsafeBufferPointer { other in
      unsafe one.count == 0 || CRYPTO_memcmp(one.baseAddress, other.baseAddress, one.count) == 0
    }
  }
}
