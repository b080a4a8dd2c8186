/// The first 128 bits of a token's SHA-256. They identify the owner of the token, but do not reveal the token.
package struct TokenDigest: Hashable, Sendable, BitwiseCopyable {
  /// The number of digits of `hex`.
  package static let hexLength = 32

  /// The first 64 bits.
  package let high: UInt64
  /// The last 64 bits.
  package let low: UInt64

  /// Creates a digest from its two halves.
  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Parses exactly the format of `hex`.
  package init?(hex text: String) {
    var halves: (high: UInt64, low: UInt64) = (0, 0)
    var count = 0
    for digit in text.utf8 {
      let value: UInt8
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): value = digit - UInt8(ascii: "a") + 10
      default: return nil
      }
      count += 1
      guard count <= Self.hexLength else { return nil }
      halves = (halves.high << 4 | halves.low >> 60, halves.low << 4 | UInt64(value))
    }
    guard count == Self.hexLength else { return nil }
    self.init(high: halves.high, low: halves.low)
  }

  /// The digest as 32 hexadecimal digits in lower case.
  package var hex: String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(Self.hexLength)
    for word in [high, low] {
      for shift in stride(from: 60, through: 0, by: -4) { text.append(digits[Int(word >> shift & 15)]) }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
