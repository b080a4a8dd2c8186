internal import CLinux
internal import Glibc
internal import Platform
package import Primitives

/// What can be known of a data folder without opening it for oneself.
extension DataFolder {
  /// Looks whether the folder could be opened, or made, and changes nothing. Whether a process has it is not looked at.
  ///
  /// - Throws: what `init(opening:)` would throw.
  package static func check(_ path: String) throws(DataFolderError) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else {
      if errno == ENOTDIR { throw .notMade(path: path, SystemError("mkdir", code: ENOTDIR)) }
      guard errno == ENOENT else { throw .unusable(path: path, SystemError("open", code: errno)) }
      let above = nearestFolder(path)
      // A link that leads nowhere would be in the way of a folder.
      if unsafe lstat(path, &status) == 0 { throw .unusable(path: path, SystemError("open", code: ENOENT)) }
      guard unsafe access(above, W_OK | X_OK) == 0 else {
        throw .notMade(path: path, SystemError("mkdir", code: errno))
      }
      return
    }
    let root = try Self.open(path)
    let written = try format(of: root, path)
    guard unsafe access(path, W_OK | X_OK) == 0 else {
      // The first that is made there is the lock.
      throw .notWritable(path: path, SystemError("open", code: errno))
    }
    guard written != nil else { return }
    let sessions = "\(path)/\(Self.sessions)"
    guard unsafe access(sessions, W_OK | X_OK) == 0 || errno == ENOENT else {
      throw .notWritable(path: sessions, SystemError("access", code: errno))
    }
  }

  /// How many bytes the file system of a folder has, or the one on which the folder would be made, and how many a user without
  /// privileges may still write; `nil` when it does not say.
  package static func room(for path: String) -> (total: UInt64, free: UInt64)? {
    var information = statvfs()
    guard unsafe statvfs(nearestFolder(path), &information) == 0, information.f_blocks > 0 else { return nil }
    let block = UInt64(information.f_frsize)
    return (bytes(UInt64(information.f_blocks), of: block), bytes(UInt64(information.f_bavail), of: block))
  }

  /// What so many blocks are together; file systems that have no end say numbers whose product no integer holds.
  static func bytes(_ blocks: UInt64, of size: UInt64) -> UInt64 {
    let (product, isTooLarge) = blocks.multipliedReportingOverflow(by: size)
    return isTooLarge ? .max : product
  }

  /// The folder, or the nearest above it that is there.
  private static func nearestFolder(_ path: String) -> String {
    var parts = path.split(separator: "/")
    let start = path.hasPrefix("/") ? "/" : ""
    while !parts.isEmpty {
      let folder = start + parts.joined(separator: "/")
      if unsafe access(folder, F_OK) == 0 { return folder }
      parts.removeLast()
    }
    return start.isEmpty ? "." : start
  }

  /// How many bytes the sessions' files have together, with those of attachments.
  ///
  /// - Parameter deadline: after this no more is looked at.
  /// - Returns: the bytes that were found, and whether all was looked at.
  package func usedBytes(until deadline: MonotonicTime) -> (bytes: UInt64, isWhole: Bool) {
    var sum: UInt64 = 0
    do throws(StorageError) {
      let isWhole = try Self.add(try openSessions(for: .listFiles), to: &sum, until: deadline)
      return (sum, isWhole)
    } catch {
      // What goes meanwhile, or cannot be read, is not counted: this is for people, who have other words for it.
      return (sum, false)
    }
  }

  private static func add(
    _ folder: borrowing Folder, to sum: inout UInt64, until deadline: MonotonicTime
  ) throws(StorageError) -> Bool {
    for name in try folder.names(for: .listFiles) {
      guard MonotonicTime.now() < deadline else { return false }
      guard let found = try folder.information(of: name, for: .listFiles) else { continue }
      if found.is_regular != 0 {
        sum += UInt64(clamping: found.length)
        continue
      }
      let inner: Folder
      do throws(StorageError) {
        inner = try folder.folder(name, for: .listFiles)
      } catch {
        // Gone meanwhile, or none of ours.
        continue
      }
      guard try add(inner, to: &sum, until: deadline) else { return false }
    }
    return true
  }
}
