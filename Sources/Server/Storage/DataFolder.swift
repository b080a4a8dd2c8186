internal import CLinux
internal import Glibc
internal import Platform
package import Wire

/// The one folder that the gateway writes to, kept from other processes as long as this object lives.
///
/// Every call blocks; any thread may make one.
package final class DataFolder: Sendable {
  static let sessions = "sessions"
  /// Where sessions are made before they are among the others.
  static let made = "sessions.new"
  /// Where what is to be removed is moved before. What a crash left there goes when the folder is opened next.
  static let removed = "sessions.removed"
  static let lockFile = "lock"
  /// What a gateway makes when nobody gave it a certificate: that, and its key.
  static let certificateFiles = ["tls-cert.pem", "tls-key.pem"]

  /// Whether a name in a data folder is one that versions of this program write to, or remove.
  static func isOwn(_ name: String) -> Bool {
    name.hasPrefix(sessions) || name.hasPrefix("tls-") || name.hasSuffix(".new")
      || [formatFile, lockFile, markFile, addressKeyFile, CommandListener.name].contains(name)
  }

  let root: Folder
  /// The format that the folder had before it was opened, if that was an older one.
  package let earlierFormat: Int?
  /// The lock is the open file's: it goes when this is closed, by whatever end of the process. `nil` beside a process
  /// that has it.
  private let lock: OwnedDescriptor?

  /// Opens the folder, makes it and those above it (for this user alone) when it is missing, and takes its lock.
  ///
  /// - Throws: `DataFolderError`, also when the folder is from a newer version.
  package init(opening path: String) throws(DataFolderError) {
    try Self.make(path)
    root = try Self.open(path)
    lock = try Self.takeLock(of: root, path)
    earlierFormat = try Self.settleFormat(of: root, path)
    let status = unsafe clinux_folder_make_in(root.rawValue, Self.sessions)
    guard status == 0 || status == -EEXIST else {
      throw .notWritable(path: path, SystemError("mkdir", code: -status))
    }
    // A gateway that could keep nothing says so now, and not to the first who draws.
    guard unsafe access("\(path)/\(Self.sessions)", W_OK | X_OK) == 0 else {
      throw .notWritable(path: "\(path)/\(Self.sessions)", SystemError("access", code: errno))
    }
    if status == 0 {
      // What is made once and under which all else lies: with the names of the folders above it.
      let synced = clinux_sync_file_system(root.rawValue)
      guard synced == 0 else { throw .notWritable(path: path, SystemError("syncfs", code: -synced)) }
    }
    for leftover in [Self.made, Self.removed] {
      // What cannot be removed takes room and does nothing else.
      try? root.removeTree(leftover, for: .removeSession)
    }
  }

  /// Opens a folder to look into it, whether or not a process has it. Nothing is made, and no lock is taken.
  ///
  /// - Throws: `DataFolderError`, also when it is no data folder, or is from a newer version.
  package init(beside path: String) throws(DataFolderError) {
    root = try Self.open(path)
    lock = nil
    earlierFormat = nil
    guard try Self.format(of: root, path) != nil else { throw .notADataFolder(path: path) }
  }

  /// A folder that somebody opened, locked and looked at.
  init(_ root: consuming Folder, lock: consuming OwnedDescriptor) {
    self.root = root
    self.lock = consume lock
    earlierFormat = nil
  }

  /// Lets others have the folder. Nothing may be written to it afterwards.
  package func unlock() {
    switch lock {
    // Of a file that is open this cannot fail.
    case .some(let file): _ = clinux_unlock(file.rawValue)
    case nil: break
    }
  }

  /// How many bytes may still be written to the folder's file system by a user without privileges.
  package func freeBytes() throws(StorageError) -> UInt64 {
    var bytes: UInt64 = 0
    try StorageError.check(.measureFreeSpace, unsafe clinux_free_bytes(root.rawValue, &bytes))
    return bytes
  }

  /// Where a session's attachments are; nothing is made or looked at by this.
  package func attachments(of session: SessionID) -> AttachmentFolder {
    AttachmentFolder(data: self, session: session)
  }

  /// The folder that those of the sessions lie in.
  func openSessions(for operation: StorageError.Operation) throws(StorageError) -> Folder {
    try root.folder(Self.sessions, for: operation)
  }

  /// A folder beside that of the sessions, made when it is missing.
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

  /// Waits until all that was written to the folder's file system is on the disk.
  ///
  /// The folder stays open from the start for this: an error of a write in the background is told to who had the file
  /// system open when it came.
  func syncAll() throws(StorageError) {
    try StorageError.check(.sync, clinux_sync_file_system(root.rawValue))
  }

  /// Makes a folder and those above it where they are missing.
  static func make(_ path: String) throws(DataFolderError) {
    var made: [String] = []
    try make(path, for: nil, &made)
  }

  /// Makes a folder and those above it where they are missing, for somebody.
  ///
  /// - Parameters:
  ///   - path: of the folder.
  ///   - owner: who gets those that are made; `nil` for who makes them.
  ///   - made: the paths of those that were made, also when it throws.
  /// - Throws: `DataFolderError`, with those that were made left there.
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

  static func takeLock(
    of root: borrowing Folder, _ path: String
  ) throws(DataFolderError) -> OwnedDescriptor {
    var isMade = false
    return try takeLock(of: root, path, &isMade)
  }

  /// Takes the lock, and tells whether its file was not there before, also when it throws.
  static func takeLock(
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

  /// The process that wrote its number into the lock; `nil` when there is none yet.
  private static func holder(of lock: borrowing OwnedDescriptor) -> Int32? {
    var text = [UInt8](repeating: 0, count: 16)
    let count = unsafe clinux_file_read(lock.rawValue, &text, text.count, 0)
    guard count > 0 else { return nil }
    return Int32(String(decoding: text.prefix(Int(count)).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
  }
}
