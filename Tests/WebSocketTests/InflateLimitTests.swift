import Testing
import WebSocket

@Suite("RFC 7692: what a message may become")
struct InflateLimitTests {
  @Test("a message inflates within its exact length, and in no less", arguments: UInt64(1)...40)
  func exact(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let (inflater, deflater) = (Inflater(), Deflater(level: Int.random(in: 1...9, using: &random)))
    for _ in 0..<5 {
      let count = Int.random(
        in: 1...([20, 3_000, 70_000].randomElement(using: &random) ?? 1), using: &random)
      let message =
        Bool.random(using: &random) ? random.bytes(count: count) : [UInt8](repeating: 7, count: count)
      var compressed: [UInt8] = []
      deflater.compress(message.span, into: &compressed, windowBits: Int.random(in: 9...15, using: &random))
      #expect(compressed.count <= MessageLimits(messageBytes: count).compressedBytes)
      #expect(try inflated(compressed, inflater, limit: count) == message)
      #expect(throws: ProtocolError.inflatedMessageTooLarge(limit: count - 1)) {
        try inflated(compressed, inflater, limit: count - 1)
      }
      // What was refused leaves nothing behind.
      #expect(try inflated(compressed, inflater, limit: .max) == message)
    }
  }

  private func inflated(
    _ bytes: [UInt8], _ inflater: Inflater, limit: Int
  ) throws(ProtocolError) -> [UInt8] {
    try inflater.inflate(bytes.span, limit: limit)
  }
}
