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
    var progress = Progress()
    let isWhole = try advance(&progress, with: bytes, limit: limit, step: .max)
    precondition(isWhole, "a step without an end reaches the end")
    return progress.output
  }

  /// The progress of one message that is inflated in several steps.
  package struct Progress: Sendable {
    /// The inflated bytes so far.
    package fileprivate(set) var output: [UInt8] = []
    fileprivate var consumed = 0
    /// Bytes taken of the four that the sender left out.
    fileprivate var consumedOfTail = 0
    fileprivate var hasBegun = false

    package init() {}
  }

  /// Inflates the next part of one whole message. Until its last step, this inflater belongs to that message.
  ///
  /// - Parameters:
  ///   - progress: of this message; a new one for its first step.
  ///   - bytes: the same at every step: what the message's frames held.
  ///   - limit: the most bytes that the message may become.
  ///   - step: the number of bytes, taken and made, after which the step ends; up to 32 KiB more are.
  /// - Returns: true when the message is complete, in `progress.output`.
  /// - Throws: as `inflate(_:limit:)`.
  package func advance(
    _ progress: inout Progress, with bytes: Span<UInt8>, limit: Int, step: Int
  ) throws(ProtocolError) -> Bool {
    if !progress.hasBegun { unsafe inflateReset(stream) }
    progress.hasBegun = true
    let (end, overflows) = (progress.consumed + progress.output.count).addingReportingOverflow(step)
    let pause = overflows ? Int.max : end
    if progress.consumedOfTail == 0 {
      switch try take(bytes, from: &progress.consumed, into: &progress.output, limit: limit, pause: pause) {
      case .paused: return false
      case .finalBlock: return true
      case .allTaken: break
      }
    }
    // §7.2.2: what the sender took off the end.
    let tail: [4 of UInt8] = [0x00, 0x00, 0xFF, 0xFF]
    switch try take(
      tail.span, from: &progress.consumedOfTail, into: &progress.output, limit: limit,
      pause: pause - progress.consumed)
    {
    case .paused: return false
    case .finalBlock: return true
    case .allTaken: break
    }
    // zlib says by bit 7 that the last block is over; else the message was cut inside one.
    guard unsafe stream.pointee.data_type & 128 != 0 else { throw .invalidDeflateData(code: Z_BUF_ERROR) }
    return true
  }

  private enum Taken {
    /// All bytes are taken, and more may follow.
    case allTaken
    /// All bytes are taken, and a final block was the last of them (§7.2.3.4).
    case finalBlock
    /// The step ends here.
    case paused
  }

  /// Takes `bytes` from `consumed` on, up to their end, or until what is consumed and made comes to `pause`.
  private func take(
    _ bytes: Span<UInt8>, from consumed: inout Int, into output: inout [UInt8], limit: Int, pause: Int
  ) throws(ProtocolError) -> Taken {
    while true {
      guard consumed + output.count < pause else { return .paused }
      // Empty blocks make nothing: they end a step too.
      let (result, taken, made) = call(
        bytes.extracting(droppingFirst: consumed).extracting(first: room.count))
      consumed += taken
      guard output.count + made <= limit else { throw .inflatedMessageTooLarge(limit: limit) }
      output.append(copying: room.span.extracting(first: made))
      switch result {
      case Z_STREAM_END:
        guard consumed < bytes.count else { return .finalBlock }
        unsafe inflateReset(stream)  // §7.2.3.4: blocks may follow a final one
      case Z_OK, Z_BUF_ERROR:
        // Room left over means that zlib waits for more.
        if made < room.count, consumed == bytes.count { return .allTaken }
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
