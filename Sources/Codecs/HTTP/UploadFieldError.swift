/// A defect of a header field that describes an upload: a number, the metadata or a digest.
package enum UploadFieldError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The number does not consist of decimal digits only.
  case malformedNumber
  /// The number is above `UploadNumber.maximum`.
  case numberTooLarge(limit: UInt64)
  /// The metadata is not a list of keys and values.
  case malformedMetadata
  /// A key occurs twice.
  case repeatedKey(String)
  /// A value is not base64.
  case valueNotBase64(key: String)
  /// The checksum is not an algorithm followed by base64.
  case malformedChecksum
  /// The algorithm is not supported.
  case unknownAlgorithm(String)
  /// A digest whose length is wrong for its algorithm.
  case checksumLength(UploadChecksum.Algorithm, actual: Int)
  /// A field with digests that is not a dictionary of byte sequences.
  case malformedDigest(DigestField)
  /// A SHA-256 digest that does not have 32 bytes.
  case digestLength(DigestField, actual: Int)
  /// `Repr-Digest` and `Content-Digest` have different digests.
  case contradictoryDigests

  package var description: String {
    switch self {
    case .malformedNumber: "A number of bytes must consist of decimal digits."
    case .numberTooLarge(let limit): "A number of bytes is larger than the maximum of \(limit)."
    case .malformedMetadata: "Upload-Metadata is not a comma-separated list of keys with base64 values."
    case .repeatedKey(let key): "Upload-Metadata has the key \(Self.shown(key)) more than once."
    case .valueNotBase64(let key): "The value of the key \(Self.shown(key)) in Upload-Metadata is not base64."
    case .malformedChecksum: "Upload-Checksum is not an algorithm, a space and a base64 digest."
    case .unknownAlgorithm(let name):
      "Upload-Checksum names \(Self.shown(name)); the supported algorithms are "
        + "\(UploadChecksum.Algorithm.allCases.map(\.rawValue).joined(separator: " and "))."
    case .checksumLength(let algorithm, let actual):
      "The \(algorithm.rawValue) in Upload-Checksum has \(actual) bytes instead of \(algorithm.length)."
    case .malformedDigest(let field): "\(field.rawValue) is not of the form sha-256=:base64:."
    case .digestLength(let field, let actual):
      "The SHA-256 in \(field.rawValue) has \(actual) bytes instead of 32."
    case .contradictoryDigests: "Repr-Digest and Content-Digest have different digests."
    }
  }

  /// Truncates text of a peer to a readable length.
  private static func shown(_ text: String) -> String {
    text.count <= 40 ? text : "\(text.prefix(40))…"
  }
}
