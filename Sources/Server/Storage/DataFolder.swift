internal import CLinux
internal import Glibc
internal import Platform
package import Wire

/// The folder that the gateway writes to. It is locked against other processes for the lifetime of this object. The
/// functions block the calling thread, and any thread may call them.
package final class DataFolder: Sendable {
  static let sessions = "sessions"
  /// The folder in which new sessions are created before they are moved to the other sessions.
  static let made = "sessions.new"
  /// The folder to which removed sessions are moved before their files are deleted. After a crash, the remaining files
  /// are deleted when the folder is opened the next time.
  static let removed = "sessions.removed"
  static let lockFile = "lock"
  /// The files of the certificate and the key that a gateway creates if it has none.
  static let certificateFiles = ["tls-cert.pem", "tls-key.pem"]

  /// Returns true for names that any version of this program writes or removes in a data folder.
  static func isOwn(_ name: String) -> Bool {
    name.hasPrefix(sessions) || name.hasPrefix("tls-") || name.hasSuffix(".new")
      || [formatFile, lockFile, markFile, addressKeyFile, CommandListener.name].contains(name)
  }

  let root: Folder
  /// The older format that the folder had when it was opened; nil if the folder had the present format.
  package let earlierFormat: Int?
  /// The lock file. The lock is released when the file is closed, or when the process ends in any way. Nil for a folder that was
  /// opened without a lock.
  private let lock: OwnedDescriptor?

  /// Opens and locks the folder. Creates a missing folder and the folders above it, with access for this user only.
  /// - Throws: `DataFolderError`; for example if a newer version wrote the folder.
  package init(opening path: String) throws(DataFolderError) {
    try Self.make(path)
    root = try Self.open(path)
    lock = try Self.acquireLock(of: root, path)
    earlierFormat = try Self.upgradeFormat(of: root, path)
    let status = unsafe clinux_folder_make_in(root.rawValue, Self.sessions)
    guard status == 0 || status == -EEXIST else {
      throw .notWritable(path: path, SystemError("mkdir", code: -status))
    }
    // This check detects a folder without write access at the start, before a participant needs the folder.
    guard unsafe access("\(path)/\(Self.sessions)", W_OK | X_OK) == 0 else {
      throw .notWritable(path: "\(path)/\(Self.sessions)", SystemError("access", code: errno))
    }
    if status == 0 {
      // All files of sessions are below this folder. They survive a power cut only if the names of this folder and of its parent
      // folders are on the disk. So the file system is synced when this folder is created.
      let synced = clinux_sync_file_system(root.rawValue)
      guard synced == 0 else { throw .notWritable(path: path, SystemError("syncfs", code: -synced)) }
    }
    for leftover in [Self.made, Self.removed] {
      // A file that cannot be removed uses disk space, but does no other harm.
      try? root.removeTree(leftover, for: .removeSession)
    }
  }

  /// Opens a folder for reading, even if another process has locked it. Creates no files and does not lock the folder.
  /// - Throws: `DataFolderError`; for example if the folder is not a data folder, or a newer version wrote it.
  package init(beside path: String) throws(DataFolderError) {
    root = try Self.open(path)
    lock = nil
    earlierFormat = nil
    guard try Self.format(of: root, path) != nil else { throw .notADataFolder(path: path) }
  }

  /// Creates a value for a folder that was opened, locked and checked.
  init(_ root: consuming Folder, lock: consuming OwnedDescriptor) {
    self.root = root
    self.lock = consume lock
    earlierFormat = nil
  }

  /// Releases the lock. The folder must not be written to afterwards.
  package func unlock() {
    switch lock {
    // The call cannot fail for an open file.
    case .some(let file): _ = clinux_unlock(file.rawValue)
    case nil: break
    }
  }

  /// Returns the bytes that a user without privileges can still write to the folder's file system.
  package func freeBytes() throws(StorageError) -> UInt64 {
    var bytes: UInt64 = 0
    try StorageError.check(.measureFreeSpace, unsafe clinux_free_bytes(root.rawValue, &bytes))
    return bytes
  }

  /// Returns the attachments of a session. Does not access any file.
  package func attachments(of session: SessionID) -> AttachmentFolder {
    AttachmentFolder(data: self, session: session)
  }

  /// Opens the folder that contains the sessions' folders.
  func openSessions(for operation: StorageError.Operation) throws(StorageError) -> Folder {
    try root.folder(Self.sessions, for: operation)
  }

  /// Opens a folder next to the sessions' folder. Creates the folder if it is missing.
  func openOrMake(
    _ name: String, for operation: StorageError.Operation
  ) throws(StorageError) -> Folder {
    do throws(StorageError) {
      return try root.folder(name, for: operation)
    } catch {
      guard error.isMissing else { throw error }
      try root.makeFolder(name, for: operation)
      return try root.folder(name, for: operation)
    }
  }

  /// Waits until all changes to the folder's file system are on the disk. The folder stays open from the start, because the
  /// kernel reports an error of a background write only to processes that had the file system open at that time.
  func syncAll() throws(StorageError) {
    try StorageError.check(.sync, clinux_sync_file_system(root.rawValue))
  }

  /// Creates a folder and the folders above it if they are missing.
  static func make(_ path: String) throws(DataFolderError) {
    var made: [String] = []
    try make(path, for: nil, &made)
  }

  /// Creates a folder and the folders above it for an owner, if they are missing.
  ///
  /// - Parameters:
  ///   - path: the path of the folder.
  ///   - owner: the owner of new folders; nil for the user of this process.
  ///   - made: receives the paths of the new folders, even if this throws.
  /// - Throws: `DataFolderError`; new folders stay.
  static func make(_ path: String, for owner: Folder.Owner?, _ made: inout [String]) throws(DataFolderError) {
    var folder = path.hasPrefix("/") ? "/" : ""
    for part in path.split(separator: "/") {
      folder += part
      if unsafe mkdir(folder, 0o700) == 0 {
        made.append(folder)
        if let owner {
          let opened = try open(folder)
          let status = clinux_give(opened.rawValue, owner.user, owner.group)
          guard status == 0 else { throw .notMade(path: path, SystemError("chown", code: -status)) }
        }
      } else if errno != EEXIST {
        throw .notMade(path: path, SystemError("mkdir", code: errno))
      }
      folder += "/"
    }
  }

  static func open(
    _ path: String, givingTo newOwner: Folder.Owner? = nil
  ) throws(DataFolderError) -> Folder {
    let opened = unsafe clinux_folder_open(path)
    switch opened {
    case 0...: return Folder(owning: OwnedDescriptor(owning: opened), givingTo: newOwner)
    case -ENOTDIR: throw .notAFolder(path: path)
    default: throw .unusable(path: path, SystemError("open", code: -opened))
    }
  }

  static func acquireLock(
    of root: borrowing Folder, _ path: String
  ) throws(DataFolderError) -> OwnedDescriptor {
    var isMade = false
    return try acquireLock(of: root, path, &isMade)
  }

  /// Locks the folder. Sets `isMade` if the lock file is new, even if this function throws.
  static func acquireLock(
    of root: borrowing Folder, _ path: String, _ isMade: inout Bool
  ) throws(DataFolderError) -> OwnedDescriptor {
    let file = try openLock(of: root, path, &isMade)
    let status = clinux_lock_exclusively(file.rawValue)
    guard status != -EWOULDBLOCK else { throw .inUse(path: path, process: holder(of: file)) }
    guard status == 0 else { throw .unusable(path: path, SystemError("flock", code: -status)) }
    let text = Array("\(getpid())\n".utf8)
    var written = clinux_file_truncate(file.rawValue, 0)
    if written == 0 { written = unsafe clinux_file_write(file.rawValue, text, text.count, 0) }
    guard written == 0 else { throw .notWritable(path: path, SystemError("write", code: -written)) }
    return file
  }

  private static func openLock(
    of root: borrowing Folder, _ path: String, _ isMade: inout Bool
  ) throws(DataFolderError) -> OwnedDescriptor {
    do throws(StorageError) {
      let file = try root.createFile(lockFile, for: .mark)
      isMade = true
      return file
    } catch {
      let opened =
        error.code == EEXIST
        ? unsafe clinux_file_open_or_create_in(root.rawValue, lockFile) : -error.code
      guard opened >= 0 else {
        let error = SystemError("open", code: -opened)
        throw [EACCES, EPERM, EROFS].contains(-opened)
          ? .notWritable(path: path, error) : .unusable(path: path, error)
      }
      return OwnedDescriptor(owning: opened)
    }
  }

  /// Returns the process ID in the lock file; nil if the file has none yet.
  private static func holder(of lock: borrowing OwnedDescriptor) -> Int32? {
    var text = [UInt8](repeating: 0, count: 16)
    let count = unsafe clinux_file_read(lock.rawValue, &text, text.count, 0)
    guard count > 0 else { return nil }
    return Int32(String(decoding: text.prefix(Int(count)).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
  }
}
