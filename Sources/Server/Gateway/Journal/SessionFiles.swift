internal import FoundationEssentials
internal import Storage
internal import Platform
internal import Wire

/// What is renamed and removed in the sessions' folders, in the order in which it was asked for.
///
/// The order is what keeps a content that is being added again from the removal of its last reference: who owns a session
/// decides, and calls without waiting for anything between.
actor SessionFiles {
  private let executor: BlockingExecutor
  private let data: DataFolder
  private let syncs: Bool

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  init(_ data: DataFolder, on executor: BlockingExecutor, syncs: Bool) {
    self.data = data
    self.executor = executor
    self.syncs = syncs
  }

  /// Puts a whole upload where its content belongs; the same content may lie there already. What cannot be put there is removed.
  /// - Returns: the mark of the content's file; nil when it was removed meanwhile.
  func place(_ upload: UUID, as digest: String, of session: SessionID) throws(StorageError) -> ContentMark? {
    let folder = data.attachments(of: session)
    do throws(StorageError) {
      return try folder.place(upload, as: digest, syncs: syncs)
    } catch {
      // What went wrong first is what is told.
      try? folder.discardUpload(upload)
      throw error
    }
  }

  /// Removes a content that nobody refers to any more.
  func removeContent(_ digest: String, of session: SessionID) throws(StorageError) {
    try data.attachments(of: session).removeContent(digest)
  }

  /// Removes what has arrived of an upload that nothing refers to any more.
  func discardUpload(_ upload: UUID, of session: SessionID) throws(StorageError) {
    try data.attachments(of: session).discardUpload(upload)
  }

  /// Returns the size of a session's records in bytes; nil if there is no such session.
  func byteCount(of session: SessionID, in store: any SessionStore) throws(StorageError) -> Int? {
    try store.byteCount(of: session)
  }

  /// Removes all files of a session.
  func removeSession(_ session: SessionID) throws(StorageError) {
    try data.attachments(of: session).removeSession()
  }
}
