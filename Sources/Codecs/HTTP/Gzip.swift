internal import CZlib

/// The gzip content coding (RFC 9110 §8.4.1.3, RFC 1952), for content that is compressed once and stored.
package enum Gzip {
  /// Compresses all bytes at once, as small as zlib can. The output depends on the bytes only: it contains no name
  /// and no time. Takes some 30 ns per byte, so call it at startup and not on an event loop.
  ///
  /// - Returns: nil without memory for the compressor's state of about 260 KiB, or for 4 GiB and more.
  package static func compress(_ bytes: [UInt8]) -> [UInt8]? {
    var stream = unsafe z_stream()
    // 15 bits of window, plus 16 to request a gzip header.
    let begun = unsafe deflateInit2_(
      &stream, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      CInt(MemoryLayout<z_stream>.size))
    guard begun == Z_OK else { return nil }
    defer { unsafe deflateEnd(&stream) }

    // zlib's input pointer is not const, though it only reads.
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
    // Other results are not possible for a whole buffer.
    guard ended == Z_STREAM_END else { return nil }
    let length = unsafe Int(stream.total_out)
    return Array(output[..<length])
  }
}
