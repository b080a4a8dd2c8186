/// A color of three bytes.
struct RGB: Hashable, Sendable, CustomStringConvertible {
  /// The colors of the activity, in the order of their numbers on the wire.
  static let palette: [RGB] = [
    RGB(0xE5484D), RGB(0xF2762E), RGB(0xE8B100), RGB(0x30A46C), RGB(0x3FC9A4), RGB(0x12A5A5), RGB(0x2BA9E0),
    RGB(0x4F5FE8), RGB(0x8E4EC6), RGB(0xE54E9E), RGB(0xA1704A),
  ]

  var red: UInt8
  var green: UInt8
  var blue: UInt8

  /// A color by its number, `0xRRGGBB`.
  init(_ number: UInt32) {
    (red, green, blue) = (UInt8(number >> 16 & 0xFF), UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF))
  }

  /// Reads `#` and six hexadecimal digits, as the wire has them; nil for anything else.
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

  /// The number of the color of the palette that is nearest.
  var nearestOfPalette: Int {
    Self.palette.indices.min { distance(to: Self.palette[$0]) < distance(to: Self.palette[$1]) } ?? 0
  }

  /// How bright it looks, from 0 to 1.
  var brightness: Double { (0.299 * Double(red) + 0.587 * Double(green) + 0.114 * Double(blue)) / 255 }

  /// How far its channels are apart, from 0 for gray to 1.
  var chroma: Double { Double(max(red, green, blue) - min(red, green, blue)) / 255 }

  /// The square of how far two colors are apart.
  func distance(to other: RGB) -> Int {
    let differences = [(red, other.red), (green, other.green), (blue, other.blue)].map { Int($0) - Int($1) }
    return differences.reduce(0) { $0 + $1 * $1 }
  }

  /// So much of it, from 0 to 1, over another.
  func mixed(_ part: Double, over other: RGB) -> RGB {
    let channel = { (own: UInt8, under: UInt8) in
      UInt32((part * Double(own) + (1 - part) * Double(under)).rounded())
    }
    return RGB(
      channel(red, other.red) << 16 | channel(green, other.green) << 8 | channel(blue, other.blue))
  }

  private static func hexadecimal(_ digits: Substring) -> UInt32? {
    digits.utf8.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit } ? UInt32(digits, radix: 16) : nil
  }
}

/// A color that may be seen through.
struct SeeThroughColor: Equatable, Sendable {
  var color: RGB
  /// 0 for nothing to 1.
  var alpha: Double
}

extension SeeThroughColor {
  /// Reads a color as CSS writes it: `#rgb`, `#rrggbb` and both with an alpha, `rgb()`, `hsl()`, or a name.
  init?(css text: String) {
    let text = text.lowercased()
    if let named = NamedColor.all[text] {
      self.init(color: named, alpha: 1)
    } else if text.hasPrefix("#") {
      self.init(digits: Array(text.dropFirst()))
    } else if text.hasPrefix("rgb") || text.hasPrefix("hsl") {
      self.init(function: text)
    } else {
      return nil
    }
  }

  private init?(digits: [Character]) {
    let values = digits.compactMap { $0.isASCII ? $0.hexDigitValue : nil }
    guard values.count == digits.count else { return nil }
    let bytes: [Int]
    switch digits.count {
    case 3, 4: bytes = values.map { 17 * $0 }
    case 6, 8: bytes = stride(from: 0, to: values.count, by: 2).map { 16 * values[$0] + values[$0 + 1] }
    default: return nil
    }
    let number = UInt32(bytes[0]) << 16 | UInt32(bytes[1]) << 8 | UInt32(bytes[2])
    self.init(color: RGB(number), alpha: bytes.count == 4 ? Double(bytes[3]) / 255 : 1)
  }

  /// `rgb(1 2 3 / 50%)` as well as `rgba(1, 2, 3, 0.5)`.
  private init?(function text: String) {
    guard let bracket = text.firstIndex(of: "("), text.hasSuffix(")") else { return nil }
    let inner = text[text.index(after: bracket)...].dropLast()
    let words = inner.split { ", /\t\n".contains($0) }
    guard words.count == 3 || words.count == 4 else { return nil }
    let values = words.map(Self.value)
    guard let first = values[0], let second = values[1], let third = values[2] else { return nil }
    let alpha = words.count == 4 ? values[3].map { $0.isPercentage ? $0.number / 100 : $0.number } : 1
    guard let alpha else { return nil }
    let channels: [Double]
    if text.hasPrefix("hsl") {
      channels = Self.channels(
        hue: first.number, saturation: second.number / 100, lightness: third.number / 100)
    } else {
      channels = [first, second, third].map { $0.isPercentage ? $0.number / 100 : $0.number / 255 }
    }
    let bytes = channels.map { UInt32((255 * min(1, max(0, $0))).rounded()) }
    self.init(color: RGB(bytes[0] << 16 | bytes[1] << 8 | bytes[2]), alpha: min(1, max(0, alpha)))
  }

  private static func value(_ word: Substring) -> (number: Double, isPercentage: Bool)? {
    let isPercentage = word.hasSuffix("%")
    let plain = isPercentage ? word.dropLast() : word.hasSuffix("deg") ? word.dropLast(3) : word
    guard let number = Double(plain), number.isFinite else { return nil }
    return (number, isPercentage)
  }

  private static func channels(hue: Double, saturation: Double, lightness: Double) -> [Double] {
    let strength = saturation * min(lightness, 1 - lightness)
    return [0.0, 8, 4].map { offset in
      let k = (offset + hue / 30).truncatingRemainder(dividingBy: 12)
      let turned = k < 0 ? k + 12 : k
      return lightness - strength * max(-1, min(turned - 3, 9 - turned, 1))
    }
  }
}
