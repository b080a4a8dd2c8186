package import Wire
package import Primitives

package import struct FoundationEssentials.UUID

/// An attachment before its first byte.
package struct AttachmentDraft: Sendable {
  /// Its name in the session; chosen by its uploader or at random.
  package var id: UUID
  /// The name of the file that its bytes are written to; no later upload has the same.
  package var file: UUID
  /// The name, sanitised by `AttachmentName`.
  package var name: String
  /// The media type.
  package var contentType: String
  /// The number of bytes, if the client announced it.
  package var size: UInt64?
  /// JSON of the client about the attachment.
  package var metadata: AttachmentMetadata?
  /// The participant that adds it, if the request names one.
  package var participant: ParticipantNumber?
  /// True if an interrupted upload may continue later.
  package var isResumable: Bool
  /// The `Upload-Metadata` of tus, unchanged.
  package var uploadMetadata: String?

  /// A draft with these values.
  package init(
    id: UUID, file: UUID, name: String, contentType: String, size: UInt64?, metadata: AttachmentMetadata?,
    participant: ParticipantNumber?, isResumable: Bool, uploadMetadata: String?
  ) {
    self.id = id
    self.file = file
    self.name = name
    self.contentType = contentType
    self.size = size
    self.metadata = metadata
    self.participant = participant
    self.isResumable = isResumable
    self.uploadMetadata = uploadMetadata
  }
}

/// An attachment in its present state.
package struct Attachment: Sendable {
  /// Its public description.
  package let object: AttachmentObject
  /// True if an interrupted upload may continue later.
  package let isResumable: Bool
  /// The `Upload-Metadata` of tus, unchanged.
  package let uploadMetadata: String?
  /// The time of the last received bytes: an upload expires `uploadKeepSeconds` later.
  package let progressAt: MonotonicTime
}

/// The consequences of an attachment's removal for its file.
package struct RemovedAttachment: Equatable, Sendable {
  package let id: UUID
  /// True if it was not ready: its writer has to be stopped.
  package let wasUploading: Bool
  /// The content that no attachment refers to any more.
  package let orphanedDigest: String?
}

/// The result of storing a content in a session.
package enum ContentPlacement: Sendable {
  /// The content is new, and is counted from now on.
  case first
  /// The session has it already, and counts it once: the new file replaces the old one, which has the same bytes.
  case duplicate
}
