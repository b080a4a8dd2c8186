package import FoundationEssentials
package import Wire

/// A store of the attachments of sessions: uploads in progress by the UUID of their file, and complete contents by their digest.
///
/// The functions block the calling thread, and any thread may call them. The caller decides the order of calls for one name.
package protocol AttachmentStore: Sendable {
  /// Returns the number of bytes that can still be stored.
  func freeBytes() throws(StorageError) -> UInt64

  /// Returns the uploads and contents of a session, in no order.
  func files(of session: SessionID) throws(StorageError) -> [StoredFile]

  /// Begins an empty upload. An upload with the same name is removed; bytes that are still written to it are lost.
  func createUpload(_ name: UUID, of session: SessionID) throws(StorageError) -> any StoredUpload

  /// Opens an upload at its end. Nothing else may write to it any more.
  ///
  /// - Throws: `StorageError`; ENOENT if there is no such upload.
  func openUpload(_ name: UUID, of session: SessionID) throws(StorageError) -> any StoredUpload

  /// Removes an upload. Succeeds if there is none.
  func discardUpload(_ name: UUID, of session: SessionID) throws(StorageError)

  /// Makes a finished upload a content. A content with the same digest is replaced.
  ///
  /// - Parameters:
  ///   - upload: the name of the upload, which is removed.
  ///   - digest: the result of `StoredUpload.finish`.
  ///   - session: the session.
  /// - Returns: the mark of the content; nil if it was removed meanwhile.
  /// - Throws: `StorageError`; the upload then stays, unless only a sync failed.
  func place(
    _ upload: UUID, as digest: String, of session: SessionID
  ) throws(StorageError) -> ContentMark?

  /// Opens a content to read it.
  ///
  /// - Throws: `StorageError`; ENOENT if there is no such content.
  func openContent(_ digest: String, of session: SessionID) throws(StorageError) -> any StoredContent

  /// Removes a content. Succeeds if there is none. Open contents can be read on.
  func removeContent(_ digest: String, of session: SessionID) throws(StorageError)

  /// Removes all uploads and contents of a session. Succeeds if there are none.
  func removeAll(of session: SessionID) throws(StorageError)
}

/// An upload in progress: bytes that are appended, and their running digest.
///
/// Not `Sendable`: it belongs to one actor.
package protocol StoredUpload: AnyObject {
  /// The number of received bytes.
  var offset: UInt64 { get }

  /// Releases the resources for writing, until `resume`.
  func park()

  /// Prepares the upload for writing. Does nothing unless it is parked.
  func resume() throws(StorageError)

  /// Appends bytes: all or, when it throws, none.
  func append(_ bytes: Span<UInt8>) throws(StorageError)

  /// Records the offset as the beginning of a piece. Before the first call, that is the offset at which the upload was opened.
  func mark()

  /// Removes the bytes that were appended since the mark.
  func rollBack() throws(StorageError)

  /// Waits until the received bytes are as durable as the store promises. The upload may be parked.
  func sync() throws(StorageError)

  /// Ends the upload. Nothing can be appended afterwards.
  ///
  /// - Returns: the SHA-256 of all bytes, as 64 lowercase hexadecimal digits.
  func finish() throws(StorageError) -> String
}

/// An open content. Its bytes do not change, and can be read even after the content was removed.
package protocol StoredContent: AnyObject, Sendable {
  /// The mark of the content when it was opened.
  var mark: ContentMark { get }

  /// Returns `count` bytes from an offset.
  ///
  /// - Throws: `StorageError`; ENODATA if the content has fewer.
  func read(at offset: UInt64, count: Int) throws(StorageError) -> [UInt8]
}

/// An identity of the stored bytes of a content. Another mark means that they were written anew or changed.
package struct ContentMark: Hashable, Sendable {
  private let identity: UInt64
  private let version: Int64
  /// The number of bytes.
  package let length: UInt64

  /// Creates a mark.
  ///
  /// - Parameters:
  ///   - identity: a number that no other content of the store has at the same time.
  ///   - version: a number that changes when the bytes change.
  ///   - length: the number of bytes.
  package init(identity: UInt64, version: Int64, length: UInt64) {
    self.identity = identity
    self.version = version
    self.length = length
  }
}
