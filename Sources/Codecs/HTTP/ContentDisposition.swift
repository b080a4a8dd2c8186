/// Whether content is to be shown or kept, and under what name (`Content-Disposition`, RFC 6266).
package enum ContentDisposition {
  /// The name in a field, whatever the disposition: `filename*` (RFC 8187) where that can be read, else `filename`.
  ///
  /// It is a name to be shown and no path: it may hold any character, control characters and separators too. Bytes of
  /// `filename` above 0x7F are UTF-8 where they can be, else Latin-1. Nil when there is none, it is empty, or the
  /// field is malformed.
  ///
  /// - Parameter field: the value, in which such bytes are Latin-1 characters.
  /// - Returns: the name.
  package static func fileName(_ field: String) -> String? {
    guard let bytes = field.latin1Bytes else { return nil }
    let type = bytes.prefix(while: Grammar.isToken)
    // §4.1 has its parameters by the grammar of RFC 2616, where blanks may stand between any two parts.
    guard !type.isEmpty, let parameters = FieldParameters(bytes[type.endIndex...], allowsBlanks: true)
    else { return nil }
    let name = parameters["filename*"].flatMap(decodeExtended) ?? parameters["filename"].map(decode)
    return name?.isEmpty == false ? name : nil
  }

  /// A field that has the content kept under that name.
  ///
  /// - Parameter fileName: any text.
  /// - Returns: printable ASCII, from which nobody can break out.
  package static func attachment(fileName: String) -> String {
    field("attachment", fileName)
  }

  /// A field that lets the content be shown, and kept under that name.
  ///
  /// - Parameter fileName: any text.
  /// - Returns: printable ASCII, from which nobody can break out.
  package static func inline(fileName: String) -> String {
    field("inline", fileName)
  }

  private static func field(_ type: String, _ fileName: String) -> String {
    let fallback = String(String.UnicodeScalarView(fileName.unicodeScalars.map { isPlain($0) ? $0 : "_" }))
    let plain = "\(type); filename=\"\(fallback)\""
    // §4.3: who reads both takes the second.
    return fallback == fileName ? plain : "\(plain); filename*=UTF-8''\(encode(fileName))"
  }

  /// What every reader takes for itself between quotation marks. Some decode `%` there (RFC 6266 appendix D), and not
  /// all know of the backslash.
  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "\"", "\\", "%": false
    case " "..."~": true
    default: false
    }
  }

  /// RFC 8187 §3.2.1: all but `attr-char` by its bytes in UTF-8.
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

  /// `charset'language'value` in UTF-8, the one charset that RFC 8187 still has. Nil for anything else: §3.2.1 has the
  /// parameter ignored then.
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

  /// `attr-char`: a token's characters without `*`, `'` and `%`.
  private static func isAttributeCharacter(_ byte: UInt8) -> Bool {
    Grammar.isToken(byte) && byte != 0x2A && byte != 0x27 && byte != Grammar.percent
  }
}
