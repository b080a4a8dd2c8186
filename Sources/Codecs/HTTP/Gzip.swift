internal import CZlib

/// The gzip content coding (RFC 9110 §8.4.1.3, RFC 1952), for what is compressed once and kept.
package enum Gzip {
  /// zlib refused.
  package enum Failure: Error, Equatable, Sendable {
    /// There is no memory for the compressor's state, which is about 260 KiB.
    case outOfMemory
    /// Any other of zlib's codes: none that compressing whole buffers can give.
    case zlib(code: Int32)
  }

  /// Compresses everything at once, as small as zlib can. The same bytes give the same result: no name and no time are
  /// written. Takes some 30 ns a byte, so it is for starting up and not for an event loop.
  ///
  /// - Throws: when zlib cannot go on.
  package static func compress(_ bytes: [UInt8]) throws(Failure) -> [UInt8] {
    var stream = unsafe z_stream()
    // 15 bits of window, and 16 for gzip's own header.
    let begun = unsafe deflateInit2_(
      &stream, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      CInt(MemoryLayout<z_stream>.size))
    guard begun == Z_OK else { throw begun == Z_MEM_ERROR ? .outOfMemory : .zlib(code: begun) }
    defer { unsafe deflateEnd(&stream) }

    // zlib's input pointer is not const, though it only reads.
    var input = bytes
    let bound = unsafe Int(deflateBound(&stream, uLong(input.count)))
    var output = [UInt8](repeating: 0, count: bound)
    let (inputLength, outputLength) = (uInt(clamping: input.count), uInt(clamping: bound))
    guard Int(inputLength) == input.count, Int(outputLength) == bound else { throw .outOfMemory }
    let ended = unsafe input.withUnsafeMutableBufferPointer { from in
      unsafe output.withUnsafeMutableBufferPointer { to in
        unsafe stream.next_in = from.baseAddress
        unsafe stream.avail_in = inputLength
        unsafe stream.next_out = to.baseAddress
        unsafe stream.avail_out = outputLength
        return unsafe deflate(&stream, Z_FINISH)
      }
    }
    guard ended == Z_STREAM_END else { throw .zlib(code: ended) }
    let length = unsafe Int(stream.total_out)
    return Array(output[..<length])
  }
}
