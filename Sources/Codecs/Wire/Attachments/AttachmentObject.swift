package import FoundationEssentials

/// An attachment in the API and in `attachment` entries.
package struct AttachmentObject: SystemPayload {
  package static let type = SystemType.attachment

  /// The state of the upload.
  package enum State: String, Decodable, Sendable {
    /// The upload is incomplete; the content cannot be read.
    case uploading
    /// The content is complete and never changes.
    case ready
  }

  /// The id of the attachment in the session, and the key of its entries.
  package var id: UUID
  /// The name, sanitised by `AttachmentName`.
  package var name: String
  /// The media type that the uploader declared.
  package var contentType: String
  /// The size in bytes; nil while the upload has not declared it.
  package var size: UInt64?
  /// The SHA-256 of the content, 64 hex digits in lower case; nil until the attachment is ready.
  package var sha256: String?
  /// The metadata that the uploading program sent.
  package var metadata: AttachmentMetadata?
  /// The participant who uploaded the attachment; nil if unknown.
  package var participant: ParticipantNumber?
  /// The state of the upload.
  package var state: State
  /// The number of bytes received.
  package var offset: UInt64
  /// The time at which the upload was created; whole seconds on the wire.
  package var createdAt: Date
  /// The URL to read the attachment, to resume its upload, and to remove it.
  package var url: String
  /// True if the content on the gateway's disk is damaged, so that it is not served. Only used in lists.
  package var damaged: Bool?

  /// Creates the description of an attachment.
  package init(
    id: UUID, name: String, contentType: String, size: UInt64?, sha256: String?,
    metadata: AttachmentMetadata?,
    participant: ParticipantNumber?, state: State, offset: UInt64, createdAt: Date, url: String
  ) {
    self.id = id
    self.name = name
    self.contentType = contentType
    self.size = size
    self.sha256 = sha256
    self.metadata = metadata
    self.participant = participant
    self.state = state
    self.offset = offset
    self.createdAt = createdAt
    self.url = url
  }

  /// Writes the attachment as a JSON object. Unknown values are written as `null`.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("id", id)
      writer.member("name", name)
      writer.member("contentType", contentType)
      writer.nullableMember("size", size)
      writer.nullableMember("sha256", sha256)
      writer.nullableMember("metadata", metadata)
      writer.nullableMember("participant", participant)
      writer.member("state", state.rawValue)
      writer.member("offset", offset)
      writer.member("createdAt", createdAt)
      writer.member("url", url)
      // Intact attachments omit this member.
      if let damaged { writer.member("damaged", damaged) }
    }
  }
}

/// The progress of an upload: the payload of the unreliable `attachmentProgress` entries.
package struct AttachmentProgressPayload: SystemPayload {
  package static let type = SystemType.attachmentProgress

  /// The id of the attachment.
  package var id: UUID
  /// The number of bytes received.
  package var offset: UInt64
  /// The size of the complete content; nil if unknown.
  package var size: UInt64?

  /// Creates the progress of one upload.
  package init(id: UUID, offset: UInt64, size: UInt64?) {
    self.id = id
    self.offset = offset
    self.size = size
  }

  /// Writes the progress as a JSON object. An unknown size is written as `null`.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("id", id)
      writer.member("offset", offset)
      writer.nullableMember("size", size)
    }
  }
}

/// The response to a request for all attachments of a session.
package struct AttachmentList: Decodable, JSONWritable, Equatable, Sendable {
  /// The attachments, in the order of their creation.
  package var attachments: [AttachmentObject]

  /// Creates a list.
  package init(_ attachments: [AttachmentObject]) {
    self.attachments = attachments
  }

  /// Writes a JSON object whose only member is the array `attachments`.
  package func write(to writer: inout JSONWriter) {
    writer.object { $0.member("attachments", attachments) }
  }
}
