internal import CLinux
package import FoundationEssentials
internal import Glibc
package import SessionCore
internal import Platform
package import Wire

/// Copies the files of one session, one at a time. The caller decides the order and checks that the copies are
/// consistent: a gateway may write to the session during the copy.
package struct SessionCopy {
  private static let uploads = StoredFile.Place.uploads.rawValue
  private static let contents = StoredFile.Place.attachments.rawValue

  /// The id of the session.
  package let id: SessionID
  private let copy: DataFolderCopy

  /// Creates a copy without files.
  package init(of id: SessionID, in copy: DataFolderCopy) {
    self.id = id
    self.copy = copy
  }

  /// Creates the folders of the session.
  /// - Throws: `CopyError`, for example if the target has too little free space.
  package func begin() throws(CopyError) {
    try copy.files.checkRoom(for: 0)
    try copy.writing { () throws(StorageError) in try copy.target.attachments(of: id).make() }
  }

  /// Removes the copy.
  package func discard() throws(CopyError) {
    try copy.writing { () throws(StorageError) in try copy.target.attachments(of: id).removeSession() }
  }

  /// Copies the log with all records that were written before the call. Replaces an earlier copy of the log.
  /// - Returns: the copied log, which may end within a record.
  package func copyLog() throws(CopyError) -> LogSnapshot {
    let source = try copy.reading { () throws(StorageError) in
      try open(copy.source).openFile(LogName.current.text, toWrite: false, for: .readLog)
    }
    let target = try copy.writing { () throws(StorageError) in try open(copy.target) }
    try copy.copy(source, to: LogName.current.text, in: target)
    return try copy.writing { () throws(StorageError) in
      try LogSnapshot(try FolderDisk(copy.target).openFile(.current, of: id, toWrite: false))
    }
  }

  /// Cuts the copied log after its last complete record.
  package func cutLog(_ end: LogEnd) throws(CopyError) {
    try copy.writing { () throws(StorageError) in
      let file = try copy.target.openSessions(for: .cutLog).folder(id.text, for: .cutLog)
        .openFile(LogName.current.text, toWrite: true, for: .cutLog)
      try StorageError.check(.cutLog, clinux_file_truncate(file.rawValue, Int64(end.offset)))
    }
  }

  /// Appends a record to the copied log. The last record of the log must be complete.
  package func append(_ record: SessionRecord, behind end: LogEnd) throws(CopyError) {
    try copy.writing { () throws(StorageError) in
      let file = try FolderDisk(copy.target).openFile(.current, of: id, toWrite: true)
      let log = OpenLog(
        id, file, end: OpenLog.Position(length: end.offset, chain: end.chain), marks: end.marks)
      var room: [UInt8] = []
      try log.write([record], &room)
    }
  }

  /// Copies the files with damaged bytes beside the log.
  /// - Returns: true if there were any.
  package func copyDamagedBytes() throws(CopyError) -> Bool {
    var hasAny = false
    for number in 1...CorruptTail.most {
      let name = LogName.damaged(number).text
      hasAny = try copyIfThere(name, "", orElse: nil, atMost: nil) != nil || hasAny
      _ = try copyIfThere(LogName.accepted(number).text, "", orElse: nil, atMost: nil)
    }
    return hasAny
  }

  /// Copies the pieces of the session's history. A piece that is removed during the copy is left out.
  ///
  /// The caller has copied the log before. Entries are dropped from the log only when the history has them, so the copied log has
  /// each entry that the history lacked at that time. Pieces that are newer than the copied log are removed when the session is
  /// opened.
  ///
  /// - Returns: the number of copied bytes.
  package func copyHistory() throws(CopyError) -> UInt64 {
    let pieces = try copy.reading { () throws(StorageError) in
      try FolderDisk(copy.source).historyPieces(of: id)
    }
    var bytes: UInt64 = 0
    for piece in pieces { bytes += try copyIfThere(piece.fileName, "", orElse: nil, atMost: nil) ?? 0 }
    return bytes
  }

  /// Opens a file of the session for a later copy. The copy succeeds even if the file is removed before the copy.
  /// - Returns: nil if the file does not exist any more.
  /// - Throws: `CopyError` for the source, for example if the process has no free descriptor.
  package func pin(_ file: StoredFile) throws(CopyError) -> PinnedFile? {
    try find(file.name, file.place.rawValue)
  }

  /// Copies the content of an attachment.
  ///
  /// - Parameters:
  ///   - digest: the digest of the content.
  ///   - pinned: the open file, which is used if the file was removed.
  /// - Returns: the length of the content in bytes; nil if there is no such content.
  /// - Throws: `CopyError`.
  package func copyContent(_ digest: String, orElse pinned: PinnedFile? = nil) throws(CopyError) -> UInt64? {
    let name: String
    do throws(StorageError) {
      name = try AttachmentFolder.contentName(digest, for: .openContent)
    } catch {
      throw .source(error)
    }
    return try copyIfThere(name, Self.contents, orElse: pinned, atMost: nil)
  }

  /// Copies the received bytes of an upload, up to a limit.
  ///
  /// - Parameters:
  ///   - file: the name of the upload's file.
  ///   - pinned: the open file, which is used if the file was removed.
  ///   - limit: the maximum number of bytes to copy.
  /// - Returns: the number of bytes; nil if the upload does not exist.
  /// - Throws: `CopyError`.
  package func copyUpload(
    _ file: UUID, orElse pinned: PinnedFile? = nil, atMost limit: UInt64?
  ) throws(CopyError) -> UInt64? {
    try copyIfThere(file.uuidString, Self.uploads, orElse: pinned, atMost: limit)
  }

  /// Removes the content of an attachment from the copy. Succeeds if there is no such content.
  package func discardContent(_ digest: String) throws(CopyError) {
    try copy.writing { () throws(StorageError) in
      try copy.target.attachments(of: id).removeContent(digest)
    }
  }

  /// Removes an upload from the copy. Succeeds if there is no such upload.
  package func discardUpload(_ file: UUID) throws(CopyError) {
    try copy.writing { () throws(StorageError) in try copy.target.attachments(of: id).discardUpload(file) }
  }

  /// Returns the uploads and contents of the source.
  package func files() throws(CopyError) -> [StoredFile] {
    try copy.reading { () throws(StorageError) in try copy.source.attachments(of: id).files() }
  }

  /// Returns true if the source does not have the session any more.
  package func isGone() throws(CopyError) -> Bool {
    try copy.reading { () throws(StorageError) in
      try copy.source.openSessions(for: .listSessions).information(of: id.text, for: .listSessions) == nil
    }
  }

  private func copyIfThere(
    _ name: String, _ folder: String, orElse pinned: PinnedFile?, atMost limit: UInt64?
  ) throws(CopyError) -> UInt64? {
    guard let source = try find(name, folder) ?? pinned else { return nil }
    let target = try copy.writing { () throws(StorageError) in try open(copy.target, folder) }
    return try copy.copy(source.descriptor, to: name, in: target, atMost: limit)
  }

  private func find(_ name: String, _ folder: String) throws(CopyError) -> PinnedFile? {
    do throws(StorageError) {
      return PinnedFile(try open(copy.source, folder).openFile(name, toWrite: false, for: .openContent))
    } catch {
      guard error.isMissing else { throw .source(error) }
      return nil
    }
  }

  private func open(_ data: DataFolder, _ name: String = "") throws(StorageError) -> Folder {
    let own = try data.openSessions(for: .openContent).folder(id.text, for: .openContent)
    return name.isEmpty ? own : try own.folder(name, for: .openContent)
  }
}

/// An open file. This object can read the content even after the file was removed.
package final class PinnedFile {
  let descriptor: OwnedDescriptor

  init(_ descriptor: consuming OwnedDescriptor) {
    self.descriptor = descriptor
  }
}
