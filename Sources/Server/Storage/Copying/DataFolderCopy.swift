internal import CLinux
internal import Glibc
internal import Platform
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

  /// The folder that is copied.
  package let source: DataFolder
  let target: DataFolder
  let files: FileCopier
  private let purpose: Purpose
  private let targetState: TargetState
  /// The folders that were made for it, from above to below.
  private let made: [String]
  private let hasMadeLock: Bool
  /// Whether certificate and key were copied and have yet to get their names.
  var hasCertificate = false
  /// What the certificate that was there before, or its key, is called now; nil when there was none, or the same.
  package internal(set) var replacedCertificate: String?

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
    let isNew = try Self.checkPlace(path, of: source)
    var made: [String] = []
    var hasMadeLock = false
    var targetState = TargetState.empty
    do throws(DataFolderError) {
      let newOwner = purpose == .restore ? try Self.newOwner(of: source, isNew ? nil : path) : nil
      try DataFolder.make(path, for: newOwner, &made)
      let root = try DataFolder.open(path, givingTo: newOwner)
      try Self.check(root, path, for: purpose, of: source)
      let lock = try Self.takeLock(of: root, path, for: purpose, of: source, &hasMadeLock, &targetState)
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
      try target.syncAll()
      try putCertificate()
      try target.root.write(DataFolder.formatText, as: DataFolder.formatFile, for: .writeCopy)
    }
  }

  /// Removes what was made: what was not there is not there again, and a data folder is one without sessions.
  ///
  /// - Throws: `StorageError`; the folder then still says that it is not whole.
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

  /// Throws when a folder cannot take the copy, before anything is made in it.
  private static func check(
    _ root: borrowing Folder, _ path: String, for purpose: Purpose, of source: DataFolder
  ) throws(DataFolderError) {
    do throws(DataFolderError) {
      _ = try look(at: root, path, for: purpose, of: source)
    } catch {
      // Who has the folder is told first: what lies in it meanwhile says little.
      if try hasLock(root, path) { _ = try DataFolder.takeLock(of: root, path) }
      throw error
    }
  }

  private static func takeLock(
    of root: borrowing Folder, _ path: String, for purpose: Purpose, of source: DataFolder,
    _ isMade: inout Bool, _ targetState: inout TargetState
  ) throws(DataFolderError) -> OwnedDescriptor {
    do throws(DataFolderError) {
      let lock = try DataFolder.takeLock(of: root, path, &isMade)
      // Somebody may have finished one since.
      targetState = try look(at: root, path, for: purpose, of: source)
      return lock
    } catch {
      // What went wrong first is what is told.
      if isMade { try? root.removeFile(DataFolder.lockFile, for: .writeCopy) }
      throw error
    }
  }

  /// Who gets what a restore makes, where somebody makes it who may choose: the gateway is to read and write it.
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

  /// Whether a copy may be going on in a folder.
  private static func hasLock(_ root: borrowing Folder, _ path: String) throws(DataFolderError) -> Bool {
    do throws(StorageError) {
      guard try root.information(of: DataFolder.lockFile, for: .mark) != nil else { return false }
      return try !foreignEntries(in: root).contains(DataFolder.lockFile)
    } catch {
      throw .unusable(path: path, SystemError("stat", code: error.code))
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
    try target.root.write(DataFolder.text(of: purpose), as: DataFolder.formatFile, for: .writeCopy)
    if targetState != .empty {
      try removeSessions()
      try discardCertificate()
      // What it says was true of the sessions that were here before. A folder is no mark of ours.
      if try target.root.information(of: DataFolder.markFile, for: .writeCopy)?.is_folder == 0 {
        try target.root.removeFile(DataFolder.markFile, for: .writeCopy)
      }
    }
    if purpose == .backup { try removeCertificate() }
    try target.root.makeFolder(DataFolder.sessions, for: .writeCopy)
  }

  /// Removes what was put into the folder of the sessions, which may be somebody's mount and stays, and what lies beside it.
  private func removeSessions() throws(StorageError) {
    if try target.root.information(of: DataFolder.sessions, for: .writeCopy) != nil {
      let sessions = try target.root.folder(DataFolder.sessions, for: .writeCopy)
      for name in try sessions.names(for: .writeCopy) { try sessions.removeTree(name, for: .writeCopy) }
    }
    for name in [DataFolder.made, DataFolder.removed] {
      try target.root.removeTree(name, for: .writeCopy)
    }
  }

  /// Removes from a backup what an unfinished one has of them.
  private func removeCertificate() throws(StorageError) {
    for name in DataFolder.certificateFiles { try target.root.removeFile(name, for: .writeCopy) }
  }

  /// Removes the folders that were made for a copy that cannot be, and what is in none of them stays.
  private static func remove(_ folders: [String]) {
    // One that somebody put something into stays.
    for folder in folders.reversed() where unsafe rmdir(folder) != 0 { return }
  }
}
