internal import CLinux
internal import Glibc
internal import Platform
package import Primitives

/// Checks of a data folder that do not lock it.
extension DataFolder {
  /// Checks that the folder could be opened or created. Changes nothing and ignores the lock.
  /// - Throws: the error that `init(opening:)` would throw.
  package static func check(_ path: String) throws(DataFolderError) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else {
      if errno == ENOTDIR { throw .notMade(path: path, SystemError("mkdir", code: ENOTDIR)) }
      guard errno == ENOENT else { throw .unusable(path: path, SystemError("open", code: errno)) }
      let above = nearestFolder(path)
      // A symbolic link without a target would prevent the creation of the folder.
      if unsafe lstat(path, &status) == 0 { throw .unusable(path: path, SystemError("open", code: ENOENT)) }
      guard unsafe access(above, W_OK | X_OK) == 0 else {
        throw .notMade(path: path, SystemError("mkdir", code: errno))
      }
      return
    }
    let root = try Self.open(path)
    let written = try format(of: root, path)
    guard unsafe access(path, W_OK | X_OK) == 0 else {
      // `init(opening:)` would fail when it creates the lock file, so the error names the call `open`.
      throw .notWritable(path: path, SystemError("open", code: errno))
    }
    guard written != nil else { return }
    let sessions = "\(path)/\(Self.sessions)"
    guard unsafe access(sessions, W_OK | X_OK) == 0 || errno == ENOENT else {
      throw .notWritable(path: sessions, SystemError("access", code: errno))
    }
  }

  /// Returns the size of a folder's file system, and the bytes that a user without privileges can still write; nil if the file
  /// system does not report them. For a missing folder, the values are those of the nearest existing folder above it.
  package static func room(for path: String) -> (total: UInt64, free: UInt64)? {
    var information = statvfs()
    guard unsafe statvfs(nearestFolder(path), &information) == 0, information.f_blocks > 0 else { return nil }
    let block = UInt64(information.f_frsize)
    return (bytes(UInt64(information.f_blocks), of: block), bytes(UInt64(information.f_bavail), of: block))
  }

  /// Returns the size of a number of blocks in bytes; `UInt64.max` if the product overflows, as on file systems without a limit.
  static func bytes(_ blocks: UInt64, of size: UInt64) -> UInt64 {
    let (product, isTooLarge) = blocks.multipliedReportingOverflow(by: size)
    return isTooLarge ? .max : product
  }

  /// Returns the path of the folder, or of the nearest existing folder above it.
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

  /// Returns the sum of the sizes of all session files, including attachments.
  /// - Parameter deadline: the time at which counting stops.
  /// - Returns: the counted bytes, and true if all files were counted.
  package func usedBytes(until deadline: MonotonicTime) -> (bytes: UInt64, isWhole: Bool) {
    var sum: UInt64 = 0
    do throws(StorageError) {
      let isWhole = try Self.add(try openSessions(for: .listFiles), to: &sum, until: deadline)
      return (sum, isWhole)
    } catch {
      // The files that could not be read are missing from the sum. This is acceptable, because the sum is only displayed.
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
        // The entry was removed during the count, or is not a file of this program.
        continue
      }
      guard try add(inner, to: &sum, until: deadline) else { return false }
    }
    return true
  }
}
