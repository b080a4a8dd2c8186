/// Walks through what SVG writes numbers in: path data, lists of points, transforms.
struct NumberScanner {
  private let bytes: [UInt8]
  private(set) var position = 0

  init(_ text: String) {
    bytes = Array(text.utf8)
  }

  var isAtEnd: Bool { position == bytes.count }

  /// The byte that is next; nil at the end.
  var next: UInt8? { isAtEnd ? nil : bytes[position] }

  /// A little of what is next, for people.
  var nextShown: String {
    isAtEnd ? "the end" : "\"\(String(decoding: bytes[position...].prefix(12), as: UTF8.self))\""
  }

  /// Passes over white space.
  mutating func skipSpace() {
    while let byte = next, [0x20, 0x09, 0x0A, 0x0D, 0x0C].contains(byte) { position += 1 }
  }

  /// Passes over white space, a comma, and white space.
  mutating func skipSeparators() {
    skipSpace()
    if next == UInt8(ascii: ",") {
      position += 1
      skipSpace()
    }
  }

  /// Passes over one character behind white space; false if it is another.
  mutating func skip(_ byte: UInt8) -> Bool {
    skipSpace()
    guard next == byte else { return false }
    position += 1
    return true
  }

  /// Passes over one character.
  mutating func skipByte() { position += 1 }

  /// Letters; nil for none.
  mutating func word() -> String? {
    let start = position
    while let byte = next, byte | 0x20 >= UInt8(ascii: "a"), byte | 0x20 <= UInt8(ascii: "z") {
      position += 1
    }
    return start == position ? nil : String(decoding: bytes[start..<position], as: UTF8.self)
  }

  /// A number, which ends where no more of one follows: `1.5.5-2` are three. Nil, and nothing consumed, for none, and for
  /// what no `Double` holds.
  mutating func number() -> Double? {
    skipSpace()
    var end = position
    if end < bytes.count, [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(bytes[end]) { end += 1 }
    let whole = digits(from: end)
    var fraction = 0..<0
    end = whole.upperBound
    if end < bytes.count, bytes[end] == UInt8(ascii: ".") {
      fraction = digits(from: end + 1)
      end = fraction.upperBound
    }
    guard !whole.isEmpty || !fraction.isEmpty else { return nil }
    if end < bytes.count, bytes[end] | 0x20 == UInt8(ascii: "e") {
      var exponent = end + 1
      if exponent < bytes.count, [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(bytes[exponent]) {
        exponent += 1
      }
      let range = digits(from: exponent)
      // `1em` is a one with a unit.
      if !range.isEmpty { end = range.upperBound }
    }
    // Of more digits than this none makes a difference.
    guard end - position <= 400 else { return nil }
    var text = String(decoding: bytes[position..<end], as: UTF8.self)
    if text.hasSuffix(".") { text += "0" }
    guard let value = Double(text), value.isFinite else { return nil }
    position = end
    return value
  }

  /// A flag of an arc, which may stand right before what follows: `0` or `1`.
  mutating func flag() -> Bool? {
    skipSpace()
    guard let byte = next, byte == UInt8(ascii: "0") || byte == UInt8(ascii: "1") else { return nil }
    position += 1
    return byte == UInt8(ascii: "1")
  }

  /// What is left.
  var rest: String { String(decoding: bytes[position...], as: UTF8.self) }

  private func digits(from start: Int) -> Range<Int> {
    var end = start
    while end < bytes.count, bytes[end] >= UInt8(ascii: "0"), bytes[end] <= UInt8(ascii: "9") { end += 1 }
    return start..<end
  }
}
