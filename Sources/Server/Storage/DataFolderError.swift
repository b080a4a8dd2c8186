internal import Glibc
package import Platform

/// The reason for which a data folder cannot be used. Its description is one sentence for the operator and names the
/// folder.
package enum DataFolderError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The folder is missing and cannot be created.
  case notMade(path: String, SystemError)
  /// The path leads to something that is not a folder.
  case notAFolder(path: String)
  /// No file or folder can be created in the folder.
  case notWritable(path: String, SystemError)
  /// Another process has locked the folder. `process` is nil if that process has not written its process ID yet.
  case inUse(path: String, process: Int32?)
  /// A newer version wrote the folder.
  case newerFormat(path: String, found: Int, known: Int)
  /// The file `format` cannot be read.
  case unknownFormat(path: String)
  /// The folder has no file `format`.
  case notADataFolder(path: String)
  /// The folder is an unfinished copy.
  case unfinished(path: String, DataFolderCopy.Purpose)
  /// The target of a copy has unexpected files or folders. The values are their number and the name of the first one.
  case notEmpty(path: String, count: Int, first: String, DataFolderCopy.Purpose)
  /// The target of a copy is the source folder itself.
  case sameFolder(path: String)
  /// The target of a copy is inside a folder that the source uses for its own files.
  case withinOwn(path: String, name: String)
  /// A folder in the target contains the source folder, and the copy would replace this folder.
  case holdsSource(path: String, name: String)
  /// The target of a restore has sessions.
  case hasSessions(path: String, count: Int)
  /// The folder cannot be used because of a system error for which this enum has no other case.
  case unusable(path: String, SystemError)

  package var description: String { words(calling: "the data folder") }

  /// Returns the description with another name for the folder.
  /// - Parameter name: the name by which the reader of the description knows the folder.
  /// - Returns: one sentence without a full stop.
  package func words(calling name: String) -> String {
    switch self {
    case .notMade(let path, let error):
      "\(name) \(path) cannot be created (\(error))"
    case .notAFolder(let path):
      "\(name) \(path) is not a folder"
    case .notWritable(let path, let error):
      "\(name) \(path) cannot be written to (\(error))\(Self.remedy(error))"
    case .inUse(let path, let process?):
      "the data folder \(path) is in use by process \(process): only one gateway can use it at a time"
    case .inUse(let path, nil):
      "the data folder \(path) is in use by another process: only one gateway can use it at a time"
    case .newerFormat(let path, let found, let known):
      "\(name) \(path) has format \(found), and this version reads formats up to \(known): "
        + "a newer version of DrawTogether can open it"
    case .unknownFormat(let path):
      "\(name) \(path) has a file 'format' without a valid format: "
        + "it was damaged, or the folder belongs to something else"
    case .notADataFolder(let path):
      "the folder \(path) is not a data folder of DrawTogether: it has no file 'format'"
    case .unfinished(let path, .backup):
      "the folder \(path) has an unfinished backup: use another folder, or create the backup again"
    case .unfinished(let path, .restore):
      "the data folder \(path) has an unfinished restore: "
        + "repeat 'drawtogether restore', which then starts from the beginning"
    case .notEmpty(let path, let count, let first, .backup):
      "the folder \(path) is not empty (it has \(count) \(count == 1 ? "name" : "names"), such as '\(first)'): "
        + "a backup needs a new folder, or an empty folder"
    case .notEmpty(let path, let count, let first, .restore):
      "the folder \(path) is not empty and not a data folder "
        + "(it has \(count) \(count == 1 ? "name" : "names"), such as '\(first)'): "
        + "a backup is restored into a new folder, an empty folder, or a data folder without sessions"
    case .sameFolder(let path):
      "\(path) is the data folder itself: a backup needs a separate folder"
    case .withinOwn(let path, let name):
      "\(path) is inside '\(name)' of the folder to copy: choose a folder outside '\(name)'"
    case .holdsSource(let path, let name):
      "the source is inside '\(name)' of \(path), and the copy would replace '\(name)': move the source first"
    case .hasSessions(let path, let count):
      "the data folder \(path) has \(count) \(count == 1 ? "session" : "sessions"): "
        + "a backup is restored into a folder without sessions, so move these sessions away or name another folder"
    case .unusable(let path, let error):
      "\(name) \(path) cannot be used (\(error))\(Self.remedy(error))"
    }
  }

  /// Returns a hint for a folder of another user, for example a folder that the host mounted into a container.
  static func remedy(_ error: SystemError, user: uid_t = geteuid()) -> String {
    guard error.code == EACCES || error.code == EPERM, user != 0 else { return "" }
    return ": it has to belong to user \(user), the user of the gateway (chown -R \(user))"
  }
}
