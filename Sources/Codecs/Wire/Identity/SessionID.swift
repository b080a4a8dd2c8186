/// The id of a session: 128 random bits. Everyone who knows the id can join, so logs never contain it completely.
package struct SessionID: Hashable, Sendable, BitwiseCopyable, CustomStringConvertible {
  private let bits: Bits128

  /// Creates an id from 128 bits; they must be from a cryptographic source.
  package init(high: UInt64, low: UInt64) {
    bits = Bits128(high: high, low: low)
  }

  /// Parses 22 characters of base64url; `nil` for any other text.
  package init?(_ text: some StringProtocol) {
    let text = String(text)
    guard let bits = Bits128(text.utf8.span) else { return nil }
    self.bits = bits
  }

  /// Parses 22 characters of base64url; `nil` for any other text.
  package init?(_ text: Span<UInt8>) {
    guard let bits = Bits128(text) else { return nil }
    self.bits = bits
  }

  /// All 22 characters: for links and responses, never for logs.
  package var text: String { bits.text }
  /// The first six characters, for logs.
  package var description: String { "\(text.prefix(6))…" }
  /// The first 64 bits, which can serve as a hash.
  package var high: UInt64 { bits.high }
  /// The last 64 bits.
  package var low: UInt64 { bits.low }
}

/// The secret of a participant: 128 random bits. Everyone who knows the token can act as the participant, so logs
/// never contain it.
package struct Token: Hashable, Sendable, BitwiseCopyable, CustomStringConvertible {
  private let bits: Bits128

  /// Creates a token from 128 bits; they must be from a cryptographic source.
  package init(high: UInt64, low: UInt64) {
    bits = Bits128(high: high, low: low)
  }

  /// Parses 22 characters of base64url; `nil` for any other text.
  package init?(_ text: some StringProtocol) {
    let text = String(text)
    guard let bits = Bits128(text.utf8.span) else { return nil }
    self.bits = bits
  }

  /// All 22 characters: for the participant only, never for logs.
  package var text: String { bits.text }
  /// The characters of `text`.
  package var characters: [22 of UInt8] { bits.characters }
  /// A placeholder without the bits of the token.
  package var description: String { "(token)" }
  /// The first 64 bits.
  package var high: UInt64 { bits.high }
  /// The last 64 bits.
  package var low: UInt64 { bits.low }
}

extension SessionID: JSONWritable {
  /// Writes `text` as a JSON string.
  package func write(to writer: inout JSONWriter) { writer.write(bits) }
}

extension Token: JSONWritable {
  /// Writes `text` as a JSON string.
  package func write(to writer: inout JSONWriter) { writer.write(bits) }
}

extension SessionID: Decodable {
  /// Decodes a JSON string.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let id = SessionID(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "no session id")
    }
    self = id
  }
}

extension Token: Decodable {
  /// Decodes a JSON string.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let token = Token(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "no token")
    }
    self = token
  }
}
