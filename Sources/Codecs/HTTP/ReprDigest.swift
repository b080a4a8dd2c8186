/// The digests that a sender declares for its content (`Repr-Digest` and `Content-Digest`, RFC 9530).
///
/// Both fields describe the same bytes if the content is sent as a whole and without a content coding.
package enum ReprDigest {
  /// The length of a SHA-256 digest in bytes.
  private static let length = 32

  /// Returns the SHA-256 digest in the fields, 32 bytes; nil if they have none. Ignores other algorithms.
  ///
  /// - Parameter fields: the fields of the request.
  /// - Returns: the digest.
  /// - Throws: `UploadFieldError` if a field is malformed, a SHA-256 digest does not have 32 bytes, or the two fields have
  ///   different digests.
  package static func sha256(in fields: FieldList) throws(UploadFieldError) -> [UInt8]? {
    let named = try [sha256(in: fields, .reprDigest), sha256(in: fields, .contentDigest)].compactMap(
      \.self)
    guard let first = named.first else { return nil }
    guard named.allSatisfy({ $0 == first }) else { throw .contradictoryDigests }
    return first
  }

  private static func sha256(
    in fields: FieldList, _ name: DigestField
  ) throws(UploadFieldError) -> [UInt8]? {
    let values = fields.all(name.rawValue)
    guard !values.isEmpty else { return nil }
    // RFC 9651 §4.2: all fields of one name form one dictionary.
    guard var reader = DigestDictionary(values.joined(separator: ", ")), let members = reader.read()
    else { throw .malformedDigest(name) }
    // RFC 9651 §3.2: if a key occurs more than once, its last value is used.
    guard let digest = members.last(where: { $0.key == "sha-256" })?.value else { return nil }
    guard digest.count == length else { throw .digestLength(name, actual: digest.count) }
    return digest
  }
}

/// The names of the fields that contain digests.
package enum DigestField: String, Sendable {
  case reprDigest = "Repr-Digest"
  case contentDigest = "Content-Digest"
}
