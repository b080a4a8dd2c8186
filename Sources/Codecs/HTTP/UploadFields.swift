/// The numbers of resumable uploads (`Upload-Offset`, `Upload-Length`; tus 1.0.0).
package enum UploadNumber {
  /// The maximum value, 2^53. A client that stores numbers as doubles represents all integers up to this value exactly.
  package static let maximum: UInt64 = 1 << 53

  /// Parses decimal digits.
  ///
  /// - Parameter field: the value of the field.
  /// - Returns: a number of bytes, at most `maximum`.
  /// - Throws: `malformedNumber`, or `numberTooLarge` for a number above `maximum`.
  package static func parse(_ field: String) throws(UploadFieldError) -> UInt64 {
    guard let number = Grammar.decimal(field.utf8) else { throw .malformedNumber }
    guard number <= maximum else { throw .numberTooLarge(limit: maximum) }
    return UInt64(number)
  }
}

/// The metadata of an upload, sent when it is created (`Upload-Metadata`, extension "creation" of tus 1.0.0).
package enum UploadMetadata {
  /// Parses `key base64,key base64`; a value may be missing, and the field may be empty.
  ///
  /// - Parameter field: the value of the field.
  /// - Returns: the decoded values by their keys; a missing value is empty.
  /// - Throws: `malformedMetadata`, `repeatedKey` or `valueNotBase64`.
  package static func parse(_ field: String) throws(UploadFieldError) -> [String: [UInt8]] {
    var values: [String: [UInt8]] = [:]
    let trimmed = field.trimmingBlanks()
    guard !trimmed.isEmpty else { return values }
    for element in trimmed.split(separator: ",", omittingEmptySubsequences: false) {
      let parts = element.trimmingBlanks().split(
        separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
      guard let first = parts.first, !first.isEmpty, first.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
      else { throw .malformedMetadata }
      let key = String(first)
      guard values[key] == nil else { throw .repeatedKey(key) }
      guard let value = Base64.decode(parts.count == 2 ? String(parts[1]) : "") else {
        throw .valueNotBase64(key: key)
      }
      values[key] = value
    }
    return values
  }
}

/// The digest of the content of one PATCH request (`Upload-Checksum`, extension "checksum" of tus 1.0.0).
package enum UploadChecksum {
  /// A digest algorithm; the raw value is its name on the wire.
  package enum Algorithm: String, CaseIterable, Sendable {
    case sha1
    case sha256

    /// The length of the digest in bytes.
    package var length: Int {
      switch self {
      case .sha1: 20
      case .sha256: 32
      }
    }
  }

  /// Parses `algorithm base64`.
  ///
  /// - Parameter field: the value of the field.
  /// - Returns: the algorithm, and the digest. The length of the digest is correct for the algorithm.
  /// - Throws: `malformedChecksum`, `checksumLength`, or `unknownAlgorithm` (even if the digest is malformed as well).
  package static func parse(
    _ field: String
  ) throws(UploadFieldError) -> (algorithm: Algorithm, digest: [UInt8]) {
    let parts = field.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, parts[0].utf8.allSatisfy(Grammar.isToken)
    else { throw .malformedChecksum }
    guard let algorithm = Algorithm(rawValue: String(parts[0])) else {
      throw .unknownAlgorithm(String(parts[0]))
    }
    guard let digest = Base64.decode(String(parts[1])) else { throw .malformedChecksum }
    guard digest.count == algorithm.length else {
      throw .checksumLength(algorithm, actual: digest.count)
    }
    return (algorithm, digest)
  }
}
