/// An encoder of whole values (Apple's `TopLevelEncoder`).
public protocol TopLevelEncoder<Output> {
  /// The type of encoded values.
  associatedtype Output

  /// Returns a value in encoded form.
  func encode<T: Encodable>(_ value: T) throws -> Output
}

/// A decoder of whole values (Apple's `TopLevelDecoder`).
public protocol TopLevelDecoder<Input> {
  /// The type of encoded values.
  associatedtype Input

  /// Returns the value that was encoded.
  func decode<T: Decodable>(_ type: T.Type, from: Input) throws -> T
}
