internal import CLinux
internal import Glibc
internal import Platform
internal import Wire

/// A copy of a data folder in progress. Until `finish`, its file `format` marks it as unfinished, so that no gateway of any
/// version starts with it. Every call blocks. Not `Sendable`: only one thread uses it.
package final class DataFolderCopy {
  /// The purpose of the copy.
  package enum Purpose: String, Sendable, CaseIterable {
    /// A backup. The target is a new folder, an empty folder, or an unfinished backup.
    case backup
    /// A restore. The target is a data folder without sessions, or an unfinished restore.
    case restore
  }

  /// The folder that is copied.
  package let source: DataFolder
  let target: DataFolder
  let files: FileCopier
  private let purpose: Purpose
  private let targetState: TargetState
  /// The folders that were created for the copy, the outermost first.
  private let made: [String]
  private let hasMadeLock: Bool
  /// True if certificate and key were copied under temporary names.
  var hasCertificate = false
  /// The new name of the target's earlier certificate or key; nil if the target had none, or already had the
  /// same files.
  package internal(set) var replacedCertificate: String?

  /// The number of copied bytes.
  package var bytes: UInt64 { files.bytes }

  /// Creates the target folder, or opens an existing one, and locks it.
  ///
  /// - Parameters:
  ///   - source: the folder to copy, which may be in use by a gateway.
  ///   - path: the path of the target. Missing folders are created with access for this user only.
  ///   - purpose: the purpose of the copy.
  ///   - reserve: the bytes that stay free if both folders are in one file system.
  /// - Throws: `DataFolderError`; everything that was created is then removed.
  package init(
    of source: DataFolder, at path: String, for purpose: Purpose, reserve: UInt64 = 0
  ) throws(DataFolderError) {
    let isNew = try Self.checkPlace(path, of: source)
    var made: [String] = []
    var hasMadeLock = false
    var targetState = TargetState.empty
    do throws(DataFolderError) {
      let newOwner = purpose == .restore ? try Self.newOwner(of: source, isNew ? nil : path) : nil
      try DataFolder.make(path, for: newOwner, &made)
      let root = try DataFolder.open(path, givingTo: newOwner)
      try Self.check(root, path, for: purpose, of: source)
      let lock = try Self.acquireLock(of: root, path, for: purpose, of: source, &hasMadeLock, &targetState)
      target = DataFolder(root, lock: lock)
      let (from, to) = (
        try Self.information(of: source.root, path), try Self.information(of: target.root, path)
      )
      let isShared = from.device == to.device
      files = FileCopier(to: target, reserve: isShared ? reserve : 0)
    } catch {
      Self.remove(made)
      throw error
    }
    self.source = source
    self.purpose = purpose
    self.targetState = targetState
    self.made = made
    self.hasMadeLock = hasMadeLock
    do throws(StorageError) {
      try begin()
    } catch {
      // An error of `abandon` is ignored, because the caller gets the earlier error.
      try? abandon()
      throw .notWritable(path: path, SystemError("write", code: error.code))
    }
  }

  /// Marks the copy as finished. All files of the copy are on the disk when this function returns.
  /// - Throws: `CopyError`; the copy is then still unfinished.
  package func finish() throws(CopyError) {
    try writing { () throws(StorageError) in
      try target.syncAll()
      try placeCertificate()
      try target.root.write(DataFolder.formatText, as: DataFolder.formatFile, for: .writeCopy)
    }
  }

  /// Removes everything that was created for the copy. If the target was a data folder without sessions before the copy, it
  /// becomes a data folder without sessions again.
  /// - Throws: `StorageError`; the folder is then still marked as unfinished.
  package func abandon() throws(StorageError) {
    try discardCertificate()
    try removeSessions()
    if purpose == .restore, targetState != .empty {
      try target.root.makeFolder(DataFolder.sessions, for: .writeCopy)
      let format = if case .dataFolder(let format) = targetState { format } else { DataFolder.format }
      return try target.root.write(
        DataFolder.text(of: format), as: DataFolder.formatFile, for: .writeCopy)
    }
    try target.root.removeTree(DataFolder.sessions, for: .writeCopy)
    try removeCertificate()
    let format = DataFolder.formatFile
    for name in [format + ".new", format] { try target.root.removeFile(name, for: .writeCopy) }
    if hasMadeLock || targetState == .unfinished {
      try target.root.removeFile(DataFolder.lockFile, for: .writeCopy)
    }
    guard let folder = made.last else { return }
    guard unsafe rmdir(folder) == 0 else { throw StorageError(.writeCopy, code: errno) }
    Self.remove(made.dropLast())
  }

  /// Checks that a folder can be the target of the copy, before anything is created in it.
  private static func check(
    _ root: borrowing Folder, _ path: String, for purpose: Purpose, of source: DataFolder
  ) throws(DataFolderError) {
    do throws(DataFolderError) {
      _ = try checkTarget(at: root, path, for: purpose, of: source)
    } catch {
      // If another process has locked the folder, an error that names that process is more useful than the error of the check.
      // So the function tries to lock the folder before it throws the error of the check.
      if try hasLock(root, path) { _ = try DataFolder.acquireLock(of: root, path) }
      throw error
    }
  }

  private static func acquireLock(
    of root: borrowing Folder, _ path: String, for purpose: Purpose, of source: DataFolder,
    _ isMade: inout Bool, _ targetState: inout TargetState
  ) throws(DataFolderError) -> OwnedDescriptor {
    do throws(DataFolderError) {
      let lock = try DataFolder.acquireLock(of: root, path, &isMade)
      // Another process may have finished a copy to this folder before it was locked.
      targetState = try checkTarget(at: root, path, for: purpose, of: source)
      return lock
    } catch {
      // An error of this removal is ignored, because the caller gets the earlier error.
      if isMade { try? root.removeFile(DataFolder.lockFile, for: .writeCopy) }
      throw error
    }
  }

  /// Returns the owner of the folder at `path`, or of the source if `path` is nil. The restored files will belong to this owner,
  /// whose gateway can then use them. Returns nil unless the process runs as root, because only root can change owners.
  private static func newOwner(
    of source: DataFolder, _ path: String?
  ) throws(DataFolderError) -> Folder.Owner? {
    guard geteuid() == 0 else { return nil }
    let found =
      switch path {
      case nil: try information(of: source.root, "")
      case let path?: try information(of: DataFolder.open(path), path)
      }
    return Folder.Owner(user: found.owner, group: found.group)
  }

  private static func information(
    of folder: borrowing Folder, _ path: String
  ) throws(DataFolderError) -> clinux_file_information {
    do throws(StorageError) {
      return try folder.information(for: .mark)
    } catch {
      throw .unusable(path: path, SystemError("stat", code: error.code))
    }
  }

  /// Returns true if another process may be using the folder: the folder contains a file with the name and the content of a lock
  /// file.
  private static func hasLock(_ root: borrowing Folder, _ path: String) throws(DataFolderError) -> Bool {
    do throws(StorageError) {
      guard try root.information(of: DataFolder.lockFile, for: .mark) != nil else { return false }
      return try !foreignEntries(in: root).contains(DataFolder.lockFile)
    } catch {
      throw .unusable(path: path, SystemError("stat", code: error.code))
    }
  }

  /// Copies an open file to a new file, which replaces any file with the same name.
  ///
  /// - Parameters:
  ///   - file: the open file.
  ///   - name: the name of the copy.
  ///   - folder: the folder in the target to which the file is copied.
  ///   - limit: the maximum number of bytes to copy, from the beginning; nil for all bytes.
  /// - Returns: the number of copied bytes.
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

  /// Performs an operation on the source. Converts an error to `CopyError.source`.
  func reading<Result: ~Copyable>(
    _ body: () throws(StorageError) -> Result
  ) throws(CopyError) -> Result {
    do throws(StorageError) {
      return try body()
    } catch {
      throw .source(error)
    }
  }

  /// Performs an operation on the target. Converts an error to `CopyError.target`.
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
    try target.root.write(DataFolder.text(of: purpose), as: DataFolder.formatFile, for: .writeCopy)
    if targetState != .empty {
      try removeSessions()
      try discardCertificate()
      // The file `clean` (the mark of a clean stop) belongs to the earlier sessions of the target, so the file is removed. A
      // folder named `clean` stays, because this program did not create it.
      if try target.root.information(of: DataFolder.markFile, for: .writeCopy)?.is_folder == 0 {
        try target.root.removeFile(DataFolder.markFile, for: .writeCopy)
      }
    }
    if purpose == .backup { try removeCertificate() }
    try target.root.makeFolder(DataFolder.sessions, for: .writeCopy)
  }

  /// Removes the content of the sessions' folder, and the folders for new and for removed sessions. The sessions' folder stays,
  /// because it may be a mount point.
  private func removeSessions() throws(StorageError) {
    if try target.root.information(of: DataFolder.sessions, for: .writeCopy) != nil {
      let sessions = try target.root.folder(DataFolder.sessions, for: .writeCopy)
      for name in try sessions.names(for: .writeCopy) { try sessions.removeTree(name, for: .writeCopy) }
    }
    for name in [DataFolder.made, DataFolder.removed] {
      try target.root.removeTree(name, for: .writeCopy)
    }
  }

  /// Removes the certificate and the key that an unfinished backup has left.
  private func removeCertificate() throws(StorageError) {
    for name in DataFolder.certificateFiles { try target.root.removeFile(name, for: .writeCopy) }
  }

  /// Removes the folders that were created for a copy that failed. Folders that contain files stay.
  private static func remove(_ folders: [String]) {
    // A folder that is not empty stays.
    for folder in folders.reversed() where unsafe rmdir(folder) != 0 { return }
  }
}
