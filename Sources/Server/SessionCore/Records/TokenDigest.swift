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
    var text: [UInt8] = []
    text.reserveCapacity(Self.hexLength)
    for index in 0..<Self.hexLength {
      let word = index < 16 ? high : low
      let digit = UInt8(truncatingIfNeeded: word >> UInt64(60 - index % 16 * 4)) & 15
      text.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    }
    return String(decoding: text, as: UTF8.self)
  }
}
