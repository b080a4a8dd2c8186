/// JSON written by hand: for what is too frequent, or too tightly measured, for an encoder.
extension [UInt8] {
  /// Appends a number in decimal digits.
  package mutating func append(decimal value: UInt64) {
    var divisor: UInt64 = 1
    while value / divisor >= 10 { divisor *= 10 }
    while divisor > 0 {
      append(UInt8(ascii: "0") + UInt8(value / divisor % 10))
      divisor /= 10
    }
  }

  /// Appends a text as a JSON string, quoted and escaped (RFC 8259 §7).
  package mutating func append(jsonString text: String) {
    append(UInt8(ascii: "\""))
    for scalar in text.unicodeScalars { append(jsonScalar: scalar) }
    append(UInt8(ascii: "\""))
  }

  /// Appends one scalar as it stands within a JSON string.
  mutating func append(jsonScalar scalar: Unicode.Scalar) {
    switch scalar {
    case "\"", "\\":
      append(UInt8(ascii: "\\"))
      append(UInt8(scalar.value))
    case "\n": append(contentsOf: #"\n"#.utf8)
    case "\r": append(contentsOf: #"\r"#.utf8)
    case "\t": append(contentsOf: #"\t"#.utf8)
    case "\0"..<" ":
      append(contentsOf: #"\u00"#.utf8)
      let digits = Array("0123456789abcdef".utf8)
      append(digits[Int(scalar.value >> 4)])
      append(digits[Int(scalar.value & 15)])
    default:
      append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }
  }
}
