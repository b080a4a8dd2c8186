/// What a `Range` field asks for (RFC 9110 §14.1.2, §14.2).
enum ByteRange: Equatable, Sendable {
  /// Both ends included.
  case bounded(first: Int, last: Int)
  case from(Int)
  /// That many bytes at the end.
  case suffix(Int)

  /// Reads `bytes=` and one range. Nil when the field is malformed, of another unit or has several ranges: a server
  /// may then ignore it, and the whole is served.
  init?(_ field: String) {
    guard let equals = field.utf8.firstIndex(of: 0x3D), field[..<equals].equalsIgnoringCase("bytes")
    else { return nil }
    let ranges = field[field.utf8.index(after: equals)...].split(separator: ",").map { $0.trimmingBlanks() }
      .filter { !$0.isEmpty }
    guard ranges.count == 1, let dash = ranges[0].utf8.firstIndex(of: 0x2D) else { return nil }
    let text = ranges[0]
    let (before, after) = (text[..<dash].utf8, text[text.utf8.index(after: dash)...].utf8)
    switch (Grammar.decimal(before), Grammar.decimal(after)) {
    case (let first?, let last?) where first <= last: self = .bounded(first: first, last: last)
    case (let first?, nil) where after.isEmpty: self = .from(first)
    case (nil, let length?) where before.isEmpty: self = .suffix(length)
    default: return nil
    }
  }

  /// The bytes that are meant of so many. Nil when there are none of them: 416.
  func resolve(length: Int) -> Range<Int>? {
    switch self {
    case .bounded(let first, let last):
      first < length ? first..<(min(last, length - 1) + 1) : nil
    case .from(let first):
      first < length ? first..<length : nil
    case .suffix(let count):
      count > 0 && length > 0 ? (length - min(count, length))..<length : nil
    }
  }
}
