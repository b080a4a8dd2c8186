private import CZlib

/// Makes compressed messages readable again (RFC 7692 §7.2.2). It keeps nothing between two messages, so one
/// serves all connections of a thread; it takes about 40 KiB once and is not `Sendable`.
@safe package final class Inflater {
  private let stream: UnsafeMutablePointer<z_stream>
  private var room = [UInt8](repeating: 0, count: 16_384)

  /// An inflater with the largest window, which reads what was made with any.
  package init() {
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    let result = unsafe inflateInit2_(stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    precondition(result == Z_OK, "zlib gives an inflater")
  }

  deinit {
    unsafe inflateEnd(stream)
    unsafe stream.deallocate()
  }

  /// Inflates the payload of one whole message.
  ///
  /// - Parameters:
  ///   - bytes: what its frames held, without the four bytes that the sender left out.
  ///   - limit: the most bytes that it may become; what would go beyond is never kept.
  /// - Returns: the message.
  /// - Throws: `.inflatedMessageTooLarge`, `.invalidDeflateData` (also for a stream that was cut).
  package func inflate(_ bytes: Span<UInt8>, limit: Int) throws(ProtocolError) -> [UInt8] {
    unsafe inflateReset(stream)
    var output: [UInt8] = []
    if try step(bytes, into: &output, limit: limit) { return output }
    // §7.2.2: what the sender took off the end.
    let tail: [4 of UInt8] = [0x00, 0x00, 0xFF, 0xFF]
    if try step(tail.span, into: &output, limit: limit) { return output }
    // zlib says by bit 7 that the last block is over; else the message was cut inside one.
    guard unsafe stream.pointee.data_type & 128 != 0 else { throw .invalidDeflateData(code: Z_BUF_ERROR) }
    return output
  }

  /// Takes all of `bytes`. True when they ended with a final block (§7.2.3.4).
  private func step(
    _ bytes: Span<UInt8>, into output: inout [UInt8], limit: Int
  ) throws(ProtocolError) -> Bool {
    var consumed = 0
    while true {
      let (result, taken, made) = call(bytes.extracting(droppingFirst: consumed))
      consumed += taken
      guard output.count + made <= limit else { throw .inflatedMessageTooLarge(limit: limit) }
      output.append(copying: room.span.extracting(first: made))
      switch result {
      case Z_STREAM_END:
        guard consumed < bytes.count else { return true }
        unsafe inflateReset(stream)  // §7.2.3.4: blocks may follow a final one
      case Z_OK, Z_BUF_ERROR:
        // Room left over means that zlib waits for more.
        if made < room.count, consumed == bytes.count { return false }
      default:
        throw .invalidDeflateData(code: result)
      }
    }
  }

  /// One call of zlib: its result, how much it took, and how much it made in `room`.
  private func call(_ bytes: Span<UInt8>) -> (result: Int32, taken: Int, made: Int) {
    unsafe bytes.withUnsafeBufferPointer { input in
      unsafe room.withUnsafeMutableBufferPointer { output in
        let given = UInt32(clamping: input.count)
        unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        unsafe stream.pointee.avail_in = given
        unsafe stream.pointee.next_out = output.baseAddress
        unsafe stream.pointee.avail_out = UInt32(output.count)
        let result = unsafe CZlib.inflate(stream, Z_SYNC_FLUSH)
        return unsafe (
          result, Int(given - stream.pointee.avail_in), output.count - Int(stream.pointee.avail_out)
        )
      }
    }
  }
}
