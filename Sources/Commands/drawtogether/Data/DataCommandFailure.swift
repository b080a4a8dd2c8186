internal import Gateway
internal import Glibc
internal import Storage
internal import Platform
internal import Wire

/// An error of a command on a data folder. The description is one clause for the operator.
enum DataCommandFailure: Error, Equatable, CustomStringConvertible {
  /// The folder is not a data folder, or cannot be read.
  case folder(DataFolderError)
  /// The content of the folder cannot be read.
  case storage(StorageError)
  /// No session's id begins with the prefix.
  case noSession(SessionPrefix, folder: String)
  /// Neither a folder nor a session to restore exists.
  case neitherFolderNorSession(SessionPrefix, folder: String)
  /// The backup to restore does not exist.
  case noBackup(String)
  /// Both a folder and a session to restore exist.
  case folderAndSession(SessionPrefix, folder: String)
  /// The ids of several sessions begin with the prefix.
  case ambiguous(SessionPrefix, [SessionID])
  /// The log of a session cannot be read or written.
  case log(SessionID, LogError)
  /// The session to restore has not ended.
  case notEnded(SessionID)
  /// The session has no loss, or its loss was accepted before.
  case nothingLost(SessionID)
  /// The log of the session still contains damaged bytes.
  case stillDamaged(SessionID)
  /// The session was removed while the command ran.
  case gone(SessionID)
  /// The session to end has ended already.
  case ended(SessionID)
  /// The gateway refuses the command, for a reason in one clause.
  case refused(String)
  /// The data folder belongs to another user.
  case notOwner(UInt32)
  /// Standard output cannot be written.
  case output(SystemError)
  /// A thread cannot be started.
  case thread(SystemError)

  var description: String {
    switch self {
    case .folder(let error): "--data: \(error)"
    case .storage(let error): "\(error)"
    case .noSession(let prefix, let folder): "no session in \(folder) begins with \(prefix.text)"
    case .neitherFolderNorSession(let prefix, let folder):
      "there is no folder \(prefix.text), and no session in \(folder) begins with \(prefix.text)"
    case .noBackup(let path): "there is no folder \(path) to restore"
    case .folderAndSession(let prefix, let folder):
      "\(prefix.text) is a folder, and a session in \(folder) begins with it: write ./\(prefix.text) for the "
        + "folder, or more of the session's id"
    case .ambiguous(let prefix, let sessions):
      "\(sessions.count) sessions begin with \(prefix.text) (\(Self.few(sessions))): write more of the id"
    case .log(let id, .file(let error)) where error.code == EWOULDBLOCK:
      "session \(id) is being restored by another process"
    case .log(let id, let error): "session \(id): \(error)"
    case .notEnded(let id): "session \(id) has not ended: there is nothing to restore"
    case .nothingLost(let id): "session \(id) has no loss to accept"
    case .stillDamaged(let id):
      "session \(id) was damaged while it has participants: its gateway removes the damaged bytes from the log when it "
        + "opens the session again; run this command then"
    case .gone(let id): "session \(id) has expired and was removed"
    case .ended(let id): "session \(id) has ended already"
    case .refused(let reason): reason
    case .notOwner(let user): "the data folder belongs to user \(user), and only that user may do this"
    case .output(let error): "the output cannot be written (\(error))"
    case .thread(let error): "\(error)"
    }
  }

  private static func few(_ sessions: [SessionID]) -> String {
    let shown = sessions.map(\.text).sorted().prefix(3)
    // If ids are equal in their shortened form, more characters are shown.
    let alike = zip(shown, shown.dropFirst()).map { one, next in zip(one, next).prefix { $0 == $1 }.count }
    let length = max(6, 1 + (alike.max() ?? 0))
    return shown.map { $0.prefix(length) + "…" }.joined(separator: ", ") + (sessions.count > 3 ? ", …" : "")
  }
}
