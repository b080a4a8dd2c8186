import Testing

@testable import drawtogether

/// Pictures are recognized by their first bytes. Their sizes are those after the rotation that Exif data requests.
@Suite("Image types and sizes in the headers of files")
struct ImageHeaderTests {
  private static let png: [UInt8] =
    [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8) + [
      0, 0, 1, 2, 0, 0, 0, 3, 8,
    ]
  private static let frame: [UInt8] = [0xFF, 0xC2, 0, 17, 8, 0, 200, 1, 0x2C]

  private static func exif(_ orientation: UInt8, isBig: Bool) -> [UInt8] {
    let tiff: [UInt8] =
      isBig
      ? Array("MM".utf8) + [0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0]
      : Array("II".utf8) + [42, 0, 8, 0, 0, 0, 1, 0, 0x12, 0x01, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0]
    let body = Array("Exif\0\0".utf8) + tiff
    return [0xFF, 0xE1, 0, UInt8(body.count + 2)] + body
  }

  private static func webp(_ kind: String, _ rest: [UInt8]) -> [UInt8] {
    Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WEBP\(kind)".utf8) + [0, 0, 0, 0] + rest
  }

  @Test(
    "The type of a picture, and its size after the rotation by Exif, are parsed from its header",
    arguments: [
      (png, "image/png", 258, 3),
      (Array("GIF89a".utf8) + [0x2C, 0x01, 0xC8, 0x00], "image/gif", 300, 200),
      ([0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 0, 0] + frame, "image/jpeg", 300, 200),
      ([0xFF, 0xD8] + exif(6, isBig: true) + frame, "image/jpeg", 200, 300),
      ([0xFF, 0xD8] + exif(8, isBig: false) + [0xFF] + frame, "image/jpeg", 200, 300),
      ([0xFF, 0xD8] + exif(3, isBig: false) + frame, "image/jpeg", 300, 200),
      (webp("VP8X", [0, 0, 0, 0, 0x2B, 0x01, 0, 0xC7, 0, 0]), "image/webp", 300, 200),
      (webp("VP8L", [0x2F, 0x2B, 0xC1, 0x31, 0x00]), "image/webp", 300, 200),
      (webp("VP8 ", [0, 0, 0, 0x9D, 0x01, 0x2A, 0x2C, 0x41, 0xC8, 0x00]), "image/webp", 300, 200),
    ] as [([UInt8], String, Int, Int)])
  func sizes(_ bytes: [UInt8], _ type: String, _ width: Int, _ height: Int) {
    #expect(ImageHeader(bytes)?.type == type)
    #expect(ImageHeader(bytes)?.size == ImageHeader.Size(width: width, height: height))
    // No truncated header causes a trap.
    for count in 0..<bytes.count { _ = ImageHeader(Array(bytes[..<count])) }
  }

  @Test("A file that is not a picture is not recognized, and an incomplete header gives no size")
  func others() {
    #expect(ImageHeader(Array("%PDF-1.7".utf8)) == nil)
    #expect(ImageHeader([]) == nil)
    #expect(ImageHeader([0xFF, 0xD8, 0xFF, 0xDA, 0, 2])?.size == nil)
    #expect(ImageHeader([0, 0, 0, 20] + Array("ftypavif".utf8))?.type == "image/avif")
  }
}
