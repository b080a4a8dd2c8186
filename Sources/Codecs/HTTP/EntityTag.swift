/// Names one version of a representation (RFC 9110 §8.8.3).
package struct EntityTag: Equatable, Hashable, Sendable {
  /// What stands between the quotation marks.
  package let opaque: String
  /// Whether equal tags promise no more than the same meaning; strong ones promise the same bytes.
  package let isWeak: Bool

  /// - Parameters:
  ///   - opaque: characters that may stand between the quotation marks: no `"`, blank or control. That is the caller's
  ///     promise and checked.
  ///   - isWeak: false for a strong tag.
  package init(_ opaque: String, isWeak: Bool = false) {
    precondition(opaque.unicodeScalars.allSatisfy(Self.isTagCharacter), "a tag has only characters of tags")
    self.opaque = opaque
    self.isWeak = isWeak
  }

  /// Reads a tag as it stands in a field: `"…"` or `W/"…"`. Nil for anything else.
  package init?(parsing text: String) {
    var scalars = text.unicodeScalars[...]
    isWeak = scalars.starts(with: "W/".unicodeScalars)
    if isWeak { scalars = scalars.dropFirst(2) }
    guard scalars.count >= 2, scalars.first == "\"", scalars.last == "\"" else { return nil }
    let inner = scalars.dropFirst().dropLast()
    guard inner.allSatisfy(Self.isTagCharacter) else { return nil }
    opaque = String(inner)
  }

  /// Whether both are strong and the same (§8.8.3.2).
  package func matchesStrongly(_ other: EntityTag) -> Bool {
    !isWeak && !other.isWeak && matchesWeakly(other)
  }

  /// Whether both are the same, weak or not (§8.8.3.2).
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
  /// The tag as it stands in `ETag`.
  package var description: String {
    "\(isWeak ? "W/" : "")\"\(opaque)\""
  }
}
