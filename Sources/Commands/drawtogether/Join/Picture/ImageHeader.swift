/// The type of a picture, and its size as it is displayed, from its first bytes. The Exif orientation of a JPEG may swap width
/// and height.
struct ImageHeader: Equatable, Sendable {
  /// The media type.
  let type: String
  /// The size in pixels; nil if the header does not contain it.
  let size: Size?

  struct Size: Equatable, Sendable {
    var width: Int
    var height: Int
  }

  /// Parses the beginning of a file; nil unless it is a picture of a type that the gateway serves as a picture.
  init?(_ bytes: [UInt8]) {
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      (type, size) = ("image/png", Self.png(bytes))
    } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
      (type, size) = ("image/jpeg", JPEGHeader.size(bytes))
    } else if bytes.starts(with: "GIF87a".utf8) || bytes.starts(with: "GIF89a".utf8) {
      (type, size) = ("image/gif", Self.gif(bytes))
    } else if bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WEBP".utf8) {
      (type, size) = ("image/webp", Self.webp(bytes))
    } else if bytes.dropFirst(4).starts(with: "ftypavif".utf8)
      || bytes.dropFirst(4).starts(with: "ftypavis".utf8)
    {
      // An AVIF file has its size in nested boxes, which this parser does not read. The page determines the size.
      (type, size) = ("image/avif", nil)
    } else {
      return nil
    }
  }

  /// Returns the size of a PNG picture, from the header in its first chunk (PNG, section 11.2.2).
  private static func png(_ bytes: [UInt8]) -> Size? {
    guard bytes.dropFirst(12).starts(with: "IHDR".utf8) else { return nil }
    return Self.size(bytes.bigEndian(4, at: 16), bytes.bigEndian(4, at: 20))
  }

  /// Returns the size of a GIF picture, from its logical screen descriptor (GIF89a, section 18).
  private static func gif(_ bytes: [UInt8]) -> Size? {
    Self.size(bytes.littleEndian(2, at: 6), bytes.littleEndian(2, at: 8))
  }

  /// Returns the size of a WebP picture. Its first chunk is of one of three kinds (RFC 9649, section 2).
  private static func webp(_ bytes: [UInt8]) -> Size? {
    guard bytes.count >= 16 else { return nil }
    switch String(decoding: bytes[12..<16], as: UTF8.self) {
    case "VP8X":
      return Self.size(
        bytes.littleEndian(3, at: 24).map { $0 + 1 }, bytes.littleEndian(3, at: 27).map { $0 + 1 })
    case "VP8L":
      guard let bits = bytes.littleEndian(4, at: 21), bytes[20] == 0x2F else { return nil }
      return Self.size(bits & 0x3FFF + 1, bits >> 14 & 0x3FFF + 1)
    case "VP8 ":
      // A key frame begins with these three bytes (RFC 6386, section 9.1). The width and the height follow. The two highest bits
      // of each of these numbers are a scale.
      guard bytes.dropFirst(23).starts(with: [0x9D, 0x01, 0x2A]) else { return nil }
      return Self.size(
        bytes.littleEndian(2, at: 26).map { $0 & 0x3FFF }, bytes.littleEndian(2, at: 28).map { $0 & 0x3FFF })
    default: return nil
    }
  }

  private static func size(_ width: Int?, _ height: Int?) -> Size? {
    guard let width, let height, width > 0, height > 0 else { return nil }
    return Size(width: width, height: height)
  }
}

extension [UInt8] {
  /// Returns a big-endian number of `count` bytes; nil beyond the end.
  func bigEndian(_ count: Int, at index: Int) -> Int? {
    guard index >= 0, index + count <= self.count else { return nil }
    return self[index..<(index + count)].reduce(0) { $0 << 8 | Int($1) }
  }

  /// Returns a little-endian number of `count` bytes; nil beyond the end.
  func littleEndian(_ count: Int, at index: Int) -> Int? {
    guard index >= 0, index + count <= self.count else { return nil }
    return self[index..<(index + count)].reversed().reduce(0) { $0 << 8 | Int($1) }
  }
}
