internal import COpenSSL

/// Base64 (RFC 4648 §4) and its form for URLs (§5).
package enum Base64 {
  /// Encodes with the standard alphabet and padding.
  package static func encode(_ bytes: [UInt8]) -> String {
    // OpenSSL writes a NUL behind the text.
    var text = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
    let length = unsafe EVP_EncodeBlock(&text, bytes, CInt(bytes.count))
    return String(decoding: text[..<Int(length)], as: UTF8.self)
  }

  /// Decodes the standard alphabet, strictly: the padding has to be there, nothing may be around or in between, and
  /// bits that stand for nothing have to be zero, so that each value has one spelling. Nil for anything else.
  package static func decode(_ text: String) -> [UInt8]? {
    let characters = Array(text.utf8)
    guard characters.count.isMultiple(of: 4), let length = CInt(exactly: characters.count) else { return nil }
    var bytes = [UInt8](repeating: 0, count: characters.count / 4 * 3)
    let decoded = unsafe EVP_DecodeBlock(&bytes, characters, length)
    guard decoded == bytes.count else { return nil }
    // OpenSSL counts padding as zero bytes, and lets blanks and loose bits pass; encoding again does not.
    let padding = characters.suffix(2).count { $0 == 0x3D }
    bytes.removeLast(min(padding, bytes.count))
    return encode(bytes).utf8.elementsEqual(characters) ? bytes : nil
  }
}
