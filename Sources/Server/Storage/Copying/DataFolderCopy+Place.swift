internal import CLinux
internal import Glibc
internal import Platform
internal import Wire

/// Checks of the target of a copy.
extension DataFolderCopy {
  /// The state of the target before the copy.
  enum TargetState: Equatable {
    /// The folder is empty, apart from files that a file system creates.
    case empty
    /// The folder is a data folder without sessions.
    case dataFolder(format: Int)
    /// The folder is an unfinished copy that has the same purpose (backup or restore) as this copy.
    case unfinished
  }

  /// Checks the path of a copy before anything is created.
  /// - Returns: true if nothing exists at the path.
  /// - Throws: `DataFolderError` if the path is the source folder, if the path is inside an entry that the source uses, or if the
  ///   source is inside an entry that the copy would use.
  static func checkPlace(_ path: String, of source: DataFolder) throws(DataFolderError) -> Bool {
    var missing: [String] = []
    let nearest = try nearestFolder(to: path, &missing)
    let isSame: Bool
    let (within, holding): (String?, String?)
    do throws(StorageError) {
      let (from, to) = (try source.root.information(for: .mark), try nearest.information(for: .mark))
      isSame = missing.isEmpty && areSame(from, to)
      within = try way(to: try nearest.folder(".", for: .mark), missing.first, from: source.root)
      holding =
        missing.isEmpty ? try way(to: try source.root.folder(".", for: .mark), nil, from: nearest) : nil
    } catch {
      throw .unusable(path: path, SystemError("stat", code: error.code))
    }
    if isSame { throw .sameFolder(path: path) }
    if let within, DataFolder.isOwn(within) { throw .withinOwn(path: path, name: within) }
    if let holding, DataFolder.isOwn(holding) { throw .holdsSource(path: path, name: holding) }
    return !missing.isEmpty
  }

  /// Opens the folder at a path. If it is missing, opens the nearest existing folder above it.
  ///
  /// - Parameters:
  ///   - path: the path.
  ///   - missing: receives the parts of the path that do not exist.
  /// - Returns: the open folder.
  /// - Throws: `DataFolderError` if no folder can be created at the path.
  private static func nearestFolder(
    to path: String, _ missing: inout [String]
  ) throws(DataFolderError) -> Folder {
    var parts = path.split(separator: "/").map(String.init)
    while true {
      let shown = (path.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
      let opened = unsafe clinux_folder_open(shown.isEmpty ? "." : shown)
      if opened >= 0 { return Folder(owning: OwnedDescriptor(owning: opened)) }
      guard opened == -ENOENT, let last = parts.popLast() else {
        throw opened == -ENOTDIR
          ? .notAFolder(path: path) : .unusable(path: path, SystemError("open", code: -opened))
      }
      // A path with ".." can be resolved only if the folders before the ".." exist.
      guard last != ".." else { throw .notMade(path: path, SystemError("mkdir", code: ENOENT)) }
      if last != "." { missing.insert(last, at: 0) }
    }
  }

  /// Returns the name of the entry of `root` that contains `folder`, at any depth.
  ///
  /// - Parameters:
  ///   - folder: the folder to find.
  ///   - next: the name that is to be created in `folder`. It is returned if `folder` is `root` itself.
  ///   - root: the folder whose entry is returned.
  /// - Returns: nil if no entry of `root` contains `folder`.
  /// - Throws: `StorageError` if the attributes of a folder on the way cannot be read.
  private static func way(
    to folder: consuming Folder, _ next: String?, from root: borrowing Folder
  ) throws(StorageError) -> String? {
    let own = try root.information(for: .mark)
    var folder = folder
    var found = try folder.information(for: .mark)
    if areSame(found, own) { return next }
    let names = try root.names(for: .mark)
    while true {
      // Following ".." does not always lead to the root, for example if a folder inside the root is mounted elsewhere. So the
      // entries of the root are compared too.
      if let name = try named(found, among: names.filter(DataFolder.isOwn), in: root) { return name }
      // This user can open all folders inside its own data folder. So a parent folder that cannot be opened is not inside a data
      // folder, and the search ends.
      guard let above = try? folder.folder("..", for: .mark) else { return nil }
      let next = try above.information(for: .mark)
      if areSame(next, found) { return nil }
      if areSame(next, own) { return try named(found, among: names, in: root) }
      folder = above
      found = next
    }
  }

  private static func named(
    _ one: clinux_file_information, among names: [String], in root: borrowing Folder
  ) throws(StorageError) -> String? {
    for name in names {
      if let found = try root.information(of: name, for: .mark), areSame(found, one) { return name }
    }
    return nil
  }

  private static func areSame(_ one: clinux_file_information, _ other: clinux_file_information) -> Bool {
    one.inode == other.inode && one.device == other.device
  }

  /// Checks the target of a copy, and changes nothing.
  /// - Returns: the state of the target.
  /// - Throws: `DataFolderError` if the target contains data that must not be lost.
  static func checkTarget(
    at root: borrowing Folder, _ path: String, for purpose: Purpose, of source: DataFolder
  ) throws(DataFolderError) -> TargetState {
    let format: Int?
    do throws(DataFolderError) {
      format = try DataFolder.format(of: root, path)
    } catch {
      if error == .unfinished(path: path, purpose) { return .unfinished }
      throw error
    }
    if purpose == .restore, let format {
      try checkFreeOfSessions(root, path)
      return .dataFolder(format: format)
    }
    let foreign: [String]
    do throws(StorageError) {
      // The files of an existing backup count as unexpected entries, so the copy is refused. That backup may be the only copy of
      // a data folder.
      let way = try way(to: try source.root.folder(".", for: .mark), nil, from: root)
      foreign = try foreignEntries(in: root).filter { $0 != way }
    } catch {
      throw .unusable(path: path, SystemError("readdir", code: error.code))
    }
    guard let first = foreign.min() else { return .empty }
    throw .notEmpty(path: path, count: foreign.count, first: first, purpose)
  }

  /// Returns the names of unexpected entries in a folder: all entries except those that a file system creates, and except those
  /// that a copy creates before it writes the file `format`.
  static func foreignEntries(in root: borrowing Folder) throws(StorageError) -> [String] {
    var foreign: [String] = []
    for name in try root.names(for: .writeCopy) {
      let found = try root.information(of: name, for: .writeCopy)
      let isKnown =
        switch name {
        case "lost+found": found?.is_folder == 1
        case DataFolder.lockFile where found?.is_regular == 1:
          try root.text(of: name, for: .writeCopy)?.utf8.allSatisfy {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "\n")
          } ?? true
        case DataFolder.formatFile + ".new" where found?.is_regular == 1:
          try isBegunFormat(root.text(of: name, for: .writeCopy) ?? "")
        // Another process may have removed the entry.
        default: found == nil
        }
      if !isKnown { foreign.append(name) }
    }
    return foreign
  }

  /// Returns true if a text is the beginning of a possible text of the file `format`. A crash during the write may leave only the
  /// beginning.
  private static func isBegunFormat(_ text: String) -> Bool {
    let formats = (1...DataFolder.format).map(DataFolder.text(of:))
    return (formats + Purpose.allCases.map(DataFolder.text)).contains { $0.starts(with: text.utf8) }
  }

  /// Checks that a data folder has no sessions.
  private static func checkFreeOfSessions(
    _ root: borrowing Folder, _ path: String
  ) throws(DataFolderError) {
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
