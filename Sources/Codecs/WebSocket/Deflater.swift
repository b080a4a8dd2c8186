private import CZlib

/// A compressor of whole messages (RFC 7692 §7.2.1). It keeps no state between two messages, so one compressor serves
/// all connections of a thread. It allocates about 270 KiB once and is not `Sendable`.
@safe package final class Deflater {
  private let stream: UnsafeMutablePointer<z_stream>
  private let level: Int32
  private var windowBits = 15
  private var room = [UInt8](repeating: 0, count: 16_384)

  /// Creates a compressor of a level: 1 is the fastest, 9 produces the smallest output.
  package init(level: Int = 6) {
    precondition((1...9).contains(level), "the compression level must be 1 to 9")
    self.level = Int32(level)
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    start()
  }

  deinit {
    unsafe deflateEnd(stream)
    unsafe stream.deallocate()
  }

  /// Appends the compressed payload of one whole message. Omits the last four bytes of the compressed data (RFC 7692 §7.2.1). The
  /// first frame of the message must have `isCompressed` set.
  ///
  /// - Parameters:
  ///   - payload: the message.
  ///   - bytes: the array to append to.
  ///   - windowBits: `DeflateParameters.windowBits(for:)`, 9 to 15. If the window changes, zlib's compressor is created again,
  ///     which takes some microseconds.
  package func compress(_ payload: Span<UInt8>, into bytes: inout [UInt8], windowBits: Int = 15) {
    precondition((9...15).contains(windowBits), "the compression window must have 9 to 15 bits")
    if windowBits == self.windowBits {
      unsafe deflateReset(stream)
    } else {
      unsafe deflateEnd(stream)
      self.windowBits = windowBits
      start()
    }
    var consumed = 0
    while true {
      let (taken, made) = call(payload.extracting(droppingFirst: consumed))
      consumed += taken
      bytes.append(copying: room.span.extracting(first: made))
      // If `room` is not full, all output has been written, including the empty stored block that a flush appends.
      if made < room.count, consumed == payload.count { break }
    }
    bytes.removeLast(4)
  }

  private func start() {
    let result = unsafe deflateInit2_(
      stream, level, Z_DEFLATED, Int32(-windowBits), 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    precondition(result == Z_OK, "zlib failed to create a compressor")
  }

  /// Calls zlib once. Returns the number of bytes consumed, and the number of bytes produced in `room`.
  private func call(_ payload: Span<UInt8>) -> (taken: Int, made: Int) {
    unsafe payload.withUnsafeBufferPointer { input in
      unsafe room.withUnsafeMutableBufferPointer { output in
        let given = UInt32(clamping: input.count)
        unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        unsafe stream.pointee.avail_in = given
        unsafe stream.pointee.next_out = output.baseAddress
        unsafe stream.pointee.avail_out = UInt32(output.count)
        unsafe deflate(stream, Z_SYNC_FLUSH)
        return unsafe (
          Int(given - stream.pointee.avail_in), output.count - Int(stream.pointee.avail_out)
        )
      }
    }
  }
}
