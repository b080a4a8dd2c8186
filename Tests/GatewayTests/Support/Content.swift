import Platform
import TestSupport

/// The bytes of attachments in tests. They depend only on the seed, and contain no repetitions.
enum Content {
  static func bytes(_ count: Int, seed: UInt64) -> [UInt8] {
    var random = SeededGenerator(seed: seed)
    let block = (0..<4096).map { _ in UInt8(random.next(below: 256)) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + block.count)
    while bytes.count < count {
      let place = UInt64(bytes.count)
      for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: place >> (8 * UInt64(shift)))) }
      bytes += block
    }
    return Array(bytes[..<count])
  }

  static func digest(_ bytes: [UInt8]) -> String { "\(SHA256Digest(of: bytes.span))" }
}
