extension MediaType {
  /// Parses a media type: `type/subtype` and parameters (RFC 9110 §8.3.1). Returns nil for any other text.
  ///
  /// - Parameter text: the declared type of content; it becomes `value`.
  package init?(parsing text: String) {
    guard let bytes = text.latin1Bytes else { return nil }
    let type = bytes.prefix(while: Grammar.isToken)
    let rest = bytes[type.endIndex...]
    guard !type.isEmpty, rest.first == 0x2F else { return nil }
    let subtype = rest.dropFirst().prefix(while: Grammar.isToken)
    guard !subtype.isEmpty, FieldParameters(bytes[subtype.endIndex...]) != nil else { return nil }
    self.init(value: text, isCompressible: Self.isCompressible(Self.essence(of: text)))
  }

  /// The type and subtype in lower case, without parameters.
  package var essence: String {
    Self.essence(of: value)
  }

  /// True for an image that every browser shows and that cannot contain scripts, unlike SVG.
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
