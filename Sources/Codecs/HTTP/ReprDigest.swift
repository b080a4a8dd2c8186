/// The digests that a sender declares for its content (`Repr-Digest` and `Content-Digest`, RFC 9530).
///
/// Both cover the same bytes as long as content is sent whole and without a coding.
package enum ReprDigest {
  /// The bytes of a SHA-256 digest.
  private static let length = 32

  /// Returns the SHA-256 digest in the fields, 32 bytes; nil if they have none. Ignores other algorithms.
  ///
  /// - Parameter fields: the fields of the request.
  /// - Returns: the digest.
  /// - Throws: `DigestFieldError` if a field is malformed, a digest has another length, or two differ.
  package static func sha256(in fields: FieldList) throws(DigestFieldError) -> [UInt8]? {
    let named = try [sha256(in: fields, .reprDigest), sha256(in: fields, .contentDigest)].compactMap(
      \.self)
    guard let first = named.first else { return nil }
    guard named.allSatisfy({ $0 == first }) else { throw .contradictory }
    return first
  }

  private static func sha256(
    in fields: FieldList, _ name: DigestFieldError.Name
  ) throws(DigestFieldError) -> [UInt8]? {
    let values = fields.all(name.rawValue)
    guard !values.isEmpty else { return nil }
    // RFC 9651 §4.2: the fields of one name are one dictionary.
    guard var reader = DigestDictionary(values.joined(separator: ", ")), let members = reader.read()
    else { throw .malformed(name) }
    // RFC 9651 §3.2: of two members with one key the last one counts.
    guard let digest = members.last(where: { $0.key == "sha-256" })?.value else { return nil }
    guard digest.count == length else { throw .wrongLength(name, actual: digest.count) }
    return digest
  }
}

/// A defect of a field with digests.
package enum DigestFieldError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The fields with digests.
  package enum Name: String, Sendable {
    case reprDigest = "Repr-Digest"
    case contentDigest = "Content-Digest"
  }

  /// The field is not a dictionary of byte sequences.
  case malformed(Name)
  /// The SHA-256 digest does not have 32 bytes.
  case wrongLength(Name, actual: Int)
  /// The two fields have different digests.
  case contradictory

  package var description: String {
    switch self {
    case .malformed(let name): "\(name.rawValue) is not of the form sha-256=:base64:."
    case .wrongLength(let name, let actual):
      "The SHA-256 in \(name.rawValue) has \(actual) bytes instead of 32."
    case .contradictory: "Repr-Digest and Content-Digest have different digests."
    }
  }
}
