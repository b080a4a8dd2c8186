/// Finds a JPEG's size among its segments, and whether a camera held it upright.
enum JPEGHead {
  /// The size of the upright picture; nil when the frame's header is not among the bytes.
  static func size(_ bytes: [UInt8]) -> ImageHead.Size? {
    var position = 2
    var isTurned = false
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
        isTurned = orientation >= 5
      }
      if (0xC0...0xCF).contains(marker), ![0xC4, 0xC8, 0xCC].contains(marker) {
        guard let height = bytes.bigEndian(2, at: segment + 1),
          let width = bytes.bigEndian(2, at: segment + 3),
          width > 0, height > 0
        else { return nil }
        return isTurned ? .init(width: height, height: width) : .init(width: width, height: height)
      }
      position += 2 + length
    }
    return nil
  }

  /// How the camera was held: 1 to 8, from 5 on by a quarter turn (Exif 2.3, tag 0x0112); nil when it does not say.
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
