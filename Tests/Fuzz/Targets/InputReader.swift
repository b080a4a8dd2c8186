/// Reads an input, whose bytes are used as decisions. After the end of the input, every byte is zero.
struct InputReader {
  private(set) var rest: ArraySlice<UInt8>

  init(_ input: [UInt8]) {
    rest = input[...]
  }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func byte() -> UInt8 {
    rest.popFirst() ?? 0
  }

  /// Returns a number below `count`, which is at most 256.
  mutating func below(_ count: Int) -> Int {
    Int(byte()) % count
  }

  /// Returns the next `count` bytes, or the remaining ones if there are fewer.
  mutating func take(_ count: Int) -> [UInt8] {
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  mutating func takeRest() -> [UInt8] {
    take(rest.count)
  }

  /// Returns the lines of the remaining bytes, as UTF-8 if requested and valid, else as Latin-1.
  mutating func takeLines(isUTF8: Bool) -> [String] {
    takeRest().split(separator: 0x0A).map { line in
      if isUTF8, let text = String(validating: line, as: UTF8.self) { return text }
      return String(String.UnicodeScalarView(line.map { Unicode.Scalar($0) }))
    }
  }
}

/// Splits bytes into parts, as a network might. One byte of the fuzz input determines the parts, so the same input always gives
/// the same parts.
struct Cuts: Sequence, IteratorProtocol {
  private static let largest = [1, 2, 3, 5, 16, 64, 512, 4_096]

  private let count: Int
  private let limit: UInt32
  private var state: UInt32
  private var position = 0

  init(_ plan: UInt8, of count: Int) {
    self.count = count
    limit = UInt32(Self.largest[Int(plan & 7)])
    state = UInt32(plan >> 3) | 0x100
  }

  mutating func next() -> Range<Int>? {
    guard position < count else { return nil }
    state ^= state << 13
    state ^= state >> 17
    state ^= state << 5
    let end = Swift.min(count, position + Int(1 + state % limit))
    defer { position = end }
    return position..<end
  }
}
