internal import Wire

/// A color with three 8-bit channels.
struct RGB: Hashable, Sendable, CustomStringConvertible {
  /// The palette of the activity, in the order of the numbers on the wire.
  static let palette: [RGB] = Palette.colors.compactMap { RGB($0) }

  var red: UInt8
  var green: UInt8
  var blue: UInt8

  /// Creates a color from its number, `0xRRGGBB`.
  init(_ number: UInt32) {
    (red, green, blue) = (UInt8(number >> 16 & 0xFF), UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF))
  }

  /// Parses `#` and six hexadecimal digits, the format of the wire; nil for anything else.
  init?(_ text: String) {
    guard text.utf8.count == 7, text.hasPrefix("#"), let number = Self.hexadecimal(text.dropFirst()) else {
      return nil
    }
    self.init(number)
  }

  /// `#` and six hexadecimal digits.
  var description: String {
    let number = UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue)
    let digits = String(number, radix: 16)
    return "#" + String(repeating: "0", count: 6 - digits.count) + digits
  }

  /// The number of the nearest palette color.
  var nearestOfPalette: Int {
    Self.palette.indices.min { distance(to: Self.palette[$0]) < distance(to: Self.palette[$1]) } ?? 0
  }

  /// The perceived brightness, from 0 to 1.
  var brightness: Double { (0.299 * Double(red) + 0.587 * Double(green) + 0.114 * Double(blue)) / 255 }

  /// The difference between the highest and the lowest channel, from 0 (gray) to 1.
  var chroma: Double { Double(max(red, green, blue) - min(red, green, blue)) / 255 }

  /// Returns the squared distance of two colors.
  func distance(to other: RGB) -> Int {
    let differences = [(red, other.red), (green, other.green), (blue, other.blue)].map { Int($0) - Int($1) }
    return differences.reduce(0) { $0 + $1 * $1 }
  }

  /// Returns this color with an opacity from 0 to 1 over another color.
  func blended(_ opacity: Double, over other: RGB) -> RGB {
    let channel = { (own: UInt8, under: UInt8) in
      UInt32((opacity * Double(own) + (1 - opacity) * Double(under)).rounded())
    }
    return RGB(
      channel(red, other.red) << 16 | channel(green, other.green) << 8 | channel(blue, other.blue))
  }

  private static func hexadecimal(_ digits: Substring) -> UInt32? {
    digits.utf8.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit } ? UInt32(digits, radix: 16) : nil
  }
}
