package import FoundationEssentials
package import Wire

/// The attachments in a data folder, as files in the folders of their sessions.
package struct FolderAttachments: AttachmentStore {
  private let data: DataFolder
  private let syncs: Bool
  private let makesSessions: Bool

  /// Creates a store of the attachments in a folder.
  ///
  /// - Parameters:
  ///   - data: the folder.
  ///   - syncs: true to wait until bytes and names are on the disk.
  ///   - makesSessions: true to create the folders of sessions; false if a `FolderStore` creates them.
  package init(_ data: DataFolder, syncs: Bool, makesSessions: Bool) {
    self.data = data
    self.syncs = syncs
    self.makesSessions = makesSessions
  }

  package func freeBytes() throws(StorageError) -> UInt64 { try data.freeBytes() }

  package func files(of session: SessionID) throws(StorageError) -> [StoredFile] {
    try data.attachments(of: session).files()
  }

  package func createUpload(_ name: UUID, of session: SessionID) throws(StorageError) -> any StoredUpload {
    let folder = data.attachments(of: session)
    try folder.make(makesSession: makesSessions)
    return FolderUpload(try folder.createUpload(name), name, in: folder, syncs: syncs)
  }

  package func openUpload(_ name: UUID, of session: SessionID) throws(StorageError) -> any StoredUpload {
    let folder = data.attachments(of: session)
    return FolderUpload(try folder.openUpload(name), name, in: folder, syncs: syncs)
  }

  package func discardUpload(_ name: UUID, of session: SessionID) throws(StorageError) {
    try data.attachments(of: session).discardUpload(name)
  }

  package func place(
    _ upload: UUID, as digest: String, of session: SessionID
  ) throws(StorageError) -> ContentMark? {
    try data.attachments(of: session).place(upload, as: digest, syncs: syncs)
  }

  package func openContent(
    _ digest: String, of session: SessionID
  ) throws(StorageError) -> any StoredContent {
    try data.attachments(of: session).openContent(digest)
  }

  package func removeContent(_ digest: String, of session: SessionID) throws(StorageError) {
    try data.attachments(of: session).removeContent(digest)
  }

  package func removeAll(of session: SessionID) throws(StorageError) {
    let folder = data.attachments(of: session)
    if makesSessions { try folder.removeSession() } else { try folder.removeFiles() }
  }
}

/// The file of an upload in a session's folder. A parked upload has no file descriptor.
private final class FolderUpload: StoredUpload {
  private let file: UploadFile
  private let name: UUID
  private let folder: AttachmentFolder
  private let syncs: Bool

  init(_ file: UploadFile, _ name: UUID, in folder: AttachmentFolder, syncs: Bool) {
    self.file = file
    self.name = name
    self.folder = folder
    self.syncs = syncs
  }

  var offset: UInt64 { file.offset }

  func park() {
    file.park()
  }

  func resume() throws(StorageError) {
    try folder.resume(file, name)
  }

  func append(_ bytes: Span<UInt8>) throws(StorageError) {
    try file.append(bytes)
  }

  func mark() {
    file.mark()
  }

  func rollBack() throws(StorageError) {
    try file.rollBack()
  }

  func sync() throws(StorageError) {
    guard syncs else { return }
    let wasParked = file.isParked
    defer { if wasParked { file.park() } }
    try folder.sync(file, name)
  }

  func finish() throws(StorageError) -> String {
    try folder.resume(file, name)
    return try file.finish(syncs: syncs)
  }
}
