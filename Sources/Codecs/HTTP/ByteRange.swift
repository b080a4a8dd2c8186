/// The range in a `Range` field (RFC 9110 §14.1.2, §14.2).
enum ByteRange: Equatable, Sendable {
  /// The bytes from `first` to `last`, both included.
  case bounded(first: Int, last: Int)
  case from(Int)
  /// The last bytes of the representation; the value is their number.
  case suffix(Int)

  /// Parses `bytes=` and one range. Returns nil if the field is malformed, has another unit or has several ranges. In these
  /// cases a server may ignore the field and send the whole representation.
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

  /// Returns the range within `length` bytes; nil if it is not satisfiable (416).
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
