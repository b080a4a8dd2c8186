internal import WebSocket

/// Compresses retained entries for members that negotiated compression, and measures the cost of this work.
final class CatchUpCompressor {
  /// The ratio of the time for compressing a byte to the time for sending a byte.
  private static let weight = 8

  private let deflater: Deflater
  private var bytes = 0

  /// Creates a compressor that shares the deflater of a reactor.
  init(_ deflater: Deflater) {
    self.deflater = deflater
  }

  func compress(_ message: Span<UInt8>) -> [UInt8] {
    bytes += message.count
    var compressed: [UInt8] = []
    deflater.compress(message, into: &compressed)
    return compressed
  }

  /// Returns the cost of the compression since the last call, as the number of bytes that could be sent in the same time.
  func takeCost() -> Int {
    defer { bytes = 0 }
    return bytes * Self.weight
  }
}
