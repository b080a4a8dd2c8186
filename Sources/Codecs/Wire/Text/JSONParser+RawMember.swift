extension JSONParser {
  /// Returns the range of a member's value in an object's text, to store the value as it was written.
  ///
  /// - Parameters:
  ///   - name: the name of a member of the outermost object. If the object has several members of this name, the last one is
  ///     used, as in a browser.
  ///   - bytes: a message that is one object.
  ///   - combiningLimit: as for `parse`.
  /// - Returns: the range of the value; `nil` if there is no such member.
  /// - Throws: `notJSON` for any text that is not one object, or that `parse` would refuse.
  package static func range(
    of name: String, in bytes: Span<UInt8>, combiningLimit: Int = Self.maximumCombining
  ) throws(WireError) -> Range<Int>? {
    guard bytes.isUTF8 else { throw .notJSON }
    var parser = JSONParser(combiningLimit: combiningLimit)
    var found: Range<Int>?
    guard parser.next(bytes) == UInt8(ascii: "{") else { throw .notJSON }
    parser.position += 1
    if parser.next(bytes) == UInt8(ascii: "}") {
      parser.position += 1
    } else {
      members: while true {
        guard parser.next(bytes) == UInt8(ascii: "\"") else { throw .notJSON }
        let member = try parser.string(bytes)
        guard parser.next(bytes) == UInt8(ascii: ":") else { throw .notJSON }
        parser.position += 1
        _ = parser.next(bytes)
        let start = parser.position
        _ = try parser.value(bytes, depth: 2)
        if member == name { found = start..<parser.position }
        switch parser.next(bytes) {
        case UInt8(ascii: ","): parser.position += 1
        case UInt8(ascii: "}"):
          parser.position += 1
          break members
        default: throw .notJSON
        }
      }
    }
    guard parser.next(bytes) == nil else { throw .notJSON }
    return found
  }
}
