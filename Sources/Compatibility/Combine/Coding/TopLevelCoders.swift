/// Apple's `TopLevelEncoder`: makes something, such as data, of a whole value.
public protocol TopLevelEncoder<Output> {
  /// What it makes.
  associatedtype Output

  /// Encodes a value.
  func encode<T: Encodable>(_ value: T) throws -> Output
}

/// Apple's `TopLevelDecoder`: makes a whole value of something, such as data.
public protocol TopLevelDecoder<Input> {
  /// What it reads.
  associatedtype Input

  /// Decodes a value.
  func decode<T: Decodable>(_ type: T.Type, from: Input) throws -> T
}
