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
  init?(_ text: Span<UInt8>) {
    guard text.count == Self.textLength else { return nil }
    var high: UInt64 = 0
    var low: UInt64 = 0
    for index in text.indices {
      guard let digit = Self.value(of: text[index]) else { return nil }
      if index == Self.textLength - 1 {
        guard digit & 0xF == 0 else { return nil }
        high = high << 2 | low >> 62
        low = low << 2 | UInt64(digit >> 4)
      } else {
        high = high << 6 | low >> 58
        low = low << 6 | UInt64(digit)
      }
    }
    self.init(high: high, low: low)
  }

  /// The characters of `text`.
  var characters: [22 of UInt8] {
    var characters: [22 of UInt8] = .init(repeating: 0)
    var (high, low) = (high, low)
    // The last character has only two bits; the other bits are zeros, which the shifts append.
    for index in characters.indices {
      characters[index] = Self.character(UInt8(high >> 58))
      (high, low) = (high << 6 | low >> 58, low << 6)
    }
    return characters
  }

  var text: String {
    var bytes: [UInt8] = []
    let characters = characters
    bytes.append(characters.span)
    return String(decoding: bytes, as: UTF8.self)
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
