internal import CLinux
internal import Glibc
internal import Transport
internal import Wire

/// Where a copy may go.
extension DataFolderCopy {
  private enum Place {
    /// There is nothing yet, or something that is no folder of ours.
    case elsewhere(isNew: Bool)
    /// It is the folder that is copied.
    case same
    /// It lies in one of the folders that sessions lie in.
    case within(String)
  }

  /// Looks where a path leads before anything is made there.
  ///
  /// - Returns: whether there is nothing yet.
  /// - Throws: `DataFolderError` for the folder that is copied, and for what lies where its sessions are.
  static func checkPlace(_ path: String, of source: DataFolder) throws(DataFolderError) -> Bool {
    var isNew = false
    let nearest = try nearestFolder(to: path, &isNew)
    let place: Place
    do throws(StorageError) {
      place = try Self.place(of: nearest, isNew: isNew, source)
    } catch {
      throw .unusable(path: path, SystemError("stat", code: error.code))
    }
    switch place {
    case .elsewhere(let isNew): return isNew
    case .same: throw .sameFolder(path: path)
    case .within(let name): throw .withinSessions(path: path, name: name)
    }
  }

  /// Opens what a path leads to or, where there is nothing, the nearest folder above.
  private static func nearestFolder(
    to path: String, _ isNew: inout Bool
  ) throws(DataFolderError) -> Folder {
    var parts = path.split(separator: "/")
    while true {
      let shown = (path.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
      let opened = unsafe clinux_folder_open(shown.isEmpty ? "." : shown)
      if opened >= 0 { return Folder(owning: OwnedDescriptor(owning: opened)) }
      guard opened == -ENOENT, !parts.isEmpty else {
        throw opened == -ENOTDIR
          ? .notAFolder(path: path) : .unusable(path: path, SystemError("open", code: -opened))
      }
      isNew = true
      parts.removeLast()
    }
  }

  private static func place(
    of nearest: consuming Folder, isNew: Bool, _ source: DataFolder
  ) throws(StorageError) -> Place {
    let own = try source.root.information(for: .mark)
    var folder = nearest
    var found = try folder.information(for: .mark)
    if !isNew, found.inode == own.inode, found.device == own.device { return .same }
    let names = [DataFolder.sessions, DataFolder.made, DataFolder.removed]
    while true {
      for name in names {
        let one = try source.root.information(of: name, for: .mark)
        if let one, one.inode == found.inode, one.device == found.device { return .within(name) }
      }
      // Above a folder that we may not look into there is none of ours.
      guard let above = try? folder.folder("..", for: .mark) else { break }
      let next = try above.information(for: .mark)
      if next.inode == found.inode, next.device == found.device { break }
      folder = above
      found = next
    }
    return .elsewhere(isNew: isNew)
  }

  /// Throws when a folder holds anything but what a backup left that was not finished.
  static func checkEmpty(_ root: borrowing Folder, _ path: String) throws(DataFolderError) {
    do throws(DataFolderError) {
      _ = try DataFolder.format(of: root, path)
    } catch {
      if error == .unfinished(path: path, .backup) { return }
      guard case .unfinished = error else { throw error }
    }
    let names: [String]
    do throws(StorageError) {
      names = try root.names(for: .writeCopy)
    } catch {
      throw .unusable(path: path, SystemError("readdir", code: error.code))
    }
    guard let first = names.min() else { return }
    throw .notEmpty(path: path, count: names.count, first: first)
  }

  /// Throws when a folder holds sessions, unless they are of a restore that was not finished.
  static func checkFreeOfSessions(_ root: borrowing Folder, _ path: String) throws(DataFolderError) {
    do throws(DataFolderError) {
      _ = try DataFolder.format(of: root, path)
    } catch {
      if error == .unfinished(path: path, .restore) { return }
      throw error
    }
    let count: Int
    do throws(StorageError) {
      count = try root.folder(DataFolder.sessions, for: .listSessions).names(for: .listSessions).count
    } catch {
      guard !error.isMissing else { return }
      throw .unusable(path: path, SystemError("open", code: error.code))
    }
    guard count == 0 else { throw .hasSessions(path: path, count: count) }
  }
}
