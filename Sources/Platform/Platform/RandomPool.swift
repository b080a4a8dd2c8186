internal import COpenSSL

/// A pool of random bytes for ids and tokens. The pool draws 512 bytes at a time from OpenSSL's generator, because each draw
/// takes about 10,000 instructions, even for a few bytes.
///
/// No byte is returned twice: a returned byte is erased in the pool. Only one thread may use a pool.
package final class RandomPool {
  /// The number of bytes that the pool draws at a time, which is also the maximum number of bytes in the pool.
  package static let capacity = 512

  private var bytes = [UInt8](repeating: 0, count: capacity)
  /// The number of bytes at the beginning of `bytes` that are erased.
  private var erased = capacity

  /// Creates an empty pool.
  package init() {}

  deinit {
    erase(upTo: Self.capacity)
  }

  /// Returns `count` random bytes. `count` must not exceed `capacity`.
  package func take(_ count: Int) -> [UInt8] {
    precondition(count <= Self.capacity, "one call can take at most \(Self.capacity) random bytes")
    if bytes.count - erased < count {
      let status = unsafe RAND_bytes(&bytes, CInt(Self.capacity))
      precondition(status == 1, "OpenSSL failed to generate random bytes")
      erased = 0
    }
    let end = erased + count
    let taken = Array(bytes[erased..<end])
    erase(upTo: end)
    return taken
  }

  private func erase(upTo end: Int) {
    let start = erased
    // The compiler could remove plain assignments of zeros, because nothing reads the erased bytes. It cannot remove this call.
    unsafe bytes.withUnsafeMutableBytes { bytes in
      let used = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[start..<end])
      unsafe OPENSSL_cleanse(used.baseAddress, used.count)
    }
    erased = end
  }
}
