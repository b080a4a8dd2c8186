/// Random numbers that a seed repeats: SplitMix64.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  mutating func bytes(count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) }
  }

  /// Text of any scalars, at least `count` bytes.
  mutating func text(count: Int) -> [UInt8] {
    var text = ""
    while text.utf8.count < count {
      let limit: UInt32 = [0x7F, 0x7FF, 0xFFFF, 0x10FFFF].randomElement(using: &self) ?? 0x7F
      guard let scalar = UnicodeScalar(UInt32.random(in: 0...limit, using: &self)) else { continue }
      text.unicodeScalars.append(scalar)
    }
    return Array(text.utf8)
  }
}
