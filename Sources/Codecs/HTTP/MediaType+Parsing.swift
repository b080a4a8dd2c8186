extension MediaType {
  /// A text that is a media type: `type/subtype` and parameters (RFC 9110 §8.3.1). Nil for any other.
  ///
  /// - Parameter text: what somebody says a content is; `value` is this text.
  package init?(parsing text: String) {
    guard let bytes = text.latin1Bytes else { return nil }
    let type = bytes.prefix(while: Grammar.isToken)
    let rest = bytes[type.endIndex...]
    guard !type.isEmpty, rest.first == 0x2F else { return nil }
    let subtype = rest.dropFirst().prefix(while: Grammar.isToken)
    guard !subtype.isEmpty, FieldParameters(bytes[subtype.endIndex...]) != nil else { return nil }
    self.init(value: text, isCompressible: Self.isCompressible(Self.essence(of: text)))
  }

  /// Type and subtype in lower case, without parameters.
  package var essence: String {
    Self.essence(of: value)
  }

  /// Whether it is a picture that every browser shows and that can hold no script, which SVG can.
  package var isSafeImage: Bool {
    switch essence {
    case "image/png", "image/jpeg", "image/gif", "image/webp", "image/avif": true
    default: false
    }
  }

  private static func essence(of value: String) -> String {
    let text = value.prefix { $0 != ";" }.trimmingBlanks()
    return String(decoding: text.utf8.map(Grammar.lowercased), as: UTF8.self)
  }
}
