/// A color in sRGB. In JSON, it is `#` and six hexadecimal digits.
package struct RGBColor: Hashable, Sendable, BitwiseCopyable {
  /// The two hexadecimal digits of each channel value.
  private static let digits: [String] = (0...255).map { channel in
    (channel < 16 ? "0" : "") + String(channel, radix: 16)
  }

  /// The red, green and blue channels, from 0 to 255.
  package let red, green, blue: UInt8

  /// Parses `#` and six hexadecimal digits. Returns nil for any other text.
  package init?(_ text: String) {
    let bytes = text.utf8
    guard bytes.count == 7, bytes.first == UInt8(ascii: "#") else { return nil }
    var value: UInt32 = 0
    for byte in bytes.dropFirst() {
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
      default: return nil
      }
      value = value << 4 | UInt32(digit)
    }
    red = UInt8(truncatingIfNeeded: value >> 16)
    green = UInt8(truncatingIfNeeded: value >> 8)
    blue = UInt8(truncatingIfNeeded: value)
  }

  /// The color as text, with lowercase digits.
  package var text: String {
    // Strings this short are concatenated without an allocation.
    "#" + Self.digits[Int(red)] + Self.digits[Int(green)] + Self.digits[Int(blue)]
  }
}

/// A color in OKLab, a color space in which the distance between two colors corresponds to the difference that people see (Björn
/// Ottosson, 2020).
package struct OKLab: Sendable, BitwiseCopyable {
  private let lightness, a, b: Float

  /// Converts a color of sRGB.
  package init(_ color: RGBColor) {
    let red = Self.linear[Int(color.red)]
    let green = Self.linear[Int(color.green)]
    let blue = Self.linear[Int(color.blue)]
    let long = root(3, of: 0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
    let middle = root(3, of: 0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
    let short = root(3, of: 0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
    lightness = 0.2104542553 * long + 0.7936177850 * middle - 0.0040720468 * short
    a = 1.9779984951 * long - 2.4285922050 * middle + 0.4505937099 * short
    b = 0.0259040371 * long + 0.7827717662 * middle - 0.8086757660 * short
  }

  /// Returns the distance to another color. The distance between black and white is 1.
  package func distance(to other: OKLab) -> Float {
    let differences = SIMD3(lightness - other.lightness, a - other.a, b - other.b)
    return (differences * differences).sum().squareRoot()
  }

  /// The intensity of light for each value of a channel, from 0 to 1 (the transfer function of sRGB).
  private static let linear: [Float] = (0...255).map { channel in
    let value = Float(channel) / 255
    guard value > 0.04045 else { return value / 12.92 }
    let base = (value + 0.055) / 1.055
    // x^2.4 is computed as x^2 · x^(2/5).
    return base * base * root(5, of: base * base)
  }
}

/// Returns a root of a number from 0 to 1 by Newton's method, because the standard library has only square roots.
private func root(_ degree: Int, of number: Float) -> Float {
  guard number > 0 else { return 0 }
  var root: Float = 1
  // The values decrease toward the root, until rounding stops the decrease. For the darkest colors, this takes about 15 steps.
  for _ in 0..<64 {
    var power: Float = 1
    for _ in 1..<degree { power *= root }
    let next = root - (root - number / power) / Float(degree)
    guard next < root else { break }
    root = next
  }
  return root
}
