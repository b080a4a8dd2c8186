internal import CLinux
package import FoundationEssentials
internal import Glibc
package import SessionCore
internal import Platform
package import Wire

/// Copies what is kept of one session, a file at a time. In which order, and whether what was copied fits together, is the
/// caller's to know: a gateway may be writing to the session meanwhile.
package struct SessionCopy {
  private static let uploads = StoredFile.Place.uploads.rawValue
  private static let contents = StoredFile.Place.attachments.rawValue

  /// Which session.
  package let id: SessionID
  private let copy: DataFolderCopy

  /// A copy that is yet to be begun.
  package init(of id: SessionID, in copy: DataFolderCopy) {
    self.id = id
    self.copy = copy
  }

  /// Makes the session's folders.
  ///
  /// - Throws: `CopyError`, also when there is hardly any room left.
  package func begin() throws(CopyError) {
    try copy.files.checkRoom(for: 0)
    try copy.writing { () throws(StorageError) in try copy.target.attachments(of: id).make() }
  }

  /// Removes what was copied.
  package func discard() throws(CopyError) {
    try copy.writing { () throws(StorageError) in try copy.target.attachments(of: id).removeSession() }
  }

  /// Copies the log as it is now, in the place of one that was copied before: all that was written before this was called.
  ///
  /// - Returns: the copy. It may end within a record, which was being written.
  package func copyLog() throws(CopyError) -> LogSnapshot {
    let source = try copy.reading { () throws(StorageError) in
      try open(copy.source).openFile(LogName.current.text, toWrite: false, for: .readLog)
    }
    let target = try copy.writing { () throws(StorageError) in try open(copy.target) }
    try copy.copy(source, to: LogName.current.text, in: target)
    do throws(LogError) {
      return try LogSnapshot(try openCopiedLog(toWrite: false))
    } catch {
      guard case .file(let error) = error else { throw .target(StorageError(.readLog, code: EIO)) }
      throw .target(error)
    }
  }

  /// Cuts the copied log behind its last whole record.
  package func cutLog(_ end: LogEnd) throws(CopyError) {
    try copy.writing { () throws(StorageError) in
      let file = try copy.target.openSessions(for: .cutLog).folder(id.text, for: .cutLog)
        .openFile(LogName.current.text, toWrite: true, for: .cutLog)
      try StorageError.check(.cutLog, clinux_file_truncate(file.rawValue, Int64(end.offset)))
    }
  }

  /// Writes a record behind the last one of the copied log, which is whole.
  package func append(_ record: SessionRecord, behind end: LogEnd) throws(CopyError) {
    try copy.writing { () throws(StorageError) in
      let file = try FolderDisk(copy.target).openFile(.current, of: id, toWrite: true)
      let log = OpenLog(
        id, file, end: OpenLog.Position(length: end.offset, chain: end.chain), marks: end.marks)
      var room: [UInt8] = []
      try log.write([record], &room)
    }
  }

  /// Copies what was behind the damage in a log when that was cut.
  ///
  /// - Returns: whether there was any.
  package func copyDamagedRests() throws(CopyError) -> Bool {
    var hasAny = false
    for number in 1...CorruptTail.most {
      let name = LogName.damaged(number).text
      hasAny = try copyIfThere(name, "", orElse: nil, atMost: nil) != nil || hasAny
      _ = try copyIfThere(LogName.accepted(number).text, "", orElse: nil, atMost: nil)
    }
    return hasAny
  }

  /// Opens a file of the session to be copied later, whatever becomes of its name.
  ///
  /// - Returns: nil when it is not there any more.
  /// - Throws: `CopyError` of the source; also when there are no descriptors left.
  package func hold(_ file: StoredFile) throws(CopyError) -> HeldFile? {
    try find(file.name, file.place.rawValue)
  }

  /// Copies a whole content.
  ///
  /// - Parameters:
  ///   - digest: which.
  ///   - held: it as it was, for when it has its name no more.
  /// - Returns: how many bytes it has; nil when it is not there.
  /// - Throws: `CopyError`.
  package func copyContent(_ digest: String, orElse held: HeldFile? = nil) throws(CopyError) -> UInt64? {
    let name: String
    do throws(StorageError) {
      name = try AttachmentFolder.contentName(digest, for: .openContent)
    } catch {
      throw .source(error)
    }
    return try copyIfThere(name, Self.contents, orElse: held, atMost: nil)
  }

  /// Copies what has arrived of an upload, and no more than it may have.
  ///
  /// - Parameters:
  ///   - file: which.
  ///   - held: it as it was, for when it has its name no more.
  ///   - limit: the most bytes to copy.
  /// - Returns: how many bytes that is; nil when it is not there.
  /// - Throws: `CopyError`.
  package func copyUpload(
    _ file: UUID, orElse held: HeldFile? = nil, atMost limit: UInt64?
  ) throws(CopyError) -> UInt64? {
    try copyIfThere(file.uuidString, Self.uploads, orElse: held, atMost: limit)
  }

  /// Removes a content from the copy: fine when there is none.
  package func discardContent(_ digest: String) throws(CopyError) {
    try copy.writing { () throws(StorageError) in
      try copy.target.attachments(of: id).removeContent(digest)
    }
  }

  /// Removes what was copied of an upload: fine when there is nothing.
  package func discardUpload(_ file: UUID) throws(CopyError) {
    try copy.writing { () throws(StorageError) in try copy.target.attachments(of: id).discardUpload(file) }
  }

  /// What there is of uploads and contents where they are copied from.
  package func files() throws(CopyError) -> [StoredFile] {
    try copy.reading { () throws(StorageError) in try copy.source.attachments(of: id).files() }
  }

  /// Whether the session is gone from where it is copied from.
  package func isGone() throws(CopyError) -> Bool {
    try copy.reading { () throws(StorageError) in
      try copy.source.openSessions(for: .listSessions).information(of: id.text, for: .listSessions) == nil
    }
  }

  private func copyIfThere(
    _ name: String, _ folder: String, orElse held: HeldFile?, atMost limit: UInt64?
  ) throws(CopyError) -> UInt64? {
    guard let source = try find(name, folder) ?? held else { return nil }
    let target = try copy.writing { () throws(StorageError) in try open(copy.target, folder) }
    return try copy.copy(source.descriptor, to: name, in: target, atMost: limit)
  }

  private func find(_ name: String, _ folder: String) throws(CopyError) -> HeldFile? {
    do throws(StorageError) {
      return HeldFile(try open(copy.source, folder).openFile(name, toWrite: false, for: .openContent))
    } catch {
      guard error.isMissing else { throw .source(error) }
      return nil
    }
  }

  private func open(_ data: DataFolder, _ name: String = "") throws(StorageError) -> Folder {
    let own = try data.openSessions(for: .openContent).folder(id.text, for: .openContent)
    return name.isEmpty ? own : try own.folder(name, for: .openContent)
  }

  private func openCopiedLog(toWrite isWriting: Bool) throws(LogError) -> any SessionFile {
    do throws(StorageError) {
      return try FolderDisk(copy.target).openFile(.current, of: id, toWrite: isWriting)
    } catch {
      throw .file(error)
    }
  }
}

/// A file that is held open: what is in it stays for as long as this is there, also without a name.
package final class HeldFile {
  let descriptor: OwnedDescriptor

  init(_ descriptor: consuming OwnedDescriptor) {
    self.descriptor = descriptor
  }
}
