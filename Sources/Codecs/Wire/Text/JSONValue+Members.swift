/// Optional members of an object: `null` is treated as missing, and a value of the wrong type is an error.
extension [String: JSONValue] {
  /// Returns the string of a member.
  ///
  /// - Throws: `invalidMember` if the value is not a string.
  package func text(_ name: String) throws(WireError) -> String? {
    switch self[name] {
    case nil, .null: nil
    case .string(let text): text
    default: throw .invalidMember(name)
    }
  }

  /// Returns the whole number of a member. `812.0` counts as a whole number.
  ///
  /// - Throws: `invalidMember` if the value is not a whole number, or is out of range.
  package func integer<Integer: FixedWidthInteger>(
    _ name: String, as type: Integer.Type = Integer.self
  ) throws(WireError) -> Integer? {
    let value: Integer? =
      switch self[name] {
      case nil, .null: nil
      case .integer(let number): try Integer(exactly: number).orThrow(.invalidMember(name))
      case .unsigned(let number): try Integer(exactly: number).orThrow(.invalidMember(name))
      case .number(let number): try Integer(exactly: number).orThrow(.invalidMember(name))
      default: throw .invalidMember(name)
      }
    return value
  }

  /// Returns the members of a nested object.
  ///
  /// - Throws: `invalidMember` if the value is not an object.
  package func object(_ name: String) throws(WireError) -> [String: JSONValue]? {
    switch self[name] {
    case nil, .null: nil
    case .object(let members): members
    default: throw .invalidMember(name)
    }
  }
}

extension Optional {
  fileprivate func orThrow(_ error: WireError) throws(WireError) -> Wrapped {
    guard let self else { throw error }
    return self
  }
}
