private import CZlib

/// A decompressor of whole messages (RFC 7692 §7.2.2). It keeps no state between two messages, so one inflater serves
/// all connections of a thread. It allocates about 40 KiB once and is not `Sendable`.
@safe package final class Inflater {
  private let stream: UnsafeMutablePointer<z_stream>
  private var room = [UInt8](repeating: 0, count: 16_384)

  /// Creates an inflater with the largest window, which can decompress data that was compressed with any window.
  package init() {
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    let result = unsafe inflateInit2_(stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    precondition(result == Z_OK, "zlib failed to create an inflater")
  }

  deinit {
    unsafe inflateEnd(stream)
    unsafe stream.deallocate()
  }

  /// Inflates the payload of one whole message.
  ///
  /// - Parameters:
  ///   - bytes: the payloads of the message's frames, without the four bytes that the sender removed from the end (§7.2.1).
  ///   - limit: the maximum number of bytes of the inflated message; bytes beyond it are never stored.
  /// - Returns: the message.
  /// - Throws: `.inflatedMessageTooLarge`, `.invalidDeflateData` (also for a truncated stream).
  package func inflate(_ bytes: Span<UInt8>, limit: Int) throws(ProtocolError) -> [UInt8] {
    var progress = Progress()
    let isComplete = try advance(&progress, with: bytes, limit: limit, step: .max)
    precondition(isComplete, "a step without a limit must inflate the whole message")
    return progress.output
  }

  /// The progress of one message that is inflated in several steps.
  package struct Progress: Sendable {
    /// The bytes that have been inflated.
    package fileprivate(set) var output: [UInt8] = []
    fileprivate var consumed = 0
    /// The number of consumed bytes of the tail: the four bytes that the sender removed from the end of the message.
    fileprivate var consumedOfTail = 0
    fileprivate var hasBegun = false

    package init() {}
  }

  /// Inflates the next part of one whole message. Until the last step of that message, the inflater must not be used for
  /// another message.
  ///
  /// - Parameters:
  ///   - progress: the progress of this message; a new `Progress` for its first step.
  ///   - bytes: the payloads of the message's frames; pass the same bytes at every step.
  ///   - limit: the maximum number of bytes of the inflated message.
  ///   - step: the number of consumed plus produced bytes after which the step ends. A step may exceed this number by up to 32
  ///     KiB.
  /// - Returns: true when the message is complete, in `progress.output`.
  /// - Throws: the errors of `inflate(_:limit:)`.
  package func advance(
    _ progress: inout Progress, with bytes: Span<UInt8>, limit: Int, step: Int
  ) throws(ProtocolError) -> Bool {
    if !progress.hasBegun { unsafe inflateReset(stream) }
    progress.hasBegun = true
    let (end, overflows) = (progress.consumed + progress.output.count).addingReportingOverflow(step)
    let pause = overflows ? Int.max : end
    if progress.consumedOfTail == 0 {
      switch try consume(bytes, from: &progress.consumed, into: &progress.output, limit: limit, pause: pause)
      {
      case .paused: return false
      case .finalBlock: return true
      case .allConsumed: break
      }
    }
    // RFC 7692 §7.2.2: the four bytes that the sender removed from the end of the message.
    let tail: [4 of UInt8] = [0x00, 0x00, 0xFF, 0xFF]
    switch try consume(
      tail.span, from: &progress.consumedOfTail, into: &progress.output, limit: limit,
      pause: pause - progress.consumed)
    {
    case .paused: return false
    case .finalBlock: return true
    case .allConsumed: break
    }
    // zlib sets bit 7 after the end of a block. If bit 7 is not set, the message was truncated inside a block.
    guard unsafe stream.pointee.data_type & 128 != 0 else { throw .invalidDeflateData(code: Z_BUF_ERROR) }
    return true
  }

  /// The result of `consume`.
  private enum Consumption {
    /// All bytes are consumed, and more may follow.
    case allConsumed
    /// All bytes are consumed, and they end with a final block (§7.2.3.4).
    case finalBlock
    /// The step has reached its limit, so the next step continues the work.
    case paused
  }

  /// Inflates `bytes` from `consumed` to their end, or until the sum of consumed and produced bytes reaches `pause`.
  private func consume(
    _ bytes: Span<UInt8>, from consumed: inout Int, into output: inout [UInt8], limit: Int, pause: Int
  ) throws(ProtocolError) -> Consumption {
    while true {
      guard consumed + output.count < pause else { return .paused }
      // The limit `pause` applies to consumed and produced bytes together. Many empty blocks in a row produce no output, so a
      // limit on the produced bytes alone would not end the step.
      let (result, taken, made) = call(
        bytes.extracting(droppingFirst: consumed).extracting(first: room.count))
      consumed += taken
      guard output.count + made <= limit else { throw .inflatedMessageTooLarge(limit: limit) }
      output.append(copying: room.span.extracting(first: made))
      switch result {
      case Z_STREAM_END:
        guard consumed < bytes.count else { return .finalBlock }
        unsafe inflateReset(stream)  // RFC 7692 §7.2.3.4: blocks may follow a final one
      case Z_OK, Z_BUF_ERROR:
        // If `room` is not full, zlib needs more input.
        if made < room.count, consumed == bytes.count { return .allConsumed }
      default:
        throw .invalidDeflateData(code: result)
      }
    }
  }

  /// Calls zlib once. Returns its result, the number of bytes consumed, and the number of bytes produced in `room`.
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
