/// The identifier of one version of a representation (RFC 9110 §8.8.3).
package struct EntityTag: Equatable, Hashable, Sendable {
  /// The text between the quotation marks.
  package let opaque: String
  /// True for a weak tag. Equal weak tags guarantee only the same meaning; equal strong tags guarantee the same bytes.
  package let isWeak: Bool

  /// Creates a tag.
  ///
  /// - Parameters:
  ///   - opaque: characters that are allowed between the quotation marks: no `"`, blank or control character
  ///     (checked).
  ///   - isWeak: false for a strong tag.
  package init(_ opaque: String, isWeak: Bool = false) {
    precondition(
      opaque.unicodeScalars.allSatisfy(Self.isTagCharacter), "an entity tag has a forbidden character")
    self.opaque = opaque
    self.isWeak = isWeak
  }

  /// Parses a tag in a field: `"…"` or `W/"…"`. Returns nil for any other text.
  package init?(parsing text: String) {
    var scalars = text.unicodeScalars[...]
    isWeak = scalars.starts(with: "W/".unicodeScalars)
    if isWeak { scalars = scalars.dropFirst(2) }
    guard scalars.count >= 2, scalars.first == "\"", scalars.last == "\"" else { return nil }
    let inner = scalars.dropFirst().dropLast()
    guard inner.allSatisfy(Self.isTagCharacter) else { return nil }
    opaque = String(inner)
  }

  /// Returns true if both tags are strong and equal (§8.8.3.2).
  package func matchesStrongly(_ other: EntityTag) -> Bool {
    !isWeak && !other.isWeak && matchesWeakly(other)
  }

  /// Returns true if both tags are equal, weak or not (§8.8.3.2).
  package func matchesWeakly(_ other: EntityTag) -> Bool {
    opaque.unicodeScalars.elementsEqual(other.opaque.unicodeScalars)
  }

  private static func isTagCharacter(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x21, 0x23...0x7E, 0x80...0xFF: true
    default: false
    }
  }
}

extension EntityTag: CustomStringConvertible {
  /// The tag in the syntax of the field `ETag`.
  package var description: String {
    "\(isWeak ? "W/" : "")\"\(opaque)\""
  }
}
