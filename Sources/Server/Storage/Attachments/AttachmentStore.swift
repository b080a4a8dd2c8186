package import FoundationEssentials
package import Wire

/// A store of the attachments of sessions. The name of an upload in progress is the UUID of its file. The name of a complete
/// content is its digest.
///
/// The functions block the calling thread, and any thread may call them. The caller decides the order of calls for one name.
package protocol AttachmentStore: Sendable {
  /// Returns the number of bytes that can still be stored.
  func freeBytes() throws(StorageError) -> UInt64

  /// Returns the uploads and contents of a session in any order.
  func files(of session: SessionID) throws(StorageError) -> [StoredFile]

  /// Begins an empty upload. Removes an earlier upload with the same name. Bytes that are written to the removed upload later are
  /// lost.
  func createUpload(_ name: UUID, of session: SessionID) throws(StorageError) -> any StoredUpload

  /// Opens an upload at its end. From this call on, no other code may write to the upload.
  ///
  /// - Throws: `StorageError`; ENOENT if there is no such upload.
  func openUpload(_ name: UUID, of session: SessionID) throws(StorageError) -> any StoredUpload

  /// Removes an upload. Succeeds if the upload does not exist.
  func discardUpload(_ name: UUID, of session: SessionID) throws(StorageError)

  /// Stores a finished upload as the content of an attachment. Replaces stored content with the same digest.
  ///
  /// - Parameters:
  ///   - upload: the name of the upload, which is removed.
  ///   - digest: the result of `StoredUpload.finish`.
  ///   - session: the session.
  /// - Returns: the mark of the content; nil if another thread has already removed the content.
  /// - Throws: `StorageError`; the upload then stays, unless only a sync failed.
  func place(
    _ upload: UUID, as digest: String, of session: SessionID
  ) throws(StorageError) -> ContentMark?

  /// Opens the content of an attachment for reading.
  ///
  /// - Throws: `StorageError`; ENOENT if no content has the digest.
  func openContent(_ digest: String, of session: SessionID) throws(StorageError) -> any StoredContent

  /// Removes the content that has the given digest. Succeeds if there is no such content. Readers that have opened the content
  /// can still read it.
  func removeContent(_ digest: String, of session: SessionID) throws(StorageError)

  /// Removes all uploads and contents of a session. Succeeds if there are none.
  func removeAll(of session: SessionID) throws(StorageError)
}

/// An upload in progress: its bytes, and the digest of the bytes that it already has.
///
/// Not `Sendable`: it belongs to one actor.
package protocol StoredUpload: AnyObject {
  /// The number of received bytes.
  var offset: UInt64 { get }

  /// Releases the file descriptor and other resources until `resume`.
  func park()

  /// Prepares the upload for writing after a call of `park`. Does nothing if the upload is not parked.
  func resume() throws(StorageError)

  /// Appends all bytes. If this function throws, no bytes are appended.
  func append(_ bytes: Span<UInt8>) throws(StorageError)

  /// Records the current offset, to which `rollBack` returns. Before the first call, `rollBack` returns to the offset at which
  /// the upload was opened.
  func mark()

  /// Removes the bytes that were appended since the last call of `mark`.
  func rollBack() throws(StorageError)

  /// Waits until the received bytes are as durable as the store promises. Also works after a call of `park`.
  func sync() throws(StorageError)

  /// Ends the upload. No bytes can be appended afterwards.
  ///
  /// - Returns: the SHA-256 of all bytes, as 64 lowercase hexadecimal digits.
  func finish() throws(StorageError) -> String
}

/// The content of an attachment, opened for reading. Its bytes do not change, and can be read even after the content was
/// removed.
package protocol StoredContent: AnyObject, Sendable {
  /// The identity of the content's bytes at the time when the content was opened.
  var mark: ContentMark { get }

  /// Returns `count` bytes from an offset.
  ///
  /// - Throws: `StorageError`; ENODATA if the content has fewer bytes.
  func read(at offset: UInt64, count: Int) throws(StorageError) -> [UInt8]
}

/// The identity of the stored bytes of an attachment's content. A different mark means that the bytes were written again
/// or changed.
package struct ContentMark: Hashable, Sendable {
  private let identity: UInt64
  private let version: Int64
  /// The number of bytes of the content.
  package let length: UInt64

  /// Creates the identity of stored bytes.
  ///
  /// - Parameters:
  ///   - identity: a number that is different for each content in the store.
  ///   - version: a number that changes when the bytes change.
  ///   - length: the number of bytes.
  package init(identity: UInt64, version: Int64, length: UInt64) {
    self.identity = identity
    self.version = version
    self.length = length
  }
}
