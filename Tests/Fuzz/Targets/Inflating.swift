internal import WebSocket

/// The fuzz target for compressed messages: the gateway inflates messages of peers, and compresses its own messages.
enum Inflating {
  /// Byte 0 of the input chooses the limit. Byte 1 chooses the window and the compression level. The other bytes are used twice:
  /// they are inflated as a compressed message, and they are compressed as a message.
  static func check(_ input: [UInt8]) throws {
    var reader = InputReader(input)
    let limit = [0, 1, 100, 20_000, 1 << 20][reader.below(5)]
    let choice = reader.byte()
    let bytes = reader.takeRest()

    let first = inflated(bytes, limit)
    let second = inflated(bytes, limit)
    try expect(first == second, "the same bytes became \(first) and \(second)")
    if case .success(let message) = first {
      try expect(message.count <= limit, "\(message.count) bytes, above the limit of \(limit)")
      try expect(
        inflated(bytes, message.count) == first, "the limit equals the length, but the message is refused")
      if !message.isEmpty {
        let short = inflated(bytes, message.count - 1)
        try expect(short == .failure(.inflatedMessageTooLarge(limit: message.count - 1)), "\(short)")
      }
    }

    var compressed: [UInt8] = []
    let deflater = Deflater(level: 1 + Int(choice >> 4) % 9)
    for _ in 0..<2 {
      compressed = []
      deflater.compress(bytes.span, into: &compressed, windowBits: 9 + Int(choice & 15) % 7)
    }
    try expect(
      inflated(compressed, bytes.count) == .success(bytes), "the output of `Deflater` does not inflate")
    let most = MessageLimits(messageBytes: bytes.count).compressedBytes
    try expect(
      compressed.count <= most, "\(bytes.count) bytes became \(compressed.count), above the limit of \(most)")
  }

  private static func inflated(_ bytes: [UInt8], _ limit: Int) -> Result<[UInt8], ProtocolError> {
    do throws(ProtocolError) {
      return .success(try Inflater().inflate(bytes.span, limit: limit))
    } catch {
      return .failure(error)
    }
  }
}
