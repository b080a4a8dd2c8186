import FoundationEssentials
import Platform

/// Attachment contents from a seed. Each block begins with its offset, so that a test detects misplaced blocks.
enum TestContent {
  static func bytes(_ count: Int, seed: UInt64) -> Data {
    var random = SeededGenerator(seed: seed)
    let block = (0..<4096).map { _ in UInt8(random.next(below: 256)) }
    var bytes = Data(capacity: count + block.count)
    while bytes.count < count {
      let place = UInt64(bytes.count)
      for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: place >> (8 * UInt64(shift)))) }
      bytes.append(contentsOf: block)
    }
    return bytes.prefix(count)
  }

  static func digest(_ bytes: Data) -> String { "\(SHA256Digest(of: bytes.span))" }
}
