/// A field in which a client lists its preferences, such as `Accept` and `Accept-Language` (RFC 9110 §12.5).
package struct Preferences: Sendable {
  private struct Element: Sendable {
    let value: String
    /// The weight in thousandths; 0 if the client does not accept the value.
    let weight: Int
  }

  /// The maximum number of elements. Browsers send about ten.
  private static let limit = 64

  private let elements: [Element]

  /// Reads all fields with a name. Ignores elements with a malformed weight. Ignores all elements if there are too many.
  package init(_ name: String, of fields: FieldList) {
    elements = (fields.tokens(of: name, limit: Self.limit) ?? []).compactMap { Self.element($0) }
  }

  /// Returns the weight of a media type in thousandths: the weight of the most specific range that contains the type, or 0 if there
  /// is none.
  package func weight(ofMediaType type: String) -> Int {
    let family = "\(type.prefix { $0 != "/" })/*"
    for range in [type, family, "*/*"] {
      if let element = elements.first(where: { $0.value.equalsIgnoringCase(range) }) { return element.weight }
    }
    return 0
  }

  /// Returns the language with the highest weight. Among languages of equal weight, the first one in the field wins. Ignores
  /// regions.
  ///
  /// - Parameter languages: the languages to choose from, such as `de`.
  /// - Returns: nil if the client accepts none of them.
  package func language(among languages: [String]) -> String? {
    var best: (language: String, weight: Int)?
    for element in elements where element.weight > best?.weight ?? 0 {
      let primary = element.value.prefix { $0 != "-" }
      if let language = languages.first(where: { $0.equalsIgnoringCase(primary) }) {
        best = (language, element.weight)
      }
    }
    return best?.language
  }

  /// Parses an element such as `text/html;level=1;q=0.5`. Parameters other than the weight are ignored.
  private static func element(_ text: String) -> Element? {
    let parts = text.split(separator: ";").map { $0.trimmingBlanks() }
    guard let value = parts.first else { return nil }
    guard let parameter = parts.dropFirst().first(where: { $0.prefix(2).equalsIgnoringCase("q=") }) else {
      return Element(value: value, weight: Weight.whole)
    }
    return Weight.parse(parameter).map { Element(value: value, weight: $0) }
  }
}
