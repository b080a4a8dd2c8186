internal import Wire

package import struct FoundationEssentials.UUID

/// The contents of an `upload` record: the values of an attachment that are not in its entries.
package struct UploadRecord: Equatable, Sendable {
  /// The id of the attachment.
  package var id: UUID
  /// The name of the file to which the attachment's bytes are written.
  package var file: UUID
  /// The sequence of the entry that added the attachment. A later attachment may use the same id after a removal, so the id does
  /// not suffice to identify the attachment.
  package var sequence: UInt64
  /// True if an interrupted upload may continue later.
  package var isResumable: Bool
  /// The `Upload-Metadata` of tus, unchanged.
  package var uploadMetadata: String?
  /// The SHA-256 and the size of the complete file; nil until all bytes were received.
  package var content: Content?

  /// The values of a complete file.
  package struct Content: Equatable, Sendable {
    /// The SHA-256 as 64 hexadecimal digits in lower case.
    package var digest: String
    /// The number of bytes.
    package var size: UInt64
  }

  /// Creates the contents of a record.
  package init(
    id: UUID, file: UUID, sequence: UInt64, isResumable: Bool, uploadMetadata: String?, content: Content?
  ) {
    self.id = id
    self.file = file
    self.sequence = sequence
    self.isResumable = isResumable
    self.uploadMetadata = uploadMetadata
    self.content = content
  }

  /// Reads the body of an `upload` record.
  ///
  /// - Throws: `RecordError` for any other body.
  package init(_ body: Span<UInt8>) throws(RecordError) {
    let members = try RecordMembers(.upload, body)
    id = try members.uuid("id")
    file = try members.uuid("file")
    sequence = try members.integer("sequence")
    isResumable = try members.flag("isResumable")
    uploadMetadata = try members.optionalText("uploadMetadata")
    content = nil
    if let digest = try members.optionalText("digest") {
      guard Self.isDigest(digest) else { throw members.wrong("digest") }
      let size: UInt64 = try members.integer("size")
      guard size <= Self.largestSize else { throw members.wrong("size") }
      content = Content(digest: digest, size: size)
    }
  }

  /// The highest size of an attachment that a record may contain.
  static let largestSize: UInt64 = 1 << 50
  /// The maximum total size of a session's attachments. Records with a higher total are refused when the session is loaded, so
  /// the sum of the sizes cannot overflow.
  static let largestSum: UInt64 = 1 << 60

  /// Returns true for 64 hexadecimal digits in lower case.
  static func isDigest(_ text: String) -> Bool {
    text.utf8.count == 64
      && text.utf8.allSatisfy {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0
      }
  }

  /// The `upload` record with these contents.
  package var encoded: SessionRecord {
    SessionRecord(.upload) { writer in
      writer.member("id", id)
      writer.member("file", file)
      writer.member("sequence", sequence)
      writer.member("isResumable", isResumable)
      writer.member("uploadMetadata", uploadMetadata)
      writer.member("digest", content?.digest)
      writer.member("size", content?.size)
    }
  }
}
