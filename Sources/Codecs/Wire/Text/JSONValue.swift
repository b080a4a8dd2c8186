/// A JSON value: integers are exact, members have no order.
package enum JSONValue: Equatable, Sendable {
  /// The maximum number of levels of nesting in a message, including the message itself.
  package static let maximumDepth = 32
  /// The number of nesting levels that `init(from:)` allows in addition to `maximumDepth`. A gateway's message nests a client's
  /// value deeper than the client's own message did. In addition, `codingPath` counts the elements of the innermost array as a
  /// level.
  private static let surroundingDepth = 8

  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A whole number in the range of `Int64`.
  case integer(Int64)
  /// A whole number above the range of `Int64`, in the range of `UInt64`.
  case unsigned(UInt64)
  /// Every number that is not stored as `integer` or `unsigned`, such as 1.5.
  case number(Double)
  /// A string.
  case string(String)
  /// An array.
  case array([JSONValue])
  /// An object: values by the names of the members.
  case object([String: JSONValue])
}

extension JSONValue: Decodable {
  /// Decodes any JSON that is not nested too deeply. Used by clients to decode messages of the gateway.
  package init(from decoder: any Decoder) throws {
    guard decoder.codingPath.count < Self.maximumDepth + Self.surroundingDepth else {
      throw WireError.notJSON
    }
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let text = try? container.decode(String.self) {  // nil if the value has another type
      self = .string(text)
    } else if let number = try? container.decode(Double.self) {
      self = Self.number(number, in: container)
    } else if var list = try? decoder.unkeyedContainer() {
      var values: [JSONValue] = []
      while !list.isAtEnd { values.append(try list.decode(JSONValue.self)) }
      self = .array(values)
    } else if let flag = try? container.decode(Bool.self) {
      self = .bool(flag)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }

  private static func number(
    _ number: Double, in container: any SingleValueDecodingContainer
  ) -> JSONValue {
    guard number.rounded() == number, number.magnitude < 0x1p64 else { return .number(number) }
    if let integer = try? container.decode(Int64.self) { return .integer(integer) }
    if let unsigned = try? container.decode(UInt64.self) { return .unsigned(unsigned) }
    return .number(number)
  }
}
