internal import Gateway
internal import Glibc
internal import Storage
internal import Platform
internal import Wire

/// Why a command about a data folder could not do what it was asked. Its words are one clause for the operator.
enum DataCommandFailure: Error, Equatable, CustomStringConvertible {
  /// The folder is none, or cannot be looked into.
  case folder(DataFolderError)
  /// What is in the folder cannot be listed.
  case storage(StorageError)
  /// No session's id begins so.
  case noSession(SessionPrefix, folder: String)
  /// What is to be restored is neither.
  case neitherFolderNorSession(SessionPrefix, folder: String)
  /// There is no such backup to be restored.
  case noBackup(String)
  /// What is to be restored may be either.
  case folderAndSession(SessionPrefix, folder: String)
  /// Several sessions' ids begin so.
  case ambiguous(SessionPrefix, [SessionID])
  /// A session's log cannot be read or written to.
  case log(SessionID, LogError)
  /// A session that is to be restored goes on.
  case notEnded(SessionID)
  /// Nothing of a session is lost, or it was accepted before.
  case nothingLost(SessionID)
  /// Damaged bytes are still in a session's log.
  case stillDamaged(SessionID)
  /// A session was removed while something was done with it.
  case gone(SessionID)
  /// A session that is to be ended has ended.
  case ended(SessionID)
  /// The gateway refuses what it was asked to do, for a reason in one clause.
  case refused(String)
  /// The data folder is another user's.
  case notOwner(UInt32)
  /// What is asked cannot be written to standard output.
  case output(SystemError)
  /// The system refuses a thread.
  case thread(SystemError)

  var description: String {
    switch self {
    case .folder(let error): "--data: \(error)"
    case .storage(let error): "\(error)"
    case .noSession(let prefix, let folder): "no session in \(folder) begins with \(prefix.text)"
    case .neitherFolderNorSession(let prefix, let folder):
      "there is no folder \(prefix.text), and no session in \(folder) begins with that"
    case .noBackup(let path): "there is no folder \(path) to restore"
    case .folderAndSession(let prefix, let folder):
      "\(prefix.text) is a folder, and a session in \(folder) begins with that: write ./\(prefix.text) for the "
        + "folder, or more of the session's id"
    case .ambiguous(let prefix, let sessions):
      "\(sessions.count) sessions begin with \(prefix.text) (\(Self.few(sessions))): more of the id is needed"
    case .log(let id, .file(let error)) where error.code == EWOULDBLOCK:
      "session \(id) is being restored by another process"
    case .log(let id, let error): "session \(id): \(error)"
    case .notEnded(let id): "session \(id) has not ended: there is nothing to restore"
    case .nothingLost(let id): "session \(id) has lost nothing: there is nothing to accept"
    case .stillDamaged(let id):
      "session \(id) was damaged while people are in it: its gateway takes the damaged bytes out of the log when it opens the "
        + "session again; run this command then"
    case .gone(let id): "session \(id) is gone: its time was over, and it was removed"
    case .ended(let id): "session \(id) has ended already"
    case .refused(let reason): reason
    case .notOwner(let user): "the data folder belongs to user \(user), and only that user may do this"
    case .output(let error): "the output cannot be written (\(error))"
    case .thread(let error): "\(error)"
    }
  }

  private static func few(_ sessions: [SessionID]) -> String {
    let shown = sessions.map(\.text).sorted().prefix(3)
    // Those that are alike as logs shorten them are told apart by more of them.
    let alike = zip(shown, shown.dropFirst()).map { one, next in zip(one, next).prefix { $0 == $1 }.count }
    let length = max(6, 1 + (alike.max() ?? 0))
    return shown.map { $0.prefix(length) + "…" }.joined(separator: ", ") + (sessions.count > 3 ? ", …" : "")
  }
}
