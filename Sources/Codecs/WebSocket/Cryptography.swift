private import COpenSSL

/// Returns random bytes for keys, from OpenSSL's generator.
func randomBytes(count: Int) -> [UInt8] {
  var bytes = [UInt8](repeating: 0, count: count)
  let result = unsafe RAND_bytes(&bytes, Int32(count))
  precondition(result == 1, "OpenSSL failed to generate random bytes")
  return bytes
}

/// Returns the SHA-1 digest of bytes, for the opening handshake (RFC 6455 §4.2.2).
func sha1(_ bytes: [UInt8]) -> [UInt8] {
  var digest = [UInt8](repeating: 0, count: 20)
  let result = unsafe EVP_Digest(bytes, bytes.count, &digest, nil, copenssl_sha1(), nil)
  precondition(result == 1, "OpenSSL failed to compute a SHA-1 digest")
  return digest
}

/// Returns bytes in base64 with padding (RFC 4648 §4).
func base64(_ bytes: [UInt8]) -> String {
  var encoded = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
  let count = unsafe EVP_EncodeBlock(&encoded, bytes, Int32(bytes.count))
  return String(decoding: encoded[..<Int(count)], as: UTF8.self)
}

/// Returns true if the text is the base64 of exactly 16 bytes, as a handshake's key must be (RFC 6455 §4.1).
func isBase64OfSixteenBytes(_ text: String) -> Bool {
  let bytes = text.utf8.span
  guard bytes.count == 24, bytes[22] == UInt8(ascii: "="), bytes[23] == UInt8(ascii: "=") else {
    return false
  }
  for index in 0..<22 {
    switch bytes[index] {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
      continue
    default:
      return false
    }
  }
  return true
}
