internal import Glibc
package import Platform

/// Why the data folder cannot be used. Its words are one sentence for the operator and name the folder.
package enum DataFolderError: Error, Equatable, Sendable, CustomStringConvertible {
  /// It is not there and cannot be made.
  case notMade(path: String, SystemError)
  /// What has that name is no folder.
  case notAFolder(path: String)
  /// Nothing can be made in it.
  case notWritable(path: String, SystemError)
  /// Another process has it; `nil` when that one has not said its number yet.
  case inUse(path: String, process: Int32?)
  /// It was written by a version that this one does not know.
  case newerFormat(path: String, found: Int, known: Int)
  /// What says its format cannot be read.
  case unknownFormat(path: String)
  /// Nothing says that it is one.
  case notADataFolder(path: String)
  /// It is being made of another one, or was and is not whole.
  case unfinished(path: String, DataFolderCopy.Purpose)
  /// A copy is to go where something else is: so many names, and the first of them.
  case notEmpty(path: String, count: Int, first: String, DataFolderCopy.Purpose)
  /// A copy is to go to the folder that is copied.
  case sameFolder(path: String)
  /// A copy is to go where something of the folder that is copied lies, or may lie.
  case withinOwn(path: String, name: String)
  /// What is to be copied lies in what the copy would take the place of.
  case holdsSource(path: String, name: String)
  /// A backup is to be put where sessions are.
  case hasSessions(path: String, count: Int)
  /// Something else is wrong.
  case unusable(path: String, SystemError)

  package var description: String { words(calling: "the data folder") }

  /// The same sentence.
  ///
  /// - Parameter name: what the folder is to who reads it.
  /// - Returns: one sentence without a full stop.
  package func words(calling name: String) -> String {
    switch self {
    case .notMade(let path, let error):
      "\(name) \(path) cannot be made (\(error))"
    case .notAFolder(let path):
      "\(name) \(path) is not a folder"
    case .notWritable(let path, let error):
      "\(name) \(path) cannot be written to (\(error))\(Self.remedy(error))"
    case .inUse(let path, let process?):
      "the data folder \(path) is in use by process \(process): one gateway at a time may have it"
    case .inUse(let path, nil):
      "the data folder \(path) is in use by another process: one gateway at a time may have it"
    case .newerFormat(let path, let found, let known):
      "\(name) \(path) has format \(found), and this version reads formats up to \(known): "
        + "a newer version of DrawTogether can open it"
    case .unknownFormat(let path):
      "\(name) \(path) has a file 'format' that does not say a format: "
        + "it was damaged, or the folder belongs to something else"
    case .notADataFolder(let path):
      "the folder \(path) is not a data folder of DrawTogether: it has no file 'format'"
    case .unfinished(let path, .backup):
      "the folder \(path) holds a backup that was not finished: take another one, or make it again"
    case .unfinished(let path, .restore):
      "the data folder \(path) holds a restore that was not finished: run 'drawtogether restore' again, "
        + "which begins anew"
    case .notEmpty(let path, let count, let first, .backup):
      "the folder \(path) is not empty (it has \(count) \(count == 1 ? "name" : "names"), such as "
        + "'\(first)'): a backup goes into a new folder, or an empty one"
    case .notEmpty(let path, let count, let first, .restore):
      "the folder \(path) is not empty and not a data folder (it has \(count) "
        + "\(count == 1 ? "name" : "names"), such as '\(first)'): a backup is restored into a new folder, an empty "
        + "one, or a data folder without sessions"
    case .sameFolder(let path):
      "\(path) is the data folder itself: a backup lies in a folder of its own"
    case .withinOwn(let path, let name):
      "\(path) lies in '\(name)' of the folder that is copied: choose one outside of it"
    case .holdsSource(let path, let name):
      "what is to be copied lies in '\(name)' of \(path), which is made anew: move it elsewhere first"
    case .hasSessions(let path, let count):
      "the data folder \(path) has \(count) \(count == 1 ? "session" : "sessions"): a backup is restored into "
        + "a folder without any, so move these away or name another folder"
    case .unusable(let path, let error):
      "\(name) \(path) cannot be used (\(error))\(Self.remedy(error))"
    }
  }

  /// What helps against a folder of somebody else's, as one that a container was given by its host.
  static func remedy(_ error: SystemError, user: uid_t = geteuid()) -> String {
    guard error.code == EACCES || error.code == EPERM, user != 0 else { return "" }
    return ": it has to belong to user \(user), as whom the gateway runs (chown -R \(user))"
  }
}
