/// The disposition and file name of content (`Content-Disposition`, RFC 6266).
package enum ContentDisposition {
  /// Returns the file name in a `Content-Disposition` field, with any disposition: `filename*` (RFC 8187) if that is valid, else
  /// `filename`.
  ///
  /// The name is for display, not a path: it may contain any character, even control characters and separators. Bytes of
  /// `filename` above 0x7F are read as UTF-8 if they are valid UTF-8, else as Latin-1.
  ///
  /// - Parameter field: the value of the field, in which each byte above 0x7F is one Latin-1 character.
  /// - Returns: the name; nil if there is none, it is empty, or the field is malformed.
  package static func fileName(_ field: String) -> String? {
    guard let bytes = field.latin1Bytes else { return nil }
    let type = bytes.prefix(while: Grammar.isToken)
    // RFC 6266 §4.1 uses the grammar of RFC 2616 for parameters, which allows blanks between any two parts.
    guard !type.isEmpty, let parameters = FieldParameters(bytes[type.endIndex...], allowsBlanks: true)
    else { return nil }
    let name = parameters["filename*"].flatMap(decodeExtended) ?? parameters["filename"].map(decode)
    return name?.isEmpty == false ? name : nil
  }

  /// Returns a field that makes a browser save the content under a name.
  ///
  /// - Parameter fileName: any text.
  /// - Returns: printable ASCII. A quotation mark in the name does not end the quoted string.
  package static func attachment(fileName: String) -> String {
    field("attachment", fileName)
  }

  /// Returns a field that lets a browser show the content, and save it under a name.
  ///
  /// - Parameter fileName: any text.
  /// - Returns: printable ASCII. A quotation mark in the name does not end the quoted string.
  package static func inline(fileName: String) -> String {
    field("inline", fileName)
  }

  private static func field(_ type: String, _ fileName: String) -> String {
    let fallback = String(String.UnicodeScalarView(fileName.unicodeScalars.map { isPlain($0) ? $0 : "_" }))
    let plain = "\(type); filename=\"\(fallback)\""
    // RFC 6266 §4.3: a client that supports both parameters uses `filename*`.
    return fallback == fileName ? plain : "\(plain); filename*=UTF-8''\(encode(fileName))"
  }

  /// Returns true for a character that every client reads literally between quotation marks. The other characters are not safe:
  /// some clients decode `%` between quotation marks (RFC 6266 appendix D), and some do not know that a backslash quotes the next
  /// character.
  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "\"", "\\", "%": false
    case " "..."~": true
    default: false
    }
  }

  /// Percent-encodes the UTF-8 bytes of all characters that are not an `attr-char` (RFC 8187 §3.2.1).
  private static func encode(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      if isAttributeCharacter(byte) {
        bytes.append(byte)
      } else {
        bytes += [Grammar.percent, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Decodes `charset'language'value` in UTF-8, the only charset that RFC 8187 allows a sender to use. Returns nil for any
  /// other value; the caller then ignores the parameter (§3.2.1).
  private static func decodeExtended(_ value: [UInt8]) -> String? {
    let parts = value.split(separator: 0x27, maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, String(decoding: parts[0], as: UTF8.self).equalsIgnoringCase("utf-8"),
      parts[1].allSatisfy({ Grammar.isLetter($0) || Grammar.isDigit($0) || $0 == 0x2D })
    else { return nil }
    var bytes: [UInt8] = []
    var rest = parts[2]
    while let byte = rest.popFirst() {
      if byte == Grammar.percent {
        guard let high = rest.popFirst().flatMap(Grammar.hexValue),
          let low = rest.popFirst().flatMap(Grammar.hexValue)
        else { return nil }
        bytes.append(high << 4 | low)
      } else {
        guard isAttributeCharacter(byte) else { return nil }
        bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func decode(_ value: [UInt8]) -> String {
    String(validating: value, as: UTF8.self) ?? String(latin1: value)
  }

  /// Returns true for an `attr-char` (RFC 8187 §3.2.1): a character of a token, except `*`, `'` and `%`.
  private static func isAttributeCharacter(_ byte: UInt8) -> Bool {
    Grammar.isToken(byte) && byte != 0x2A && byte != 0x27 && byte != Grammar.percent
  }
}
