import HTTP
import Testing
import TestSupport

@Suite("The fields of resumable uploads, tus 1.0.0")
struct UploadFieldTests {
  @Test(
    "Upload-Offset and Upload-Length: decimal digits are parsed",
    arguments: [("0", 0), ("7", 7), ("007", 7), ("104857600", 104_857_600), ("9007199254740992", 1 << 53)]
      as [(
        String, UInt64
      )])
  func numbers(field: String, number: UInt64) throws {
    #expect(try UploadNumber.parse(field) == number)
  }

  @Test(
    "Upload-Offset and Upload-Length: texts that are not decimal digits are refused",
    arguments: ["", " ", "-1", "+1", "1 ", "1,1", "0x10", "1.0", "1e3", "a", "\u{0661}", "1\u{0}"])
  func noNumbers(field: String) {
    #expect(throws: UploadFieldError.malformedNumber) { try UploadNumber.parse(field) }
  }

  @Test(
    "Numbers above 2^53 are refused as too large",
    arguments: ["9007199254740993", "9223372036854775807", "9223372036854775808", "99999999999999999999999"])
  func tooLarge(field: String) {
    #expect(throws: UploadFieldError.numberTooLarge(limit: 1 << 53)) { try UploadNumber.parse(field) }
  }

  struct Metadata: Sendable, CustomTestStringConvertible {
    let rule: String
    let field: String
    let values: [String: [UInt8]]

    var testDescription: String { "\(rule): \(field)" }
  }

  @Test(
    "Upload-Metadata: a valid field is parsed into its keys and values",
    arguments: [
      Metadata(
        rule: "the example in tus", field: "filename d29ybGRfZG9taW5hdGlvbl9wbGFuLnBkZg==,is_confidential",
        values: ["filename": Array("world_domination_plan.pdf".utf8), "is_confidential": []]),
      Metadata(rule: "one key and value", field: "a YQ==", values: ["a": [0x61]]),
      Metadata(rule: "an empty value", field: "a ,b", values: ["a": [], "b": []]),
      Metadata(
        rule: "blanks around the elements", field: " a YQ== ,\tb Yg== ", values: ["a": [0x61], "b": [0x62]]),
      Metadata(rule: "keys are case-sensitive", field: "a YQ==,A YQ==", values: ["a": [0x61], "A": [0x61]]),
      Metadata(
        rule: "a key of any visible ASCII characters", field: "a/b;=\" YQ==", values: ["a/b;=\"": [0x61]]),
      Metadata(rule: "a value of any bytes", field: "a AP8=", values: ["a": [0x00, 0xFF]]),
      Metadata(rule: "an empty field, as some clients send it", field: "", values: [:]),
    ])
  func metadata(_ metadata: Metadata) throws {
    #expect(try UploadMetadata.parse(metadata.field) == metadata.values)
  }

  @Test(
    "Upload-Metadata: an invalid field is refused with the reason",
    arguments: [
      (",", .malformedMetadata), ("a YQ==,", .malformedMetadata), (",a YQ==", .malformedMetadata),
      ("a YQ==,,b", .malformedMetadata), ("\u{E9} YQ==", .malformedMetadata), ("a\tYQ==", .malformedMetadata),
      ("a YQ==,a", .repeatedKey("a")), ("a,b,a YQ==", .repeatedKey("a")),
      ("a YQ", .valueNotBase64(key: "a")), ("a YQ==YQ==", .valueNotBase64(key: "a")),
      ("a  YQ==", .valueNotBase64(key: "a")), ("a YQ== b", .valueNotBase64(key: "a")),
      ("a YR==", .valueNotBase64(key: "a")), ("b,a _-==", .valueNotBase64(key: "a")),
      ("a Y\u{E9}==", .valueNotBase64(key: "a")), ("a YQ==\r\nb", .valueNotBase64(key: "a")),
    ] as [(String, UploadFieldError)])
  func noMetadata(field: String, error: UploadFieldError) {
    #expect(throws: error) { try UploadMetadata.parse(field) }
  }

