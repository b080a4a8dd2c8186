internal import Platform
internal import SessionCore
internal import Wire

extension String {
  /// A random name for a new epoch of a session.
  package static var freshEpoch: String { SessionID(random: SecureRandom.bytes(16)).text }
}

extension TokenDigest {
  /// Returns the digest of a token. The digest is stored instead of the token: it verifies the token without revealing it.
  @Sendable static func ofToken(_ token: Token) -> TokenDigest {
    let characters = token.characters
    let digest = SHA256Digest(of: characters.span).bytes
    return TokenDigest(high: digest.span.uint64(at: 0), low: digest.span.uint64(at: 8))
  }
}

extension SessionID {
  /// An id of 16 random bytes.
  init(random bytes: [UInt8]) {
    self.init(high: bytes.span.uint64(at: 0), low: bytes.span.uint64(at: 8))
  }
}

extension Token {
  /// A token of 16 random bytes.
  init(random bytes: [UInt8]) {
    self.init(high: bytes.span.uint64(at: 0), low: bytes.span.uint64(at: 8))
  }
}
