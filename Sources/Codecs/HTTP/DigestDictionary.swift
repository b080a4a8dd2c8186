/// A parser of a dictionary whose values are byte sequences (RFC 9651 §4.2.2), the format of digests.
struct DigestDictionary {
  private var rest: ArraySlice<UInt8>

  /// Returns nil for text with non-ASCII characters, which no structured field contains.
  init?(_ text: String) {
    guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    rest = Array(text.utf8)[...].drop { $0 == Grammar.space }
    while rest.last == Grammar.space { rest.removeLast() }
  }

  /// Returns the members in order, without their parameters; nil if any part is malformed.
  mutating func read() -> [(key: String, value: [UInt8])]? {
    var members: [(key: String, value: [UInt8])] = []
    while !rest.isEmpty {
      guard let key = readKey(), rest.popFirst() == Grammar.equals, let value = readBytes(), skipParameters()
      else { return nil }
      members.append((key, value))
      rest = rest.drop(while: Grammar.isBlank)
      guard !rest.isEmpty else { break }
      guard rest.popFirst() == Grammar.comma else { return nil }
      rest = rest.drop(while: Grammar.isBlank)
      // A trailing comma is an error (§4.2.2).
      guard !rest.isEmpty else { return nil }
    }
    return members
  }

  /// Reads a key, whose letters are in lower case (§4.2.3.3).
  private mutating func readKey() -> String? {
    guard let first = rest.first, Self.isLower(first) || first == 0x2A else { return nil }
    let key = rest.prefix {
      Self.isLower($0) || Grammar.isDigit($0) || [0x5F, 0x2D, 0x2E, 0x2A].contains($0)
    }
    rest = rest[key.endIndex...]
    return String(decoding: key, as: UTF8.self)
  }

  /// Reads base64 between colons (§4.2.7). The padding may be missing.
  private mutating func readBytes() -> [UInt8]? {
    guard rest.popFirst() == Grammar.colon, let end = rest.firstIndex(of: Grammar.colon) else { return nil }
    let text = String(decoding: rest[..<end], as: UTF8.self)
    rest = rest[rest.index(after: end)...]
    let missing = (4 - text.utf8.count % 4) % 4
    return Base64.decode(missing < 3 ? text + String(repeating: "=", count: missing) : text)
  }

  /// Skips parameters: `;key` or `;key=value` (§4.2.3.2). RFC 9530 defines none, and an unknown parameter is not an error.
  private mutating func skipParameters() -> Bool {
    while rest.first == Grammar.semicolon {
      rest = rest.dropFirst().drop { $0 == Grammar.space }
      guard readKey() != nil else { return false }
      guard rest.first == Grammar.equals else { continue }
      rest.removeFirst()
      guard skipBareItem() else { return false }
    }
    return true
  }

  /// Skips an item, whose first character determines its type (§4.2.3.1).
  private mutating func skipBareItem() -> Bool {
    guard let first = rest.first else { return false }
    switch first {
    case Grammar.colon:
      return readBytes() != nil
    case Grammar.quotationMark:
      return skipString()
    case 0x3F:  // a Boolean: ?0 or ?1
      rest.removeFirst()
      return rest.popFirst().map { $0 == 0x30 || $0 == 0x31 } ?? false
    case 0x2D, 0x30...0x39:  // an Integer or a Decimal
      rest.removeFirst()
      rest = rest.drop { Grammar.isDigit($0) || $0 == 0x2E }
      return true
    case _ where Grammar.isLetter(first) || first == 0x2A:  // a Token
      rest = rest.drop { Grammar.isToken($0) || $0 == Grammar.colon || $0 == 0x2F }
      return true
    default:
      return false
    }
  }

  /// Skips a string, in which a backslash escapes a quotation mark or another backslash (§4.2.5).
  private mutating func skipString() -> Bool {
    rest.removeFirst()
    while let byte = rest.popFirst() {
      switch byte {
      case Grammar.quotationMark:
        return true
      case Grammar.backslash:
        guard let escaped = rest.popFirst(), escaped == Grammar.quotationMark || escaped == Grammar.backslash
        else { return false }
      case 0x20...0x7E:
        continue
      default:
        return false
      }
    }
    return false
  }

  private static func isLower(_ byte: UInt8) -> Bool {
    byte >= 0x61 && byte <= 0x7A
  }
}
