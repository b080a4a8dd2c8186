/// The digests that a sender gives of what it sends (`Repr-Digest` and `Content-Digest`, RFC 9530).
///
/// Both mean the same bytes as long as content is sent whole and without a coding.
package enum ReprDigest {
  /// How many bytes SHA-256 has.
  private static let length = 32

  /// The SHA-256 that the fields name, 32 bytes; nil when they name none. Other algorithms are passed over.
  ///
  /// - Parameter fields: the request's.
  /// - Returns: the digest.
  /// - Throws: when a field cannot be read, a digest has another length, or two differ.
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
    // §3.2 there: of two members the last one counts.
    guard let digest = members.last(where: { $0.key == "sha-256" })?.value else { return nil }
    guard digest.count == length else { throw .wrongLength(name, actual: digest.count) }
    return digest
  }
}

/// Why a digest's field cannot be believed.
package enum DigestFieldError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The fields that hold digests.
  package enum Name: String, Sendable {
    case reprDigest = "Repr-Digest"
    case contentDigest = "Content-Digest"
  }

  /// It is no dictionary of byte sequences.
  case malformed(Name)
  /// Its SHA-256 has not 32 bytes.
  case wrongLength(Name, actual: Int)
  /// The two fields name different ones.
  case contradictory

  package var description: String {
    switch self {
    case .malformed(let name): "\(name.rawValue) is not of the form sha-256=:base64:."
    case .wrongLength(let name, let actual):
      "The SHA-256 in \(name.rawValue) has \(actual) bytes instead of 32."
    case .contradictory: "Repr-Digest and Content-Digest name different digests."
    }
  }
}
