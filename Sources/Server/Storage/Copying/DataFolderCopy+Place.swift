internal import CLinux
internal import Glibc
internal import Platform
internal import Wire

/// Where a copy may go.
extension DataFolderCopy {
  /// What a copy finds where it goes.
  enum TargetState: Equatable {
    /// Nothing, or nothing that matters.
    case empty
    /// A data folder without sessions.
    case dataFolder(format: Int)
    /// What the same work left that was not finished.
    case unfinished
  }

  /// Looks where a path leads before anything is made there.
  ///
  /// - Returns: whether there is nothing yet.
  /// - Throws: `DataFolderError` for the folder that is copied, and when one of the two lies in what is the other's own.
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

  /// Opens what a path leads to or, where there is nothing, the nearest folder above.
  ///
  /// - Parameters:
  ///   - path: where to.
  ///   - missing: gets the names that are not there.
  /// - Returns: the folder that is there.
  /// - Throws: `DataFolderError` when there can be none by that path.
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
      // Where that leads shows only when what is before it was made.
      guard last != ".." else { throw .notMade(path: path, SystemError("mkdir", code: ENOENT)) }
      if last != "." { missing.insert(last, at: 0) }
    }
  }

  /// By which name one goes from a folder to another that lies in it, at whatever depth.
  ///
  /// - Parameters:
  ///   - folder: the other.
  ///   - next: what is to be made there.
  ///   - root: where one goes from.
  /// - Returns: nil when it does not lie in it.
  /// - Throws: `StorageError` when a folder on the way cannot be looked at.
  private static func way(
    to folder: consuming Folder, _ next: String?, from root: borrowing Folder
  ) throws(StorageError) -> String? {
    let own = try root.information(for: .mark)
    var folder = folder
    var found = try folder.information(for: .mark)
    if areSame(found, own) { return next }
    let names = try root.names(for: .mark)
    while true {
      // Also where no way up leads to the folder, as from a mount of what is in it.
      if let name = try named(found, among: names.filter(DataFolder.isOwn), in: root) { return name }
      // Above a folder that we may not look into there is none of ours.
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

  /// Looks at the folder that a copy goes to, and changes nothing.
  ///
  /// - Returns: what it is.
  /// - Throws: `DataFolderError` when it holds anything that is not to be lost.
  static func look(
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
      // A backup may be all that is left of a folder.
      let way = try way(to: try source.root.folder(".", for: .mark), nil, from: root)
      foreign = try foreignEntries(in: root).filter { $0 != way }
    } catch {
      throw .unusable(path: path, SystemError("readdir", code: error.code))
    }
    guard let first = foreign.min() else { return .empty }
    throw .notEmpty(path: path, count: foreign.count, first: first, purpose)
  }

  /// The names in a folder of what neither a file system makes for itself nor a copy does before it says what it is.
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
        // One that went meanwhile is not there.
        default: found == nil
        }
      if !isKnown { foreign.append(name) }
    }
    return foreign
  }

  /// Whether it is what a crash may leave of a file that says a format.
  private static func isBegunFormat(_ text: String) -> Bool {
    let formats = (1...DataFolder.format).map(DataFolder.text(of:))
    return (formats + Purpose.allCases.map(DataFolder.text)).contains { $0.starts(with: text.utf8) }
  }

  /// Throws when a data folder holds sessions.
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
