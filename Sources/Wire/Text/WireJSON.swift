import FoundationEssentials

/// JSON as the wire has it: compact, in UTF-8, members in alphabetical order, times in ISO 8601.
package enum WireJSON {
  /// Encodes a value of ours. Such values have nothing that JSON cannot hold; should one, the answer is `{}`.
  package static func encode(_ value: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    do {
      return Array(try encoder.encode(value))
    } catch {
      assertionFailure("a value of the wire cannot be encoded: \(error)")
      return Array("{}".utf8)
    }
  }

  /// Decodes what a peer sent.
  ///
  /// - Throws: `notJSON` when it is none, `wrongMember` naming the first member that has a wrong value,
  ///   or what the type itself found wrong.
  package static func decode<Value: Decodable>(
    _ type: Value.Type, from bytes: Span<UInt8>
  ) throws(WireError) -> Value {
    // Foundation guesses UTF-16 and UTF-32 from zero bytes; JSON on this wire is UTF-8 and has none.
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
      throw .wrongMember(context.memberName)
    } catch let DecodingError.keyNotFound(key, _) {
      throw .wrongMember(key.stringValue)
    } catch let DecodingError.dataCorrupted(context) where !context.codingPath.isEmpty {
      throw .wrongMember(context.memberName)
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