  @Test("Upload-Checksum: a valid field is parsed into its algorithm and digest")
  func checksum() throws {
    let sha1 = try UploadChecksum.parse("sha1 qZk+NkcGgWq6PiVxeFDCbJzQ2J0=")
    #expect(sha1.algorithm == .sha1)
    #expect(
      sha1.digest == [
        0xA9, 0x99, 0x3E, 0x36, 0x47, 0x06, 0x81, 0x6A, 0xBA, 0x3E, 0x25, 0x71, 0x78, 0x50, 0xC2, 0x6C, 0x9C,
        0xD0, 0xD8, 0x9D,
      ])
    let sha256 = try UploadChecksum.parse("sha256 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
    #expect(sha256.algorithm == .sha256)
    #expect(sha256.digest == [UInt8](repeating: 0, count: 32))
  }

  @Test(
    "Upload-Checksum: an invalid field is refused with the reason",
    arguments: [
      ("", .malformedChecksum), ("sha1", .malformedChecksum), (" AAAA", .malformedChecksum),
      ("sha1  AAAA", .malformedChecksum), ("sha1 AAAA ", .malformedChecksum),
      ("sha1 AAA", .malformedChecksum),
      ("sha1,md5 AAAA", .malformedChecksum), ("sha1 AAAA AAAA", .malformedChecksum),
      ("sha1 _-AA", .malformedChecksum), ("\u{E9} AAAA", .malformedChecksum),
      ("md5 AAAA", .unknownAlgorithm("md5")), ("crc32 !", .unknownAlgorithm("crc32")),
      ("SHA1 AAAA", .unknownAlgorithm("SHA1")), ("sha-256 AAAA", .unknownAlgorithm("sha-256")),
      ("sha1 ", .checksumLength(.sha1, actual: 0)), ("sha1 AAAA", .checksumLength(.sha1, actual: 3)),
      ("sha256 qZk+NkcGgWq6PiVxeFDCbJzQ2J0=", .checksumLength(.sha256, actual: 20)),
    ] as [(String, UploadFieldError)])
  func noChecksum(field: String, error: UploadFieldError) {
    #expect(throws: error) { try UploadChecksum.parse(field) }
  }

  @Test("The description of a field's error names the defect, and truncates the text that the peer sent")
  func words() {
    let name = String(repeating: "x", count: 1_000)
    let cut = String(repeating: "x", count: 40) + "…"
    #expect(
      UploadFieldError.unknownAlgorithm(name).description
        == "Upload-Checksum names \(cut); the supported algorithms are sha1 and sha256.")
    #expect(
      UploadFieldError.checksumLength(.sha1, actual: 3).description
        == "The sha1 in Upload-Checksum has 3 bytes instead of 20.")
  }

  private static let parts = [
    "a", "filename", " ", ",", "YQ==", "=", "\t", "\u{E9}", "sha1", "0", "9", "\r\n",
  ]

  @Test("random fields are parsed or refused, without a trap", arguments: UInt64(1)...40)
  func mutations(seed: UInt64) {
    var numbers = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      let count = Int.random(in: 0...8, using: &numbers)
      let text = (0..<count).map { _ in Self.parts.randomElement(using: &numbers) ?? "" }.joined()
      do throws(UploadFieldError) {
        let values = try UploadMetadata.parse(text)
        #expect(values.count <= text.count { $0 == "," } + 1, "\(text.debugDescription)")
        let isWord = values.keys.allSatisfy {
          $0.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x2C }
        }
        #expect(isWord, "\(text.debugDescription)")
      } catch {
        #expect(error.description.contains("Upload-Metadata"))
      }
      #expect(throws: UploadFieldError.self) { try UploadChecksum.parse(text) }
      let isNumber = !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
      let number = try? UploadNumber.parse(text)  // nil for text that is not a number
      #expect((number != nil) == isNumber, "\(text.debugDescription)")
    }
  }
}
