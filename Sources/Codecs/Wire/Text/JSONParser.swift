/// A parser of JSON (RFC 8259) from untrusted peers, with bounded time and depth.
///
/// `JSONDecoder` determines the kind of a value by trial: it took 112 ms for 64 KiB of `{}` in an activity's payload,
/// on the thread that serves all clients. This parser takes 2 ms. `JSONDecoder` also guesses UTF-16 from zero bytes.
package struct JSONParser {
  /// The maximum number of combining characters in a row in a text. To compare or hash a text, Swift sorts these characters, in a
  /// time that grows with the square of their number: a name of 64 KiB took 1 s.
  package static let maximumCombining = 64

  var position = 0
  /// The maximum number of combining characters in a row for this parser.
  private let combiningLimit: Int

  init(combiningLimit: Int = Self.maximumCombining) {
    self.combiningLimit = combiningLimit
  }

  /// Parses a message that consists of one value.
  ///
  /// - Parameters:
  ///   - bytes: the whole message.
  ///   - depth: the nesting depth of the value itself; 1 if no other value will surround it.
  ///   - combiningLimit: the maximum number of combining characters in a row in a text; higher for text from the disk than for
  ///     text from a peer.
  /// - Returns: the value.
  /// - Throws: `notJSON` for text that is not JSON in UTF-8, for numbers outside the range of `Double`, for values
  ///   nested more than `JSONValue.maximumDepth` deep, and for texts with too many combining characters in a row.
  package static func parse(
    _ bytes: Span<UInt8>, depth: Int = 1, combiningLimit: Int = Self.maximumCombining
  ) throws(WireError) -> JSONValue {
    guard bytes.isUTF8 else { throw .notJSON }
    var parser = JSONParser(combiningLimit: combiningLimit)
    let value = try parser.value(bytes, depth: depth)
    guard parser.next(bytes) == nil else { throw .notJSON }
    return value
  }

  /// Skips white space and returns the next byte without consuming it.
  mutating func next(_ bytes: Span<UInt8>) -> UInt8? {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x09, 0x0A, 0x0D: position += 1
      case let byte: return byte
      }
    }
    return nil
  }

  mutating func value(_ bytes: Span<UInt8>, depth: Int) throws(WireError) -> JSONValue {
    switch next(bytes) {
    case UInt8(ascii: "{"): return try object(bytes, depth: depth)
    case UInt8(ascii: "["): return try array(bytes, depth: depth)
    case UInt8(ascii: "\""): return .string(try string(bytes))
    case UInt8(ascii: "t"): return try word("true", .bool(true), bytes)
    case UInt8(ascii: "f"): return try word("false", .bool(false), bytes)
    case UInt8(ascii: "n"): return try word("null", .null, bytes)
    default: return try number(bytes)
    }
  }

  private mutating func object(_ bytes: Span<UInt8>, depth: Int) throws(WireError) -> JSONValue {
    guard depth <= JSONValue.maximumDepth else { throw .notJSON }
    position += 1
    var members: [String: JSONValue] = [:]
    if next(bytes) == UInt8(ascii: "}") {
      position += 1
      return .object(members)
    }
    while true {
      guard next(bytes) == UInt8(ascii: "\"") else { throw .notJSON }
      let name = try string(bytes)
      guard next(bytes) == UInt8(ascii: ":") else { throw .notJSON }
      position += 1
      members[name] = try value(bytes, depth: depth + 1)  // the last member with this name is used
      switch next(bytes) {
      case UInt8(ascii: ","): position += 1
      case UInt8(ascii: "}"):
        position += 1
        return .object(members)
      default: throw .notJSON
      }
    }
  }

  private mutating func array(_ bytes: Span<UInt8>, depth: Int) throws(WireError) -> JSONValue {
    guard depth <= JSONValue.maximumDepth else { throw .notJSON }
    position += 1
    var values: [JSONValue] = []
    if next(bytes) == UInt8(ascii: "]") {
      position += 1
      return .array(values)
    }
    while true {
      values.append(try value(bytes, depth: depth + 1))
      switch next(bytes) {
      case UInt8(ascii: ","): position += 1
      case UInt8(ascii: "]"):
        position += 1
        return .array(values)
      default: throw .notJSON
      }
    }
  }

  private mutating func word(
    _ word: StaticString, _ value: JSONValue, _ bytes: Span<UInt8>
  ) throws(WireError) -> JSONValue {
    for character in word.description.utf8 {
      guard position < bytes.count, bytes[position] == character else { throw .notJSON }
      position += 1
    }
    return value
  }
}

