import HTTP
import Testing
import TestSupport

@Suite("RFC 9530: the SHA-256 in a Repr-Digest field is parsed")
struct ReprDigestTests {
  /// The SHA-256 of `{"hello": "world"}` and a line feed (RFC 9530 appendix D).
  private static let example = ":RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:"
  private static let exampleBytes: [UInt8] = [
    0x44, 0xAF, 0xF4, 0xAB, 0x2D, 0x7C, 0x32, 0x50, 0x52, 0x56, 0x75, 0xA0, 0x8F, 0x0C, 0xFA, 0x95,
    0x91, 0x16, 0x8C, 0xFF, 0xE5, 0x17, 0x91, 0xC5, 0xF5, 0xBB, 0xC4, 0x17, 0xC1, 0x5A, 0x6C, 0x38,
  ]
  private static let zeros = ":AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=:"

  struct Case: Sendable, CustomTestStringConvertible {
    let rule: String
    let fields: FieldList
    var digest: [UInt8]?

    var testDescription: String { "\(rule): \(fields.map { "\($0.name): \($0.value)" })" }
  }

  static let accepted = [
    Case(rule: "no digest field", fields: ["Content-Type": "text/plain"]),
    Case(rule: "§3 Repr-Digest", fields: ["Repr-Digest": "sha-256=\(example)"], digest: exampleBytes),
    Case(rule: "§2 Content-Digest", fields: ["Content-Digest": "sha-256=\(example)"], digest: exampleBytes),
    Case(
      rule: "§2 and §3 both fields with the same digest",
      fields: ["Content-Digest": "sha-256=\(example)", "Repr-Digest": "sha-256=\(example)"],
      digest: exampleBytes),
    Case(
      rule: "§5 other algorithms",
      fields: ["Repr-Digest": "md5=:AAAA:, sha-256=\(example) ,\tsha-512=:AAAA:"],
      digest: exampleBytes),
    Case(rule: "§5 only other algorithms", fields: ["Repr-Digest": "sha-512=:AAAA:"]),
    Case(
      rule: "RFC 9651 §3.2 two fields of the same name",
      fields: ["Repr-Digest": "md5=:AAAA:", "Repr-Digest": "sha-256=\(example)"],
      digest: exampleBytes),
    Case(
      rule: "RFC 9651 §3.2 the last value of a repeated key is used",
      fields: ["Repr-Digest": "sha-256=\(zeros), sha-256=\(example)"],
      digest: exampleBytes),
    Case(
      rule: "RFC 9651 §4.2 blanks around the dictionary", fields: ["Repr-Digest": " sha-256=\(example) "],
      digest: exampleBytes),
    Case(
      rule: "RFC 9651 §4.2.7 no padding",
      fields: ["Repr-Digest": "sha-256=\(example.replacing("=", with: ""))"],
      digest: exampleBytes),
    Case(
      rule: "RFC 9651 §3.1.2 parameters",
      fields: ["Repr-Digest": "sha-256=\(example); a;b=?1; c=\"x\\\"y, z\";d=-1.5;e=*t/:k;f=:AAAA:"],
      digest: exampleBytes),
    Case(rule: "RFC 9651 §4.2 an empty field", fields: ["Repr-Digest": ""]),
  ]

  @Test(
    "the SHA-256 in valid Repr-Digest fields is returned; without a SHA-256, the result is nil",
    arguments: accepted)
  func takes(_ one: Case) throws {
    #expect(try ReprDigest.sha256(in: one.fields) == one.digest)
  }

  @Test(
    "RFC 9651 §4.2: fields that are not dictionaries of byte sequences are refused",
    arguments: [
      "sha-256", "sha-256=", "sha-256=:", "sha-256=::x", "sha-256=:AAAA", "sha-256=AAAA", "sha-256=\"AAAA\"",
      "sha-256=:A A=:", "sha-256=:AAAA=:", "sha-256=:A:", "sha-256=:AA-_:", "SHA-256=:AAAA:", "=:AAAA:",
      "sha-256 =:AAAA:", "sha-256= :AAAA:", "sha-256=:AAAA:,", ",sha-256=:AAAA:",
      "sha-256=:AAAA:,,md5=:AAAA:",
      "sha-256=:AAAA: md5=:AAAA:", "md5=1, sha-256=\(example)", "md5=(:AAAA:)", "sha-256=\(example);A",
      "sha-256=\(example);a=", "sha-256=\(example);a=?2", "sha-256=\(example);a=\"",
      "sha-256=\(example);a=\"\\x\"",
      "sha-256=\(example);a=\"\u{7F}\"", "sha-256=\(example);a=,", "sha-256=:\u{E9}:", "sha-256=:AAAA:\u{0}",
    ])
  func refuses(_ value: String) {
    #expect(throws: UploadFieldError.malformedDigest(.reprDigest)) {
      try ReprDigest.sha256(in: ["Repr-Digest": value])
    }
    #expect(throws: UploadFieldError.malformedDigest(.contentDigest)) {
      try ReprDigest.sha256(in: ["Repr-Digest": "sha-256=\(Self.example)", "Content-Digest": value])
    }
  }

  @Test("a digest of the wrong length is refused, and so are two different digests")
  func contradictions() {
    for (text, length) in [("::", 0), (":AAAA:", 3), (Self.zeros.replacing("A=", with: "AA"), 33)] {
      #expect(throws: UploadFieldError.digestLength(.reprDigest, actual: length)) {
        try ReprDigest.sha256(in: ["Repr-Digest": "sha-256=\(text)"])
      }
    }
    #expect(throws: UploadFieldError.contradictoryDigests) {
      try ReprDigest.sha256(in: [
        "Repr-Digest": "sha-256=\(Self.example)", "Content-Digest": "sha-256=\(Self.zeros)",
      ])
    }
  }

  private static let parts = [
    "sha-256", "=", ":", example, ",", ", ", ";", "a", "\"", "\\", "?1", "AAAA", "-1.", "*", " ", "\u{E9}",
  ]

  @Test(
    "parsing a random field returns a digest of 32 bytes, no digest, or an error, but never traps",
    arguments: UInt64(1)...40)
  func mutations(seed: UInt64) {
    var numbers = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      let count = Int.random(in: 0...6, using: &numbers)
      let text = (0..<count).map { _ in Self.parts.randomElement(using: &numbers) ?? "" }.joined()
      let value = Bool.random(using: &numbers) ? "sha-256=\(Self.example)" + text : text
      do throws(UploadFieldError) {
        let digest = try ReprDigest.sha256(in: ["Repr-Digest": value])
        #expect(digest == nil || digest?.count == 32, "\(value.debugDescription)")
      } catch {
        #expect(error.description.contains("Repr-Digest"))
      }
    }
  }
}
