internal import COpenSSL

/// Random bytes for keys and tokens, which the pool draws from OpenSSL's generator in larger numbers: a draw takes about 10,000
/// instructions, however few bytes it returns.
///
/// Each byte is returned once, and is then erased in the pool. A pool belongs to one thread.
package final class RandomPool {
  /// The number of bytes in a draw. The pool never contains more bytes that are still to be returned.
  package static let capacity = 512

  private var bytes = [UInt8](repeating: 0, count: capacity)
  /// The number of bytes at the beginning of `bytes` that are erased.
  private var erased = capacity

  /// Creates an empty pool.
  package init() {}

  deinit {
    erase(upTo: Self.capacity)
  }

  /// Returns `count` bytes, at most `capacity`.
  package func take(_ count: Int) -> [UInt8] {
    precondition(count <= Self.capacity, "a pool has \(Self.capacity) bytes")
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
    // Plain assignments could be removed by the compiler, because the bytes are not read again.
    unsafe bytes.withUnsafeMutableBytes { bytes in
      let used = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[start..<end])
      unsafe OPENSSL_cleanse(used.baseAddress, used.count)
    }
    erased = end
  }
}
