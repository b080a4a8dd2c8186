import Testing
import Platform

@Suite("Digests have the expected bytes, and random bytes differ")
struct DigestTests {
  @Test(
    "The SHA-256 examples of FIPS 180-4 have the expected digests",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
    ])
  func sha256(text: String, hexadecimal: String) {
    let bytes = Array(text.utf8)
    #expect(SHA256Digest(of: bytes.span).description == hexadecimal)
    #expect(SHA256Digest(finishing: digest(.sha256, bytes)) == SHA256Digest(of: bytes.span))
  }

  @Test(
    "The SHA-1 examples of FIPS 180-4 have the expected digests",
    arguments: [
      (
        "",
        [
          0xDA, 0x39, 0xA3, 0xEE, 0x5E, 0x6B, 0x4B, 0x0D, 0x32, 0x55, 0xBF, 0xEF, 0x95, 0x60, 0x18, 0x90,
          0xAF,
          0xD8, 0x07, 0x09,
        ]
      ),
      (
        "abc",
        [
          0xA9, 0x99, 0x3E, 0x36, 0x47, 0x06, 0x81, 0x6A, 0xBA, 0x3E, 0x25, 0x71, 0x78, 0x50, 0xC2, 0x6C,
          0x9C,
          0xD0, 0xD8, 0x9D,
        ]
      ),
    ] as [(String, [UInt8])])
  func sha1(text: String, expected: [UInt8]) {
    #expect(digest(.sha1, Array(text.utf8)).finish() == expected)
  }

  @Test("Adding bytes to an unfinished digest does not change an earlier copy of the digest")
  func copies() {
    let abc = digest(.sha256, Array("ab".utf8))
    let other = abc.copy()
    let (c, x) = (Array("c".utf8), Array("x".utf8))
    other.update(x.span)
    abc.update(c.span)
    let (whole, different) = (Array("abc".utf8), Array("abx".utf8))
    #expect(abc.finish() == SHA256Digest(of: whole.span).bytes)
    #expect(other.finish() == SHA256Digest(of: different.span).bytes)
  }

  /// Digests the bytes one by one.
  private func digest(_ algorithm: RunningDigest.Algorithm, _ bytes: [UInt8]) -> RunningDigest {
    let digest = RunningDigest(algorithm)
    for byte in bytes {
      let piece = [byte]
      digest.update(piece.span)
    }
    return digest
  }

  @Test("Random bytes have the requested count, and two calls return different bytes")
  func random() {
    #expect(SecureRandom.bytes(0).isEmpty)
    #expect(SecureRandom.bytes(16).count == 16)
    #expect(SecureRandom.bytes(16) != SecureRandom.bytes(16))
  }

  @Test(
    "Two secrets are equal only if all their bytes and their lengths are equal",
    arguments: [
      ([], [], true), ([1], [1], true), ([1, 2, 3], [1, 2, 3], true), ([1, 2, 3], [1, 2, 4], false),
      ([0, 2, 3], [1, 2, 3], false), ([1, 2], [1, 2, 3], false), ([], [0], false),
    ] as [([UInt8], [UInt8], Bool)])
  func comparison(one: [UInt8], other: [UInt8], areEqual: Bool) {
    #expect(areEqualInConstantTime(one.span, other.span) == areEqual)
  }
}
