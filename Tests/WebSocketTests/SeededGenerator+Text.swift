import TestSupport

extension SeededGenerator {
  /// Returns text with random scalars, at least `count` bytes long.
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
