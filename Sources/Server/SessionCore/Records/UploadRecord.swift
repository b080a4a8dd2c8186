internal import Wire

package import struct FoundationEssentials.UUID

/// What an `upload` record says: what is known of an attachment besides its entries.
package struct UploadRecord: Equatable, Sendable {
  /// The attachment.
  package var id: UUID
  /// The name of the file in which its bytes arrive.
  package var file: UUID
  /// The sequence of the entry that added it: an id may be used again when its attachment was removed.
  package var sequence: UInt64
  /// Whether an upload that was cut may go on later.
  package var isResumable: Bool
  /// `Upload-Metadata` of tus as it was given.
  package var uploadMetadata: String?
  /// The SHA-256 of all bytes and how many they are, once they have come.
  package var content: Content?

  /// A file whose bytes have all come.
  package struct Content: Equatable, Sendable {
    /// 64 hexadecimal digits in lower case.
    package var digest: String
    /// In bytes.
    package var size: UInt64
  }

  /// What is known of an attachment.
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

  /// Reads the body of such a record.
  ///
  /// - Throws: `RecordError` when it is none.
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

  /// No attachment is larger, by no limit that may be set.
  static let largestSize: UInt64 = 1 << 50
  /// Nor are all of a session: so their sum can be counted.
  static let largestSum: UInt64 = 1 << 60

  /// Whether a text is 64 hexadecimal digits in lower case.
  static func isDigest(_ text: String) -> Bool {
    text.utf8.count == 64
      && text.utf8.allSatisfy {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0
      }
  }

  /// The record that says it.
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
