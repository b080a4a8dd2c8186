package import Wire
package import Primitives

package import struct FoundationEssentials.UUID

/// The values of an attachment before its first byte is received.
package struct AttachmentDraft: Sendable {
  /// The id of the attachment in the session; chosen by the uploader or at random.
  package var id: UUID
  /// The name of the file for the bytes of this upload. No later upload uses the same file name.
  package var file: UUID
  /// The name that users see, sanitised by `AttachmentName`.
  package var name: String
  /// The media type.
  package var contentType: String
  /// The number of bytes, if the client announced it.
  package var size: UInt64?
  /// The client's JSON about the attachment.
  package var metadata: AttachmentMetadata?
  /// The participant that adds the attachment, if the request names one.
  package var participant: ParticipantNumber?
  /// True if an interrupted upload may continue later.
  package var isResumable: Bool
  /// The `Upload-Metadata` of tus, unchanged.
  package var uploadMetadata: String?

  /// Creates a draft with these values.
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
  /// The description that all participants see.
  package let object: AttachmentObject
  /// True if an interrupted upload may continue later.
  package let isResumable: Bool
  /// The `Upload-Metadata` of tus, unchanged.
  package let uploadMetadata: String?
  /// The time at which bytes were last received. An upload expires `uploadKeepSeconds` after this time.
  package let progressAt: MonotonicTime
}

/// The work on files that follows from the removal of an attachment.
package struct RemovedAttachment: Equatable, Sendable {
  package let id: UUID
  /// True if the attachment was not ready. The writer of its upload then has to be stopped.
  package let wasUploading: Bool
  /// The digest of the content if no other attachment uses this content, so that the content's file can be removed; otherwise
  /// nil.
  package let orphanedDigest: String?
}

/// The result of adding the content of an attachment to a session.
package enum ContentPlacement: Sendable {
  /// The content is new. From now on the quota counts it.
  case first
  /// The session has the content already, so the quota does not count it again. The new file has the same bytes and replaces
  /// the old file.
  case duplicate
}
