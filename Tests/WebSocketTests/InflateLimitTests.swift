import Testing
import WebSocket
import TestSupport

@Suite("RFC 7692: the limit of the inflated size")
struct InflateLimitTests {
  @Test(
    "a message inflates if the limit is exactly the length of the message, but not if the limit is smaller",
    arguments: UInt64(1)...40)
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
      // A refused message does not affect the next one.
      #expect(try inflated(compressed, inflater, limit: .max) == message)
    }
  }

  @Test(
    "inflating a message in steps gives the same bytes as inflating it in one call; each step gives about the requested number",
    arguments: UInt64(1)...20)
  func steps(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let (inflater, deflater) = (Inflater(), Deflater())
    let count = Int.random(in: 1...200_000, using: &random)
    let message =
      Bool.random(using: &random) ? random.bytes(count: count) : [UInt8](repeating: 7, count: count)
    var compressed: [UInt8] = []
    deflater.compress(message.span, into: &compressed)
    // Inflating an empty block takes time too, so empty blocks count towards the length of a step.
    compressed = Array(repeatElement([0x00, 0x00, 0x00, 0xFF, 0xFF], count: 20_000).joined()) + compressed
    let step = Int.random(in: 1...50_000, using: &random)
    var progress = Inflater.Progress()
    var steps = 1
    while try !inflater.advance(&progress, with: compressed.span, limit: count, step: step) { steps += 1 }
    #expect(progress.output == message)
    #expect(steps >= (compressed.count + count) / (step + 32_768))
    var small = Inflater.Progress()
    #expect(throws: ProtocolError.inflatedMessageTooLarge(limit: count - 1)) {
      while try !inflater.advance(&small, with: compressed.span, limit: count - 1, step: step) {}
    }
  }

  @Test(
    "a reader that pauses a long message inflates it from its beginning with a separate inflater, and then reads the next frames"
  )
  func pausedReader() throws {
    let (shared, own, deflater) = (Inflater(), Inflater(), Deflater())
    let message = [UInt8](repeating: 7, count: 100_000)
    var payload: [UInt8] = []
    deflater.compress(message.span, into: &payload)
    var bytes: [UInt8] = []
    for _ in 0..<2 {
      FrameWriter.append(
        .binary, payload: payload.span, isCompressed: true, maskingKey: .random(), to: &bytes)
    }
    let deflate = try #require(DeflateParameters.negotiate(offers: ["permessage-deflate"]))
    var reader = MessageReader(role: .server, limits: .tests, deflate: deflate)
    var position = 0
    var messages: [[UInt8]] = []
    var pauses = 0
    while messages.count < 2 {
      let event = try reader.next(
        in: &bytes, at: &position, upTo: bytes.count, inflater: reader.isInflating ? own : shared,
        inflatedBytes: 20_000)
      if case .message(_, let payload)? = event { messages.append(payload) }
      guard event == nil else { continue }
      #expect(reader.isInflating && reader.bufferedBytes >= payload.count)
      pauses += 1
      // While `reader` pauses in the middle of a message, the shared inflater can inflate messages of other sockets.
      #expect(try shared.inflate(payload.span, limit: .max) == message)
    }
    #expect(messages == [message, message] && position == bytes.count)
    #expect(pauses >= 4 && reader.bufferedBytes == 0 && !reader.isInflating)
  }

  private func inflated(
    _ bytes: [UInt8], _ inflater: Inflater, limit: Int
  ) throws(ProtocolError) -> [UInt8] {
    try inflater.inflate(bytes.span, limit: limit)
  }
}
