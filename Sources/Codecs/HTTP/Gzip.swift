internal import CZlib

/// The gzip content coding (RFC 9110 §8.4.1.3, RFC 1952), for whole contents.
package enum Gzip {
  /// The compression level. The times were measured with scripts.
  package enum Level: CInt {
    /// About 30 ns per byte.
    case usual = 6
    /// Up to 120 ns per byte, for an output that is at most 1 % shorter.
    case best = 9
  }

  /// Compresses all bytes in one call. The output depends on the bytes and the level only: it contains no name and no time. Do not
  /// call it on an event loop.
  ///
  /// - Returns: the compressed bytes; nil if there is no memory for the compressor's state (about 260 KiB), or if the input has
  ///   4 GiB or more.
  package static func compress(_ bytes: [UInt8], _ level: Level) -> [UInt8]? {
    var stream = unsafe z_stream()
    // 15 bits of window, plus 16 to request a gzip header.
    let begun = unsafe deflateInit2_(
      &stream, level.rawValue, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      CInt(MemoryLayout<z_stream>.size))
    guard begun == Z_OK else { return nil }
    defer { unsafe deflateEnd(&stream) }

    // zlib declares the input pointer without `const`, although it only reads the input.
    var input = bytes
    let bound = unsafe Int(deflateBound(&stream, uLong(input.count)))
    var output = [UInt8](repeating: 0, count: bound)
    let (inputLength, outputLength) = (uInt(clamping: input.count), uInt(clamping: bound))
    guard Int(inputLength) == input.count, Int(outputLength) == bound else { return nil }
    let ended = unsafe input.withUnsafeMutableBufferPointer { from in
      unsafe output.withUnsafeMutableBufferPointer { to in
        unsafe stream.next_in = from.baseAddress
        unsafe stream.avail_in = inputLength
        unsafe stream.next_out = to.baseAddress
        unsafe stream.avail_out = outputLength
        return unsafe deflate(&stream, Z_FINISH)
      }
    }
    // The output buffer is large enough for the whole result, so `deflate` always returns `Z_STREAM_END` here.
    guard ended == Z_STREAM_END else { return nil }
    let length = unsafe Int(stream.total_out)
    return Array(output[..<length])
  }
}
