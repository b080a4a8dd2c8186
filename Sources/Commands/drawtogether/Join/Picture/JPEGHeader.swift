/// Parses the size and the orientation of a JPEG.
enum JPEGHeader {
  /// Returns the size of the picture as it is displayed: the Exif orientation may swap width and height. Nil if the bytes do not
  /// contain the frame header.
  static func size(_ bytes: [UInt8]) -> ImageHeader.Size? {
    var position = 2
    var isRotated = false
    while position + 4 <= bytes.count, bytes[position] == 0xFF {
      let marker = bytes[position + 1]
      // Fill bytes, and markers without a length (ITU-T T.81, section B.1.1).
      if marker == 0xFF {
        position += 1
        continue
      }
      if marker == 0x01 || (0xD0...0xD8).contains(marker) {
        position += 2
        continue
      }
      guard marker != 0xD9, marker != 0xDA, let length = bytes.bigEndian(2, at: position + 2), length >= 2
      else {
        return nil
      }
      let segment = position + 4
      if marker == 0xE1, let orientation = orientation(bytes, from: segment, to: position + 2 + length) {
        isRotated = orientation >= 5
      }
      if (0xC0...0xCF).contains(marker), ![0xC4, 0xC8, 0xCC].contains(marker) {
        guard let height = bytes.bigEndian(2, at: segment + 1),
          let width = bytes.bigEndian(2, at: segment + 3),
          width > 0, height > 0
        else { return nil }
        return isRotated ? .init(width: height, height: width) : .init(width: width, height: height)
      }
      position += 2 + length
    }
    return nil
  }

  /// Returns the orientation of the camera, 1 to 8 (Exif 2.3, tag 0x0112); nil if it is not stored. From 5 on, the
  /// picture is rotated by 90°.
  private static func orientation(_ bytes: [UInt8], from start: Int, to end: Int) -> Int? {
    guard end <= bytes.count, bytes.dropFirst(start).starts(with: "Exif\0\0".utf8) else { return nil }
    let tiff = start + 6
    let isBig = bytes.dropFirst(tiff).starts(with: "MM".utf8)
    let number = { (count: Int, index: Int) -> Int? in
      guard index + count <= end else { return nil }
      return isBig ? bytes.bigEndian(count, at: index) : bytes.littleEndian(count, at: index)
    }
    guard let offset = number(4, tiff + 4), offset < end - tiff, let count = number(2, tiff + offset) else {
      return nil
    }
    for entry in 0..<count {
      let place = tiff + offset + 2 + 12 * entry
      guard let tag = number(2, place) else { return nil }
      if tag == 0x0112, let value = number(2, place + 8), (1...8).contains(value) { return value }
    }
    return nil
  }
}
