import FoundationEssentials

/// The JSON of the wire protocol: compact and in UTF-8.
package enum WireJSON {
  /// Encodes a value of the wire protocol as JSON. A text above `capacity` bytes costs more allocations.
  package static func encode(
    _ value: some JSONWritable, capacity: Int = JSONWriter.usualCapacity
  ) -> [UInt8] {
    var writer = JSONWriter(capacity: capacity)
    value.write(to: &writer)
    return writer.bytes
  }

  /// Decodes a value of the wire protocol from JSON that a gateway sent.
  ///
  /// - Throws: `notJSON` for text that is not JSON, `invalidMember` with the name of the member that is missing or invalid.
  package static func decode<Value: Decodable>(
    _ type: Value.Type, from bytes: Span<UInt8>
  ) throws(WireError) -> Value {
    // Foundation guesses UTF-16 and UTF-32 from zero bytes; JSON in UTF-8 has none.
    for index in bytes.indices where bytes[index] == 0 { throw .notJSON }
    guard bytes.isUTF8 else { throw .notJSON }
    var copy: [UInt8] = []
    copy.append(bytes)
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    do {
      return try decoder.decode(type, from: Data(copy))
    } catch let error as WireError {
      throw error
    } catch let DecodingError.typeMismatch(_, context), let DecodingError.valueNotFound(_, context) {
      throw .invalidMember(context.memberName)
    } catch let DecodingError.keyNotFound(key, _) {
      throw .invalidMember(key.stringValue)
    } catch let DecodingError.dataCorrupted(context) where !context.codingPath.isEmpty {
      throw .invalidMember(context.memberName)
    } catch {
      throw .notJSON
    }
  }
}

extension DecodingError.Context {
  /// The name of the innermost member, without array indices; empty for the whole message.
  fileprivate var memberName: String {
    codingPath.last { $0.intValue == nil }?.stringValue ?? ""
  }
}
