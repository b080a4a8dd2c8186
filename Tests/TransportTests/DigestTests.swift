import Testing
import Transport

@Suite("Digests and random bytes")
struct DigestTests {
  @Test(
    "FIPS 180-4's examples of SHA-256",
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
    var hash = SHA256()
    for byte in bytes {
      let piece = [byte]
      hash.update(piece.span)
    }
    #expect(hash.finish() == SHA256Digest(of: bytes.span))
  }

  @Test("Random bytes are as many as asked for, and differ")
  func random() {
    #expect(SecureRandom.bytes(0).isEmpty)
    #expect(SecureRandom.bytes(16).count == 16)
    #expect(SecureRandom.bytes(16) != SecureRandom.bytes(16))
  }

  @Test(
    "Comparison looks at every byte and the length",
    arguments: [
      ([], [], true), ([1], [1], true), ([1, 2, 3], [1, 2, 3], true), ([1, 2, 3], [1, 2, 4], false),
      ([0, 2, 3], [1, 2, 3], false), ([1, 2], [1, 2, 3], false), ([], [0], false),
    ] as [([UInt8], [UInt8], Bool)])
  func comparison(one: [UInt8], other: [UInt8], areEqual: Bool) {
    #expect(areEqualInConstantTime(one.span, other.span) == areEqual)
  }
}
