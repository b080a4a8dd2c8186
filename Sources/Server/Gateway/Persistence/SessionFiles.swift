internal import FoundationEssentials
internal import Storage
internal import Platform
internal import Wire

/// Renames and removes the files of uploads and attachment contents of all sessions, in the order of the calls.
///
/// The order matters if a content is added again while the last attachment with the same content is being removed. The owner of
/// the session decides whether to remove the content, and then calls `removeContent` without a suspension point between the
/// decision and the call.
actor SessionFiles {
  private let executor: BlockingExecutor
  private let attachments: any AttachmentStore

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  init(_ attachments: any AttachmentStore, on executor: BlockingExecutor) {
    self.attachments = attachments
    self.executor = executor
  }

  /// Stores a finished upload as the content of an attachment. If that fails, the upload is removed.
  ///
  /// - Returns: the `ContentMark` of the stored content; nil if the content has been removed.
  func place(_ upload: UUID, as digest: String, of session: SessionID) throws(StorageError) -> ContentMark? {
    do throws(StorageError) {
      return try attachments.place(upload, as: digest, of: session)
    } catch {
      // An error of `discardUpload` is ignored, because the caller gets the error of `place`.
      try? attachments.discardUpload(upload, of: session)
      throw error
    }
  }

  /// Removes content that no attachment uses.
  func removeContent(_ digest: String, of session: SessionID) throws(StorageError) {
    try attachments.removeContent(digest, of: session)
  }

  /// Removes an upload that no attachment uses.
  func discardUpload(_ upload: UUID, of session: SessionID) throws(StorageError) {
    try attachments.discardUpload(upload, of: session)
  }

  /// Returns the size of a session's records in bytes; nil if there is no such session.
  func byteCount(of session: SessionID, in store: any SessionStore) throws(StorageError) -> Int? {
    try store.byteCount(of: session)
  }

  /// Removes all uploads and contents of a session.
  func removeAll(of session: SessionID) throws(StorageError) {
    try attachments.removeAll(of: session)
  }
}
