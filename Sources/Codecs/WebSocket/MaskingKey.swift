/// The four bytes that mask a client's payload (RFC 6455 §5.3).
package struct MaskingKey: Hashable, Sendable {
  /// The four bytes of the key in the order in which they are sent: the first byte is in the lowest eight bits.
  private let word: UInt32

  /// Creates a key from its four bytes, in the order in which they are sent.
  package init(_ first: UInt8, _ second: UInt8, _ third: UInt8, _ fourth: UInt8) {
    word = UInt32(first) | UInt32(second) << 8 | UInt32(third) << 16 | UInt32(fourth) << 24
  }

  private init(word: UInt32) {
    self.word = word
  }

  /// Returns an unpredictable key (RFC 6455 §10.3), from OpenSSL's generator. Each frame needs a new key.
  package static func random() -> MaskingKey {
    let bytes = randomBytes(count: 4)
    return MaskingKey(bytes[0], bytes[1], bytes[2], bytes[3])
  }

  /// The bytes of the key in the order in which they are sent.
  package var bytes: [4 of UInt8] {
    [
      UInt8(truncatingIfNeeded: word), UInt8(truncatingIfNeeded: word >> 8),
      UInt8(truncatingIfNeeded: word >> 16), UInt8(truncatingIfNeeded: word >> 24),
    ]
  }

  /// Returns the key for the rest of a payload after its first `count` bytes: the bytes of this key, rotated.
  package func advanced(by count: Int) -> MaskingKey {
    let bits = UInt32(truncatingIfNeeded: count & 3) * 8
    return MaskingKey(word: word >> bits | word << ((32 - bits) & 31))
  }

  /// Masks or unmasks `bytes[range]` in place, with the first byte of the key at the start of the range. Works on
  /// eight bytes at a time: a loop over single bytes takes ten times as long.
  package func apply(to bytes: inout [UInt8], in range: Range<Int>) {
    precondition(
      range.lowerBound >= 0 && range.upperBound <= bytes.count, "the range of the payload exceeds the buffer")
    var elements = bytes.mutableSpan
    var raw = unsafe elements.mutableBytes
    let wide = (UInt64(word) << 32 | UInt64(word)).littleEndian
    var offset = range.lowerBound
    while range.upperBound - offset >= 8 {
      let masked = unsafe raw.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
      raw.storeBytes(of: masked ^ wide, toByteOffset: offset, as: UInt64.self)
      offset += 8
    }
    var rest = word
    while offset < range.upperBound {
      let masked = unsafe raw.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
      raw.storeBytes(of: masked ^ UInt8(truncatingIfNeeded: rest), toByteOffset: offset, as: UInt8.self)
      rest = rest >> 8 | rest << 24
      offset += 1
    }
  }
}
