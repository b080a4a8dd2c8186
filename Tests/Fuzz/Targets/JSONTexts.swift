internal import Wire

/// The fuzz target for JSON from a gateway or a client.
enum JSONTexts {
  /// Byte 0 of the input chooses the initial nesting depth; the other bytes are the JSON text.
  static func check(_ input: [UInt8]) throws {
    var reader = InputReader(input)
    let depth = 1 + reader.below(4)
    let text = reader.takeRest()
    guard let value = parsed(text, depth: depth) else {
      let range = try? JSONParser.range(of: "a", in: text.span)  // nil if refused
      return try expect(range == nil || parsed(text, depth: 1) != nil, "a member of refused JSON is found")
    }
    try expect(String(validating: text, as: UTF8.self) != nil, "accepted JSON is not UTF-8")
    try expect(
      Self.depth(of: value) + depth - 1 <= JSONValue.maximumDepth,
      "accepted JSON has the depth \(Self.depth(of: value))")
    let written = WireJSON.encode(value)
    guard let again = parsed(written, depth: depth) else {
      throw Finding("\(String(decoding: written, as: UTF8.self)) was written, but is refused")
    }
    try expect(isSame(again, value), "\(value) became \(again)")
    try expect(WireJSON.encode(again) == written, "\(again) is written differently the second time")
    try checkMembers(value, text)
    let elsewhere = try WireJSON.decode(JSONValue.self, from: written.span)
    try expect(isSame(elsewhere, value), "\(value) is decoded by `WireJSON` as \(elsewhere)")
  }

  /// Checks that the range of each member contains its value.
  private static func checkMembers(_ value: JSONValue, _ text: [UInt8]) throws {
    guard case .object(let members) = value, members.count < 16 else { return }
    for (name, member) in members {
      guard let range = try JSONParser.range(of: name, in: text.span) else {
        throw Finding("\(name) is not found")
      }
      let own = try JSONParser.parse(text.span.extracting(range), depth: 2)
      try expect(isSame(own, member), "\(name) is \(member), but its range contains \(own)")
    }
    try expect(
      try JSONParser.range(of: "no such name", in: text.span) == nil || members["no such name"] != nil, "")
  }

  static func parsed(_ text: [UInt8], depth: Int) -> JSONValue? {
    try? JSONParser.parse(text.span, depth: depth)  // nil if the parser refuses the text
  }

  private static func depth(of value: JSONValue) -> Int {
    switch value {
    case .array(let values): 1 + (values.map(depth).max() ?? 0)
    case .object(let members): 1 + (members.values.map(depth).max() ?? 0)
    default: 0
    }
  }

  /// Returns true if two values are equivalent, such as `1e2` and `100`. Two encodings of an accented letter are not equivalent.
  static func isSame(_ one: JSONValue, _ other: JSONValue) -> Bool {
    switch (one, other) {
    case (.string(let one), .string(let other)): one.utf8.elementsEqual(other.utf8)
    case (.array(let one), .array(let other)): one.elementsEqual(other, by: isSame)
    case (.object(let one), .object(let other)):
      one.count == other.count
        && one.allSatisfy { name, value in
          guard let place = other.index(forKey: name) else { return false }
          return other[place].key.utf8.elementsEqual(name.utf8) && isSame(value, other[place].value)
        }
    default: one == other || number(one).map { $0 == number(other) } ?? false
    }
  }

  private static func number(_ value: JSONValue) -> Double? {
    switch value {
    case .integer(let integer): Double(integer)
    case .unsigned(let unsigned): Double(unsigned)
    case .number(let number): number
    default: nil
    }
  }
}
