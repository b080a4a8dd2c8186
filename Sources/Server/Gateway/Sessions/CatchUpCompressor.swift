internal import WebSocket

/// Compresses what sessions retain for those who agreed on it, and counts what that costs of a turn.
final class CatchUpCompressor {
  /// Compressing takes about so many times longer than sending.
  private static let weight = 8

  private let deflater: Deflater
  private var bytes = 0

  /// Shares a reactor's deflater.
  init(_ deflater: Deflater) {
    self.deflater = deflater
  }

  func compress(_ message: Span<UInt8>) -> [UInt8] {
    bytes += message.count
    var compressed: [UInt8] = []
    deflater.compress(message, into: &compressed)
    return compressed
  }

  /// What was compressed since the last call, in bytes that could have been sent meanwhile.
  func takeCost() -> Int {
    defer { bytes = 0 }
    return bytes * Self.weight
  }
}
