package import Wire
package import Primitives

package import struct FoundationEssentials.UUID

/// What is known of an attachment before its first byte.
package struct AttachmentDraft: Sendable {
  /// Its name in the session; chosen by its uploader or by lot.
  package var id: UUID
  /// The name of the file in which its bytes arrive: its own, and of no later upload.
  package var file: UUID
  /// Sanitised by `AttachmentName`.
  package var name: String
  /// A media type.
  package var contentType: String
  /// How many bytes there will be, if that was said.
  package var size: UInt64?
  /// What a program says about it.
  package var metadata: AttachmentMetadata?
  /// Who adds it, if that was said.
  package var participant: ParticipantNumber?
  /// Whether an upload that was cut may go on later.
  package var isResumable: Bool
  /// `Upload-Metadata` of tus as it was given.
  package var uploadMetadata: String?

  /// A draft of all that.
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

/// An attachment as it is now.
package struct Attachment: Sendable {
  /// What everybody may know of it.
  package let object: AttachmentObject
  /// Whether an upload that was cut may go on later.
  package let isResumable: Bool
  /// `Upload-Metadata` of tus as it was given.
  package let uploadMetadata: String?
  /// When bytes arrived last: an upload expires `uploadKeepSeconds` later.
  package let progressAt: MonotonicTime
}

/// What the removal of an attachment means for its file.
package struct RemovedAttachment: Equatable, Sendable {
  package let id: UUID
  /// It was not ready: who writes it is to be stopped.
  package let wasUploading: Bool
  /// The content that nobody refers to any more.
  package let orphanedDigest: String?
}

/// Whether a session holds a content already.
package enum ContentPlacement: Sendable {
  /// It is new, and counts from here on.
  case first
  /// It is there, and counts once: the new file, which has the same bytes, replaces the old one.
  case duplicate
}
