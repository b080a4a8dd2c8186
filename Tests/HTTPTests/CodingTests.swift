import HTTP
import Testing

@Suite("RFC 9110 §12.5.3, §8.4.1.3: gzip is used only if the client prefers it")
struct CodingTests {
  struct Case: Sendable {
    let value: String
    let prefersGzip: Bool
  }

  @Test(
    "the Accept-Encoding field determines if a client prefers gzip",
    arguments: [
      Case(value: "gzip", prefersGzip: true),
      Case(value: "gzip, deflate, br, zstd", prefersGzip: true),
      Case(value: "GZIP", prefersGzip: true),
      Case(value: "x-gzip", prefersGzip: true),
      Case(value: "gzip;q=1.0, identity; q=0.5, *;q=0", prefersGzip: true),
      Case(value: "gzip;q=0.001", prefersGzip: true),
      Case(value: "gzip ; Q=0.5", prefersGzip: true),
      Case(value: "*", prefersGzip: true),
      Case(value: "gzip;q=0.5, identity;q=0.5", prefersGzip: true),
      Case(value: "identity;q=0, gzip;q=0.1", prefersGzip: true),
      Case(value: "", prefersGzip: false),
      Case(value: "identity", prefersGzip: false),
      Case(value: "br", prefersGzip: false),
      Case(value: "gzip;q=0", prefersGzip: false),
      Case(value: "gzip;q=0.000", prefersGzip: false),
      Case(value: "gzip;q=0, *", prefersGzip: false),
      Case(value: "*;q=0", prefersGzip: false),
      Case(value: "gzip;q=0.4, identity;q=0.5", prefersGzip: false),
      Case(value: "gzip;q=2", prefersGzip: false),
      Case(value: "gzip;q=1.001", prefersGzip: false),
      Case(value: "gzip;q=0.1234", prefersGzip: false),
      Case(value: "gzip;q=.5", prefersGzip: false),
      Case(value: "gzip;q=-1", prefersGzip: false),
      Case(value: "gzip;q=", prefersGzip: false),
      Case(value: "gzip;", prefersGzip: false),
      Case(value: "gzip;level=1", prefersGzip: false),
      Case(value: "gzipped", prefersGzip: false),
    ])
  func negotiates(_ one: Case) {
    #expect(AcceptEncoding.prefersGzip(["Accept-Encoding": one.value]) == one.prefersGzip)
  }

  @Test(
    "gzip is not preferred without an Accept-Encoding field; several Accept-Encoding fields are read as one list"
  )
  func fields() {
    #expect(!AcceptEncoding.prefersGzip([:]))
    #expect(AcceptEncoding.prefersGzip(["accept-encoding": "br", "Accept-Encoding": "gzip"]))
  }

  @Test("compressed text has the same bytes as the output of `gzip -9n`")
  func compressesAsTheToolDoes() {
    let text = Array("draw together, draw together".utf8)
    #expect(
      Gzip.compress(text, .best) == [
        0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 3,  // RFC 1952 §2.3
        0x4B, 0x29, 0x4A, 0x2C, 0x57, 0x28, 0xC9, 0x4F, 0x4F, 0x2D, 0xC9, 0x48, 0x2D, 0xD2, 0x51, 0x48, 0x41,
        0xE6,
        0x02, 0x00,
        0x1A, 0x67, 0xF4, 0xB3, 0x1C, 0, 0, 0,  // CRC-32 and length
      ])
  }

  @Test("a long text becomes shorter when it is compressed, and each compression of it gives the same bytes")
  func compresses() throws {
    let text = Array(String(repeating: "export class Strokes extends EventTarget {}\n", count: 100).utf8)
    let compressed = try #require(Gzip.compress(text, .best))
    // RFC 1952 §2.3: magic number, deflate, no flags, no time, slowest compression, Unix.
    #expect(Array(compressed[..<10]) == [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 3])
    #expect(compressed.count < 150)
    // §2.3.1: the file ends with the length, 4,400, in little-endian order.
    #expect(Array(compressed.suffix(4)) == [0x30, 0x11, 0, 0])
    #expect(Gzip.compress(text, .best) == compressed)
    // For this simple text, the usual level changes only the header byte for the compression level.
    #expect(Gzip.compress(text, .usual) == compressed.indices.map { $0 == 8 ? 0 : compressed[$0] })
  }

  @Test("compressing empty input gives the same bytes as the gzip tool")
  func compressesNothing() {
    #expect(Gzip.compress([], .best) == [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0])
  }
}

@Suite("RFC 4648: Base64 is encoded and decoded")
struct Base64Tests {
  struct Vector: Sendable {
    let bytes: [UInt8]
    let text: String
  }

  @Test(
    "RFC 4648 §10: the test vectors, and the last two characters of the Base64 alphabet, are encoded and decoded",
    arguments: [
      Vector(bytes: [], text: ""),
      Vector(bytes: Array("f".utf8), text: "Zg=="),
      Vector(bytes: Array("fo".utf8), text: "Zm8="),
      Vector(bytes: Array("foo".utf8), text: "Zm9v"),
      Vector(bytes: Array("foob".utf8), text: "Zm9vYg=="),
      Vector(bytes: Array("fooba".utf8), text: "Zm9vYmE="),
      Vector(bytes: Array("foobar".utf8), text: "Zm9vYmFy"),
      Vector(bytes: [0xFB, 0xFF, 0xBF], text: "+/+/"),
      Vector(bytes: [0, 0, 0], text: "AAAA"),
    ])
  func vectors(_ vector: Vector) {
    #expect(Base64.encode(vector.bytes) == vector.text)
    #expect(Base64.decode(vector.text) == vector.bytes)
  }

  @Test(
    "RFC 4648 §3: texts that are not Base64 are refused",
    arguments: [
      "Z", "Zg", "Zg=", "Zg===", "Zg====", "====", "=", "Zh==", "Zm9=", "Zm8=Zm8=", "Zm9v\n", " Zm9v",
      "Zm9v ", "Zm9v    ",
      "    ", "Zm 9v===", "Zm9v\r\n\r\n", "-_-_", "Zm9*", "Z===", "Zm9v\u{0}\u{0}\u{0}\u{0}", "Zm\u{E9}v",
      "Zg=a",
    ])
  func refuses(_ text: String) {
    #expect(Base64.decode(text) == nil)
  }

  @Test("Base64 decoding reverses encoding for inputs of 0 to 299 bytes")
  func roundTrip() {
    var bytes: [UInt8] = []
    for length in 0..<300 {
      #expect(Base64.decode(Base64.encode(bytes)) == bytes)
      bytes.append(UInt8(truncatingIfNeeded: length &* 151))
    }
  }
}
