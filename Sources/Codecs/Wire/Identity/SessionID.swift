/// Names a session: 128 random bits. To know it is to be a member, so it is never logged whole.
package struct SessionID: Hashable, Sendable, BitwiseCopyable, CustomStringConvertible {
  private let bits: Bits128

  /// An id from 128 bits; they must come from a cryptographic source.
  package init(high: UInt64, low: UInt64) {
    bits = Bits128(high: high, low: low)
  }

  /// Reads the 22 characters of base64url that `text` gives, and nothing else.
  package init?(_ text: some StringProtocol) {
    guard let bits = Bits128(text.utf8) else { return nil }
    self.bits = bits
  }

  /// Reads the 22 characters of base64url that `text` gives, and nothing else.
  package init?(_ text: Span<UInt8>) {
    guard text.count == Bits128.textLength else { return nil }
    var copy: [UInt8] = []
    copy.append(text)
    guard let bits = Bits128(copy) else { return nil }
    self.bits = bits
  }

  /// All 22 characters: for links and answers, never for logs.
  package var text: String { bits.text }
  /// The first six characters, for logs.
  package var description: String { "\(text.prefix(6))…" }
  /// The first 64 of the bits: as good as a hash.
  package var high: UInt64 { bits.high }
  /// The last 64 of the bits.
  package var low: UInt64 { bits.low }
}

/// Who holds it is that participant: 128 random bits. It is never logged at all.
package struct Token: Hashable, Sendable, BitwiseCopyable, CustomStringConvertible {
  private let bits: Bits128

  /// A token from 128 bits; they must come from a cryptographic source.
  package init(high: UInt64, low: UInt64) {
    bits = Bits128(high: high, low: low)
  }

  /// Reads the 22 characters of base64url that `text` gives, and nothing else.
  package init?(_ text: some StringProtocol) {
    guard let bits = Bits128(text.utf8) else { return nil }
    self.bits = bits
  }

  /// All 22 characters: for the one who is it, never for logs.
  package var text: String { bits.text }
  /// Says that there is a token, not which.
  package var description: String { "(token)" }
  /// The first 64 of the bits.
  package var high: UInt64 { bits.high }
  /// The last 64 of the bits.
  package var low: UInt64 { bits.low }
}

extension SessionID: Decodable {
  /// Reads it from a JSON string.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let id = SessionID(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "no session id")
    }
    self = id
  }
}

extension Token: Decodable {
  /// Reads it from a JSON string.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let token = Token(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "no token")
    }
    self = token
  }
}
