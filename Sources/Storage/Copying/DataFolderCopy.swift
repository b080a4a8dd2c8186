internal import CLinux
internal import Glibc
internal import Transport
internal import Wire

/// A data folder that is being made of another one. Until `finish` its file `format` says that it is not whole, so that no
/// gateway of any version starts on it.
///
/// Every call blocks. Not `Sendable`: one thread has it.
package final class DataFolderCopy {
  /// What the copy is for.
  package enum Purpose: String, Sendable, CaseIterable {
    /// A folder beside the one that is in use: new, empty, or left by a backup that was not finished.
    case backup
    /// The folder that a gateway is to use: without sessions, or left by a restore that was not finished.
    case restore
  }

  /// Whose the files are, where somebody makes them who may choose.
  struct Owner: Equatable {
    var user: UInt32
    var group: UInt32
  }

  /// The folder that is copied.
  package let source: DataFolder
  let target: DataFolder
  let files: FileCopier
  private let path: String
  private let purpose: Purpose
  /// Whether the folder was not there before.
  private let isNew: Bool
  private let owner: Owner?

  /// How many bytes were copied.
  package var bytes: UInt64 { files.bytes }

  /// Makes the folder, or takes one that is there, with its lock.
  ///
  /// - Parameters:
  ///   - source: the folder to copy, which a gateway may be using.
  ///   - path: where the copy goes; it and those above it are made (for this user alone) when they are missing.
  ///   - purpose: what it is for.
  ///   - reserve: how many bytes stay free when both folders are in one file system.
  /// - Throws: `DataFolderError`; nothing is then left of what was not there before.
  package init(
    of source: DataFolder, at path: String, for purpose: Purpose, reserve: UInt64 = 0
  ) throws(DataFolderError) {
    isNew = try Self.checkPlace(path, of: source)
    try DataFolder.make(path)
    let root = try DataFolder.open(path)
    if purpose == .backup { try Self.checkEmpty(root, path) }
    let lock = try DataFolder.takeLock(of: root, path)
    target = DataFolder(root, lock: lock)
    do throws(StorageError) {
      let (of, at) = (try source.root.information(for: .mark), try target.root.information(for: .mark))
      let kept = isNew ? of : at
      owner = geteuid() == 0 ? Owner(user: kept.owner, group: kept.group) : nil
      files = FileCopier(to: target, reserve: of.device == at.device ? reserve : 0)
    } catch {
      throw .unusable(path: path, SystemError("stat", code: error.code))
    }
    self.source = source
    self.path = path
    self.purpose = purpose
    if purpose == .restore { try Self.checkFreeOfSessions(target.root, path) }
    do throws(StorageError) {
      try begin()
    } catch {
      // What went wrong first is what is told.
      try? abandon()
      throw .notWritable(path: path, SystemError("write", code: error.code))
    }
  }

  /// Says that the copy is whole. Everything in it is on the disk when this returns.
  ///
  /// - Throws: `CopyError`; it is then still not whole.
  package func finish() throws(CopyError) {
    try writing { () throws(StorageError) in
      if let owner { try target.root.giveTree(".", to: owner, for: .writeCopy) }
      try target.syncAll()
      try target.root.write(
        DataFolder.formatText, as: DataFolder.formatFile, ownedBy: owner, for: .writeCopy)
    }
  }

  /// Removes what was made: a folder that was not there is none again, and one that was is empty, or a data folder without
  /// sessions.
  ///
  /// - Throws: `StorageError`; the folder then still says that it is not whole.
  package func abandon() throws(StorageError) {
    try removeSessions()
    if isNew || purpose == .backup {
      for name in DataFolder.certificateFiles + [DataFolder.formatFile, DataFolder.lockFile] {
        try target.root.removeFile(name, for: .writeCopy)
      }
      if isNew, unsafe rmdir(path) != 0 { throw StorageError(.writeCopy, code: errno) }
    } else {
      try target.root.makeFolder(DataFolder.sessions, for: .writeCopy)
      try target.root.write(
        DataFolder.formatText, as: DataFolder.formatFile, ownedBy: owner, for: .writeCopy)
    }
  }

  /// Copies the certificate that a gateway made for itself, and its key: browsers that were told to trust it would ask again.
  /// Links are left alone, and so is one without the other.
  package func copyCertificate() throws(CopyError) {
    for name in DataFolder.certificateFiles {
      let found = try reading { () throws(StorageError) in
        try source.root.information(of: name, for: .openContent)
      }
      guard found?.is_regular == 1 else { return }
    }
    for name in DataFolder.certificateFiles {
      let file = try reading { () throws(StorageError) in
        try source.root.openFile(name, toWrite: false, for: .openContent)
      }
      try copy(file, to: name, in: target.root)
    }
  }

  /// Copies all of an open file to a new one, in the place of what has that name.
  ///
  /// - Parameters:
  ///   - file: what to copy.
  ///   - name: what the copy is called.
  ///   - folder: where it goes.
  ///   - limit: the most bytes to copy, from the beginning; all when it is nil.
  /// - Returns: how many were copied.
  /// - Throws: `CopyError`.
  @discardableResult
  func copy(
    _ file: borrowing OwnedDescriptor, to name: String, in folder: borrowing Folder,
    atMost limit: UInt64? = nil
  ) throws(CopyError) -> UInt64 {
    let length = clinux_file_length(file.rawValue)
    guard length >= 0 else { throw .source(StorageError(.readContent, code: CInt(clamping: -length))) }
    let count = min(UInt64(length), limit ?? .max)
    let made: OwnedDescriptor
    do throws(StorageError) {
      try folder.removeFile(name, for: .writeCopy)
      made = try folder.createFile(name, for: .writeCopy)
    } catch {
      throw .target(error)
    }
    try files.copy(file, to: made, count: count)
    return count
  }

  /// Does what only reads what is copied.
  func reading<Result: ~Copyable>(
    _ body: () throws(StorageError) -> Result
  ) throws(CopyError) -> Result {
    do throws(StorageError) {
      return try body()
    } catch {
      throw .source(error)
    }
  }

  /// Does what only writes the copy.
  func writing<Result: ~Copyable>(
    _ body: () throws(StorageError) -> Result
  ) throws(CopyError) -> Result {
    do throws(StorageError) {
      return try body()
    } catch {
      throw .target(error)
    }
  }

  private func begin() throws(StorageError) {
    try target.root.write(
      DataFolder.text(of: purpose), as: DataFolder.formatFile, ownedBy: owner, for: .writeCopy)
    try removeSessions()
    // What it says was true of the sessions that were here before.
    try target.root.removeTree(DataFolder.markFile, for: .writeCopy)
    try target.root.makeFolder(DataFolder.sessions, for: .writeCopy)
  }

  private func removeSessions() throws(StorageError) {
    for name in [DataFolder.sessions, DataFolder.made, DataFolder.removed] {
      try target.root.removeTree(name, for: .writeCopy)
    }
  }
}
