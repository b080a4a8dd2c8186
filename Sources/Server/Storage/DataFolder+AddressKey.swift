internal import Platform

/// The key for pseudonyms of addresses: the file `address-key`, 64 hexadecimal digits.
extension DataFolder {
  static let addressKeyFile = "address-key"
  private static let addressKeyLength = 32

  /// Reads the key from which the pseudonyms of client addresses are computed. Creates a new key if the key is missing or
  /// unusable. A new key changes the pseudonym of each address, so existing sessions no longer count toward the limit for the
  /// address that created them.
  ///
  /// - Returns: 32 bytes.
  /// - Throws: `StorageError` if the key cannot be read or written.
  package func addressKey() throws(StorageError) -> [UInt8] {
    if let text = try root.text(of: Self.addressKeyFile, for: .addressKey), let key = Self.key(text) {
      return key
    }
    let key = SecureRandom.bytes(Self.addressKeyLength)
    let digits = Array("0123456789abcdef".utf8)
    let text = key.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    _ = try root.write(text + [UInt8(ascii: "\n")], as: Self.addressKeyFile, for: .addressKey)
    return key
  }

  private static func key(_ text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count == 2 * addressKeyLength + 1, digits.last == UInt8(ascii: "\n") else { return nil }
    var key: [UInt8] = []
    for at in stride(from: 0, to: 2 * addressKeyLength, by: 2) {
      guard let byte = UInt8(String(decoding: digits[at..<at + 2], as: UTF8.self), radix: 16) else {
        return nil
      }
      key.append(byte)
    }
    return key
  }
}
