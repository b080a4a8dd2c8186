/// Members of an object that may be missing; `null` is as good as missing, another kind is a fault.
extension [String: JSONValue] {
  /// The text of that name.
  ///
  /// - Throws: `wrongMember` when it is no text.
  package func text(_ name: String) throws(WireError) -> String? {
    switch self[name] {
    case nil, .null: nil
    case .string(let text): text
    default: throw .wrongMember(name)
    }
  }

  /// The whole number of that name; `812.0` is one too.
  ///
  /// - Throws: `wrongMember` when it is none, or not one of this type.
  package func integer<Integer: FixedWidthInteger>(
    _ name: String, as type: Integer.Type = Integer.self
  ) throws(WireError) -> Integer? {
    let value: Integer? =
      switch self[name] {
      case nil, .null: nil
      case .integer(let number): try Integer(exactly: number).orThrow(.wrongMember(name))
      case .unsigned(let number): try Integer(exactly: number).orThrow(.wrongMember(name))
      case .number(let number): try Integer(exactly: number).orThrow(.wrongMember(name))
      default: throw .wrongMember(name)
      }
    return value
  }

  /// The members of the object of that name.
  ///
  /// - Throws: `wrongMember` when it is no object.
  package func object(_ name: String) throws(WireError) -> [String: JSONValue]? {
    switch self[name] {
    case nil, .null: nil
    case .object(let members): members
    default: throw .wrongMember(name)
    }
  }
}

extension Optional {
  fileprivate func orThrow(_ error: WireError) throws(WireError) -> Wrapped {
    guard let self else { throw error }
    return self
  }
}
