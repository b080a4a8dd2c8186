private import COpenSSL

/// Random bytes for keys, from OpenSSL's generator.
func randomBytes(count: Int) -> [UInt8] {
  var bytes = [UInt8](repeating: 0, count: count)
  let result = unsafe RAND_bytes(&bytes, Int32(count))
  precondition(result == 1, "OpenSSL gives random bytes")
  return bytes
}

/// The SHA-1 digest of some bytes, which the opening handshake is made with (RFC 6455 §4.2.2).
func sha1(_ bytes: [UInt8]) -> [UInt8] {
  var digest = [UInt8](repeating: 0, count: 20)
  let result = unsafe EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha1(), nil)
  precondition(result == 1, "OpenSSL digests with SHA-1")
  return digest
}

/// Bytes in base64 with padding (RFC 4648 §4).
func base64(_ bytes: [UInt8]) -> String {
  var encoded = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
  let count = unsafe EVP_EncodeBlock(&encoded, bytes, Int32(bytes.count))
  return String(decoding: encoded[..<Int(count)], as: UTF8.self)
}

/// True when the text is the base64 of exactly 16 bytes, as a handshake's key must be (RFC 6455 §4.1).
func isBase64OfSixteenBytes(_ text: String) -> Bool {
  let bytes = [UInt8](text.utf8)
  // OpenSSL takes white space around and `=` inside; the lengths and places leave no room for either.
  guard bytes.count == 24, bytes.firstIndex(of: UInt8(ascii: "=")) == 22, bytes[23] == UInt8(ascii: "=")
  else {
    return false
  }
  var decoded = [UInt8](repeating: 0, count: 18)
  return unsafe EVP_DecodeBlock(&decoded, bytes, 24) == 18
}