extension JSONParser {
  /// Reads a string from its opening quotation mark (§7). An unpaired surrogate, which a browser may send, becomes U+FFFD.
  mutating func string(_ bytes: Span<UInt8>) throws(WireError) -> String {
    position += 1
    var text: [UInt8] = []
    while position < bytes.count {
      let start = position
      while position < bytes.count, !Self.endsRun(bytes[position]) { position += 1 }
      text.append(bytes.extracting(start..<position))
      guard position < bytes.count else { break }
      let byte = bytes[position]
      position += 1
      switch byte {
      case UInt8(ascii: "\""):
        let string = String(decoding: text, as: UTF8.self)
        guard !combinesTooMuch(string) else { throw .notJSON }
        return string
      case UInt8(ascii: "\\"): try escape(bytes, into: &text)
      default: throw .notJSON  // a control character
      }
    }
    throw .notJSON
  }

  private func combinesTooMuch(_ text: String) -> Bool {
    // In UTF-8, a combining character has at least two bytes, and its first byte is 0xCC or higher (U+0300 or above). So a
    // short text, and a text without such a byte, cannot have too many combining characters.
    guard text.utf8.count / 2 > combiningLimit, text.utf8.contains(where: { $0 >= 0xCC }) else {
      return false
    }
    var run = 0
    for scalar in text.unicodeScalars {
      let combines = scalar.value >= 0x300 && Self.combines(scalar)
      run = combines ? run + 1 : 0
      if run > combiningLimit { return true }
    }
    return false
  }

  /// Returns true for a combining character. The combining class alone is not sufficient: some marks have the class 0, but
  /// decompose into characters of other classes.
  private static func combines(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: true
    default: scalar.properties.canonicalCombiningClass != .notReordered
    }
  }

  private static func endsRun(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private mutating func escape(
    _ bytes: Span<UInt8>, into text: inout [UInt8]
  ) throws(WireError) {
    guard position < bytes.count else { throw .notJSON }
    let byte = bytes[position]
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"):
      var code = try hexadecimal(bytes)
      if 0xD800..<0xDC00 ~= code, position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\"),
        bytes[position + 1] == UInt8(ascii: "u")
      {
        let before = position
        position += 2
        let low = try hexadecimal(bytes)
        if 0xDC00..<0xE000 ~= low {
          code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
        } else {
          position = before
        }
      }
      let scalar = Unicode.Scalar(code) ?? "\u{FFFD}"
      text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    default: throw .notJSON
    }
  }

  private mutating func hexadecimal(_ bytes: Span<UInt8>) throws(WireError) -> UInt32 {
    guard position + 4 <= bytes.count else { throw .notJSON }
    var code: UInt32 = 0
    for _ in 0..<4 {
      let byte = bytes[position]
      position += 1
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): code = code << 4 | UInt32(byte - 0x30)
      case UInt8(ascii: "a")...UInt8(ascii: "f"): code = code << 4 | UInt32(byte - 0x61 + 10)
      case UInt8(ascii: "A")...UInt8(ascii: "F"): code = code << 4 | UInt32(byte - 0x41 + 10)
      default: throw .notJSON
      }
    }
    return code
  }

  /// Reads a number (§6): an optional sign, digits without a leading zero, and an optional fraction and exponent.
  private mutating func number(_ bytes: Span<UInt8>) throws(WireError) -> JSONValue {
    let start = position
    if peek(bytes) == UInt8(ascii: "-") { position += 1 }
    if peek(bytes) == UInt8(ascii: "0") {
      position += 1
    } else {
      try digits(bytes)
    }
    var isWhole = true
    if peek(bytes) == UInt8(ascii: ".") {
      isWhole = false
      position += 1
      try digits(bytes)
    }
    if let byte = peek(bytes), byte | 0x20 == UInt8(ascii: "e") {
      isWhole = false
      position += 1
      if let sign = peek(bytes), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { position += 1 }
      try digits(bytes)
    }
    var text: [UInt8] = []
    text.append(bytes.extracting(start..<position))
    let digits = String(decoding: text, as: UTF8.self)
    if isWhole {
      if let integer = Int64(digits) { return .integer(integer) }
      if let unsigned = UInt64(digits) { return .unsigned(unsigned) }
    }
    guard let number = Double(digits), number.isFinite else { throw .notJSON }
    return .number(number)
  }

  private mutating func digits(_ bytes: Span<UInt8>) throws(WireError) {
    let start = position
    while let byte = peek(bytes), UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte { position += 1 }
    guard position > start else { throw .notJSON }
  }

  private func peek(_ bytes: Span<UInt8>) -> UInt8? {
    position < bytes.count ? bytes[position] : nil
  }
}
