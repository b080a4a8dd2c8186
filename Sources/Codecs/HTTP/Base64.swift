internal import COpenSSL

/// Base64 (RFC 4648 §4).
package enum Base64 {
  /// Encodes bytes with the standard alphabet and padding.
  package static func encode(_ bytes: [UInt8]) -> String {
    // OpenSSL writes a NUL after the text.
    var text = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
    let length = unsafe EVP_EncodeBlock(&text, bytes, CInt(bytes.count))
    return String(decoding: text[..<Int(length)], as: UTF8.self)
  }

  /// Decodes the standard alphabet, strictly: with padding, without other characters, and with unused bits zero, so
  /// that each value has one spelling. Returns nil for any other text.
  package static func decode(_ text: String) -> [UInt8]? {
    let characters = Array(text.utf8)
    guard characters.count.isMultiple(of: 4), let length = CInt(exactly: characters.count) else { return nil }
    var bytes = [UInt8](repeating: 0, count: characters.count / 4 * 3)
    let decoded = unsafe EVP_DecodeBlock(&bytes, characters, length)
    guard decoded == bytes.count else { return nil }
    // OpenSSL decodes padding as zero bytes, and accepts blanks and unused bits that are not zero. Encoding the result again
    // detects such blanks and bits.
    let padding = characters.suffix(2).count { $0 == 0x3D }
    bytes.removeLast(min(padding, bytes.count))
    return encode(bytes).utf8.elementsEqual(characters) ? bytes : nil
  }
}
