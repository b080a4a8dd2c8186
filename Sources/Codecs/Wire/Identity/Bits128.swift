/// 128 random bits and their 22 characters of base64url (RFC 4648 §5, without padding).
struct Bits128: Hashable, Sendable, BitwiseCopyable {
  static let textLength = 22

  let high: UInt64
  let low: UInt64

  init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Parses 22 characters; `nil` for any other text, and if the unused bits of the last character are not zero.
  init?(_ text: some Sequence<UInt8>) {
    var high: UInt64 = 0
    var low: UInt64 = 0
    var count = 0
    for character in text {
      guard count < Self.textLength, let digit = Self.value(of: character) else { return nil }
      count += 1
      if count == Self.textLength {
        guard digit & 0xF == 0 else { return nil }
        high = high << 2 | low >> 62
        low = low << 2 | UInt64(digit >> 4)
      } else {
        high = high << 6 | low >> 58
        low = low << 6 | UInt64(digit)
      }
    }
    guard count == Self.textLength else { return nil }
    self.init(high: high, low: low)
  }

  var text: String {
    var characters: [UInt8] = []
    characters.reserveCapacity(Self.textLength)
    for index in 0..<21 {
      let shift = 122 - 6 * index
      let bits =
        shift >= 64
        ? high >> (shift - 64)
        : (shift > 58 ? high << (64 - shift) : 0) | low >> shift
      characters.append(Self.character(UInt8(bits & 63)))
    }
    characters.append(Self.character(UInt8(low & 3) << 4))
    return String(decoding: characters, as: UTF8.self)
  }

  private static func value(of character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
    case UInt8(ascii: "-"): 62
    case UInt8(ascii: "_"): 63
    default: nil
    }
  }

  private static func character(_ value: UInt8) -> UInt8 {
    switch value {
    case 0..<26: UInt8(ascii: "A") + value
    case 26..<52: UInt8(ascii: "a") + value - 26
    case 52..<62: UInt8(ascii: "0") + value - 52
    case 62: UInt8(ascii: "-")
    default: UInt8(ascii: "_")
    }
  }
}
