package import FoundationEssentials

/// A file of a session as the API and the `attachment` entries describe it.
package struct AttachmentObject: SystemPayload {
  package static let type = SystemType.attachment

  /// How far it is.
  package enum State: String, Decodable, Sendable {
    /// Bytes are still to come; it cannot be read.
    case uploading
    /// Whole, and never changed again.
    case ready
  }

  /// Its name in the session, and the key of its entries.
  package var id: UUID
  /// Sanitised by `AttachmentName`.
  package var name: String
  /// Its media type as its uploader gave it.
  package var contentType: String
  /// In bytes; unknown while an upload has not said.
  package var size: UInt64?
  /// The SHA-256 of its bytes, 64 hex digits in lower case; known once it is ready.
  package var sha256: String?
  /// What a program says about it.
  package var metadata: AttachmentMetadata?
  /// Who added it, if that was said.
  package var participant: ParticipantNumber?
  /// How far it is.
  package var state: State
  /// How many bytes have arrived.
  package var offset: UInt64
  /// When it was added; whole seconds on the wire.
  package var createdAt: Date
  /// Where it is read, resumed and removed.
  package var url: String
  /// True in lists, when its bytes were found to be damaged on the gateway's disk: it is not served.
  package var damaged: Bool?

  /// An attachment as it is at one moment.
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

  /// Writes all members; what is not known is `null`.
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
      writer.member("createdAt", createdAt.formatted(.iso8601))
      writer.member("url", url)
      // Left out of intact attachments.
      if let damaged { writer.member("damaged", damaged) }
    }
  }
}

/// How far an upload is: the payload of the unreliable `attachmentProgress` entries.
package struct AttachmentProgressPayload: SystemPayload {
  package static let type = SystemType.attachmentProgress

  /// Which attachment.
  package var id: UUID
  /// How many bytes have arrived.
  package var offset: UInt64
  /// How many there will be, if that is known.
  package var size: UInt64?

  /// The progress of one upload.
  package init(id: UUID, offset: UInt64, size: UInt64?) {
    self.id = id
    self.offset = offset
    self.size = size
  }

  /// Writes all members; an unknown size is `null`.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("id", id)
      writer.member("offset", offset)
      writer.nullableMember("size", size)
    }
  }
}

/// The answer to a request for all attachments of a session.
package struct AttachmentList: Decodable, JSONWritable, Equatable, Sendable {
  /// In the order in which they were added.
  package var attachments: [AttachmentObject]

  /// A list of them.
  package init(_ attachments: [AttachmentObject]) {
    self.attachments = attachments
  }

  /// Writes the object with its one member.
  package func write(to writer: inout JSONWriter) {
    writer.object { $0.member("attachments", attachments) }
  }
}
