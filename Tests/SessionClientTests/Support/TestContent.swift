import FoundationEssentials
import Platform

/// The bytes of attachments in tests: the same for the same seed, and no two places of them alike.
enum TestContent {
  static func bytes(_ count: Int, seed: UInt64) -> Data {
    var random = SeededNumbers(seed: seed)
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

/// Numbers that look random and are the same in each run (SplitMix64).
struct SeededNumbers {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next(below limit: UInt64) -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return (mixed ^ (mixed >> 31)) % limit
  }
}
