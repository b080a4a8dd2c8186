internal import CLinux
package import FoundationEssentials
internal import Glibc
internal import Wire

/// The attachments of one session: the received bytes of each upload, and complete contents by their digest. The functions block
/// the calling thread, and any thread may call them. The caller decides the order of the calls for the same upload or content.
package struct AttachmentFolder: Sendable {
  private static let uploads = StoredFile.Place.uploads.rawValue
  private static let contents = StoredFile.Place.attachments.rawValue

  private let data: DataFolder
  private let session: SessionID

  init(data: DataFolder, session: SessionID) {
    self.data = data
    self.session = session
  }

  /// Creates the missing folders for a session's files.
  ///
  /// - Parameter makesSession: true to create the session's own folder too; false if a store creates it together with the log.
  /// - Throws: `StorageError`; ENOENT if the session's folder is missing and is not created.
  package func make(makesSession: Bool = true) throws(StorageError) {
    let operation = StorageError.Operation.makeSession
    let sessions = try data.openSessions(for: operation)
    if makesSession { try sessions.makeFolder(session.text, for: operation) }
    let own = try sessions.folder(session.text, for: operation)
    try own.makeFolder(Self.uploads, for: operation)
    try own.makeFolder(Self.contents, for: operation)
  }

  /// Removes the session's folder with its content. Succeeds if the folder does not exist.
  package func removeSession() throws(StorageError) {
    try data.openSessions(for: .removeSession).removeTree(session.text, for: .removeSession)
  }

  /// Removes all uploads and contents. Succeeds if no uploads or contents exist.
  func removeFiles() throws(StorageError) {
    do throws(StorageError) {
      let own = try data.openSessions(for: .removeContent).folder(session.text, for: .removeContent)
      for name in [Self.uploads, Self.contents] { try own.removeTree(name, for: .removeContent) }
    } catch {
      guard error.isMissing else { throw error }
    }
  }

  /// Creates the file of a new upload. Removes an earlier file with the same id. Bytes that are written to the removed file later
  /// are lost.
  package func createUpload(_ id: UUID) throws(StorageError) -> UploadFile {
    let uploads = try open(Self.uploads, for: .createUpload)
    try uploads.removeFile(id.uuidString, for: .createUpload)
    return UploadFile(creating: try uploads.createFile(id.uuidString, for: .createUpload))
  }

  /// Opens an upload at the end of its received bytes, and reads them once for the digest. From this call on, no other code
  /// may write to the file.
  package func openUpload(_ id: UUID) throws(StorageError) -> UploadFile {
    let uploads = try open(Self.uploads, for: .openUpload)
    return try UploadFile(
      continuing: try uploads.openFile(id.uuidString, toWrite: true, for: .openUpload))
  }

  /// Opens the file of a parked upload again. Does nothing if the file is open.
  package func resume(_ file: UploadFile, _ id: UUID) throws(StorageError) {
    guard file.isParked else { return }
    let uploads = try open(Self.uploads, for: .openUpload)
    try file.resume(with: try uploads.openFile(id.uuidString, toWrite: true, for: .openUpload))
  }

  /// Syncs the received bytes of an upload and the name of its file. Returns immediately if both are on the disk already.
  package func sync(_ file: UploadFile, _ id: UUID) throws(StorageError) {
    guard !file.isSynced || (file.offset > 0 && !file.isNameSynced) else { return }
    try resume(file, id)
    if !file.isSynced { try file.sync() }
    guard !file.isNameSynced else { return }
    let own = try data.openSessions(for: .sync).folder(session.text, for: .sync)
    try own.folder(Self.uploads, for: .sync).sync(for: .sync)
    // After a power cut, a file name exists only if the names of the folders that contain the file exist too. The name of the
    // session's folder was synced at its creation.
    try own.sync(for: .sync)
    file.isNameSynced = true
  }

  /// Stores a finished upload as the content of an attachment. Replaces stored content with the same digest. Code
  /// that has opened the old content can still read it.
  ///
  /// - Parameters:
  ///   - id: the upload, which this call removes.
  ///   - digest: the result of `UploadFile.finish`: 64 lowercase hexadecimal digits. Any other text causes the error
  ///     EINVAL.
  ///   - syncs: true to wait until the new name is on the disk. `finish` must have had the same value for `syncs`,
  ///     so that the bytes are on the disk too.
  /// - Returns: the mark of the content's file; nil if another thread has already removed the content.
  /// - Throws: `StorageError`; the upload then stays, unless only a sync failed.
  @discardableResult
  package func place(_ id: UUID, as digest: String, syncs: Bool) throws(StorageError) -> ContentMark? {
    let operation = StorageError.Operation.placeContent
    let name = try Self.contentName(digest, for: operation)
    let sessions = try data.openSessions(for: operation)
    let own = try sessions.folder(session.text, for: operation)
    let uploads = try own.folder(Self.uploads, for: operation)
    let contents = try own.folder(Self.contents, for: operation)
    try uploads.rename(id.uuidString, to: name, in: contents, for: operation)
    let mark = try contents.information(of: name, for: operation).map { found throws(StorageError) in
      try ContentMark(found)
    }
    guard syncs else { return mark }
    try contents.sync(for: operation)
    try uploads.sync(for: operation)
    // After a power cut, a file name exists only if the names of the folders that contain the file exist too.
    try own.sync(for: operation)
    try sessions.sync(for: operation)
    return mark
  }

  /// Removes an upload. Succeeds if the upload does not exist.
  package func discardUpload(_ id: UUID) throws(StorageError) {
    try remove(id.uuidString, from: Self.uploads, for: .discardUpload)
  }

  /// Removes the content that has the given digest. Does nothing if there is no such content. Readers that have opened the
  /// content can still read it.
  package func removeContent(_ digest: String) throws(StorageError) {
    try remove(try Self.contentName(digest, for: .removeContent), from: Self.contents, for: .removeContent)
  }

  /// Returns the uploads and contents in any order; none if the folders do not exist yet.
  package func files() throws(StorageError) -> [StoredFile] {
    let operation = StorageError.Operation.listFiles
    var files: [StoredFile] = []
    for place in StoredFile.Place.allCases {
      let folder: Folder
      do throws(StorageError) {
        folder = try open(place.rawValue, for: operation)
      } catch {
        guard error.isMissing else { throw error }
        continue
      }
      for name in try folder.names(for: operation) {
        // Another thread may have removed the file.
        guard let found = try folder.information(of: name, for: operation), found.is_regular != 0 else {
          continue
        }
        files.append(
          StoredFile(
            place: place, name: name, length: UInt64(found.length),
            modified: Date(nanosecondsSince1970: found.modified)))
      }
    }
    return files
  }

  /// Opens the content that has the given digest for reading.
  package func openContent(_ digest: String) throws(StorageError) -> ContentFile {
    let name = try Self.contentName(digest, for: .openContent)
    let contents = try open(Self.contents, for: .openContent)
    return try ContentFile(opening: try contents.openFile(name, toWrite: false, for: .openContent))
  }

  /// Opens the received bytes of an upload for reading.
  package func openArrived(_ id: UUID) throws(StorageError) -> ContentFile {
    let uploads = try open(Self.uploads, for: .openUpload)
    return try ContentFile(opening: try uploads.openFile(id.uuidString, toWrite: false, for: .openUpload))
  }

  private func open(
    _ name: String, for operation: StorageError.Operation
  ) throws(StorageError) -> Folder {
    try data.openSessions(for: operation).folder(session.text, for: operation).folder(name, for: operation)
  }

  private func remove(
    _ name: String, from folder: String, for operation: StorageError.Operation
  ) throws(StorageError) {
    let opened: Folder
    do throws(StorageError) {
      opened = try open(folder, for: operation)
    } catch {
      // If the session's folder is missing, there is nothing to remove.
      guard error.code == ENOENT else { throw error }
      return
    }
    try opened.removeFile(name, for: operation)
  }

  /// Returns the file name for the content that has the given digest. Accepts only a well-formed digest.
  static func contentName(
    _ digest: String, for operation: StorageError.Operation
  ) throws(StorageError) -> String {
    let isDigest =
      digest.utf8.count == 64
      && digest.utf8.allSatisfy {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
          || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
      }
    guard isDigest else { throw StorageError(operation, code: EINVAL) }
    return digest
  }
}
