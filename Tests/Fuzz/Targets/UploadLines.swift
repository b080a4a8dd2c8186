internal import HTTP
internal import Wire

/// The fields of resumable uploads and of digests.
enum UploadLines {
  /// Byte 0 of the input chooses whether the text is UTF-8; the remaining bytes are lines `name: value`.
  static func check(_ input: [UInt8]) throws {
    var reader = InputReader(input)
    let fields = FieldLines.fields(reader.takeLines(isUTF8: reader.byte() & 1 != 0))
    try checkDigest(fields)
    for field in fields {
      try checkNumber(field.value)
      try checkMetadata(field.value)
      try checkChecksum(field.value)
    }
  }

  private static func checkNumber(_ value: String) throws {
    do {
      let number = try UploadNumber.parse(value)
      try expect(number <= UploadNumber.maximum, "the number \(number)")
      try expect(
        value.utf8.drop { $0 == 0x30 }.elementsEqual("\(number)".utf8.drop { $0 == 0x30 }),
        "\(value) is \(number)")
    } catch let error as UploadFieldError {
      try check(error)
    }
  }

  private static func checkMetadata(_ value: String) throws {
    do {
      let values = try UploadMetadata.parse(value)
      let written = values.sorted { $0.key < $1.key }.map { "\($0.key) \(Base64.encode($0.value))" }
      let again = try UploadMetadata.parse(written.joined(separator: ","))
      try expect(again == values, "\(values) became \(again)")
      for (_, bytes) in values { try checkJSON(bytes) }
    } catch let error as UploadFieldError {
      try check(error)
    }
  }

  private static func checkChecksum(_ value: String) throws {
    do {
      let (algorithm, digest) = try UploadChecksum.parse(value)
      try expect(digest.count == algorithm.length, "\(digest.count) bytes of \(algorithm)")
      try expect(
        "\(algorithm.rawValue) \(Base64.encode(digest))" == value, "\(value) is parsed, but is not canonical")
    } catch let error as UploadFieldError {
      try check(error)
    }
  }

  private static func checkDigest(_ fields: FieldList) throws {
    do {
      guard let digest = try ReprDigest.sha256(in: fields) else { return }
      try expect(digest.count == 32, "a digest of \(digest.count) bytes")
      let written: FieldList = ["Repr-Digest": "sha-256=:\(Base64.encode(digest)):"]
      try expect(try ReprDigest.sha256(in: written) == digest, "the digest became another")
    } catch let error as UploadFieldError {
      try expect(!error.description.isEmpty, "no description")
    }
  }

  /// Checks that accepted metadata is stored unchanged, and is valid JSON for its readers.
  private static func checkJSON(_ bytes: [UInt8]) throws {
    // The result is nil if the metadata is refused.
    guard let metadata = try? AttachmentMetadata.parse(bytes.span, limit: 256) else { return }
    try expect(bytes.count <= 256 && metadata.text == bytes, "metadata of \(bytes.count) bytes")
  }

  /// Checks that the error message is short, even if the faulty value is long.
  private static func check(_ error: UploadFieldError) throws {
    try expect(error.description.unicodeScalars.count < 4_096, "\(error)")
  }
}
