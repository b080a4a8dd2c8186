package import FoundationEssentials
internal import Primitives

/// JSON without an encoder, for frequent messages and for texts with a limited length.
extension [UInt8] {
  /// Appends a number in decimal digits.
  package mutating func append(decimal value: UInt64) {
    // The 20 digits of 2^64 − 1, filled from the end.
    var digits = InlineArray<20, UInt8>(repeating: UInt8(ascii: "0"))
    var first = digits.count - 1
    var rest = value
    while true {
      digits[first] = UInt8(ascii: "0") + UInt8(rest % 10)
      rest /= 10
      guard rest > 0 else { break }
      first -= 1
    }
    append(digits.span.extracting(first...))
  }

  /// Appends a UUID as a JSON string, in upper case.
  ///
  /// This function replaces `uuidString`, which formats each pair of digits with `snprintf`. These calls took a fifth of the time
  /// of a join.
  package mutating func append(jsonString uuid: UUID) {
    let key = EntryKey(uuid)
    var text = InlineArray<38, UInt8>(repeating: UInt8(ascii: "-"))
    text[0] = UInt8(ascii: "\"")
    text[37] = UInt8(ascii: "\"")
    Self.write(key.high >> 32, digits: 8, at: 1, in: &text)
    Self.write(key.high >> 16, digits: 4, at: 10, in: &text)
    Self.write(key.high, digits: 4, at: 15, in: &text)
    Self.write(key.low >> 48, digits: 4, at: 20, in: &text)
    Self.write(key.low, digits: 12, at: 25, in: &text)
    append(text.span)
  }

  /// Appends a time as a JSON string: ISO 8601 in UTC, in whole seconds.
  mutating func append(jsonString time: Date) {
    // `formatted` takes 20 times as long as the code below it. So it is used only for times before 1970 or after the year 9999.
    let seconds = time.timeIntervalSince1970
    guard seconds >= 0, seconds < 253_402_300_800 else {
      append(jsonString: time.formatted(.iso8601))
      return
    }
    let (days, second) = Int(seconds).quotientAndRemainder(dividingBy: 86_400)
    let date = GregorianCalendar.date(days: days)
    append(UInt8(ascii: "\""))
    append(twoDigits: date.year / 100)
    append(twoDigits: date.year % 100)
    append(UInt8(ascii: "-"))
    append(twoDigits: date.month)
    append(UInt8(ascii: "-"))
    append(twoDigits: date.day)
    append(UInt8(ascii: "T"))
    append(twoDigits: second / 3_600)
    append(UInt8(ascii: ":"))
    append(twoDigits: second / 60 % 60)
    append(UInt8(ascii: ":"))
    append(twoDigits: second % 60)
    append(UInt8(ascii: "Z"))
    append(UInt8(ascii: "\""))
  }

  private mutating func append(twoDigits number: Int) {
    append(UInt8(ascii: "0") + UInt8(number / 10))
    append(UInt8(ascii: "0") + UInt8(number % 10))
  }

  /// Writes the last `digits` hexadecimal digits of a number, in upper case.
  private static func write(
    _ value: UInt64, digits: Int, at position: Int, in text: inout InlineArray<38, UInt8>
  ) {
    var rest = value
    for index in (position..<position + digits).reversed() {
      let digit = UInt8(truncatingIfNeeded: rest) & 15
      text[index] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10
      rest >>= 4
    }
  }

  /// Appends a text as a JSON string, quoted and escaped (RFC 8259 §7).
  package mutating func append(jsonString text: String) {
    let bytes = text.utf8.span
    if bytes.count <= Self.shortTextBytes, !Self.containsEscaped(bytes) {
      // One step for the text and its quotes takes less time than three steps.
      append(addingCapacity: bytes.count + 2) { output in
        output.append(UInt8(ascii: "\""))
        for index in bytes.indices { output.append(bytes[index]) }
        output.append(UInt8(ascii: "\""))
      }
      return
    }
    append(UInt8(ascii: "\""))
    // Each part of the text that needs no escape is copied in one step. Nearly all texts have only one such part.
    var runStart = 0
    var position = 0
    while position < bytes.count {
      if position + 8 <= bytes.count, !Self.containsEscaped(eightBytesOf: bytes, at: position) {
        position += 8
        continue
      }
      if Self.isEscaped(bytes[position]) {
        append(bytes.extracting(runStart..<position))
        append(jsonEscaped: bytes[position])
        runStart = position + 1
      }
      position += 1
    }
    append(bytes.extracting(runStart...))
    append(UInt8(ascii: "\""))
  }

  /// The maximum length of a text whose bytes are appended one by one.
  private static var shortTextBytes: Int { 32 }

  /// Returns true if at least one of the bytes must be escaped.
  private static func containsEscaped(_ bytes: Span<UInt8>) -> Bool {
    var position = 0
    while position + 8 <= bytes.count {
      if containsEscaped(eightBytesOf: bytes, at: position) { return true }
      position += 8
    }
    while position < bytes.count {
      if isEscaped(bytes[position]) { return true }
      position += 1
    }
    return false
  }

  /// Appends one scalar of a JSON string.
  mutating func append(jsonScalar scalar: Unicode.Scalar) {
    if scalar.isASCII, Self.isEscaped(UInt8(scalar.value)) {
      append(jsonEscaped: UInt8(scalar.value))
    } else {
      append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }
  }

  /// Returns true for a quotation mark, a backslash and controls. All of them are ASCII, so no byte of a longer character is
  /// equal to them.
  private static func isEscaped(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  /// Returns true if at least one of the eight bytes that begin at `position` must be escaped.
  private static func containsEscaped(eightBytesOf bytes: Span<UInt8>, at position: Int) -> Bool {
    // SAFETY: any eight bytes are a valid `UInt64`, and `unsafeLoadUnaligned` checks the bounds.
    let word = unsafe bytes.bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self)
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quotation = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
    let backslash = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
    // A byte of `quotation` or `backslash` is zero where `word` contains that character. So the high bit of a byte is set in the
    // first term if `word` contains a byte below 0x20, in the second term if it contains a quotation mark, and in the third term
    // if it contains a backslash.
    let found =
      (word &- ones &* 0x20) & ~word | (quotation &- ones) & ~quotation | (backslash &- ones) & ~backslash
    return found & (ones &* 0x80) != 0
  }

  private mutating func append(jsonEscaped byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"):
      append(UInt8(ascii: "\\"))
      append(byte)
    case UInt8(ascii: "\n"): append(contentsOf: #"\n"#.utf8)
    case UInt8(ascii: "\r"): append(contentsOf: #"\r"#.utf8)
    case UInt8(ascii: "\t"): append(contentsOf: #"\t"#.utf8)
    default:
      append(contentsOf: #"\u00"#.utf8)
      let digits = Array("0123456789abcdef".utf8)
      append(digits[Int(byte >> 4)])
      append(digits[Int(byte & 15)])
    }
  }
}
