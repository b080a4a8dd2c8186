internal import GroupActivities
internal import Platform

/// Why what was asked of a session could not be done: one sentence for whoever asked.
enum JoinFailure: Error, CustomStringConvertible {
  /// There is no such session, or no way to it.
  case notFound(String)
  /// It was over before all was done.
  case ended(GroupSessionInvalidation)
  /// Somebody pressed Ctrl-C before all was done.
  case interrupted
  /// A file cannot be read.
  case file(String, SystemError)
  /// A file has more bytes than are taken; nil where nobody knows how many.
  case fileTooLarge(String, limit: Int, actual: Int?)
  /// What was sent was refused.
  case refused(String)
  /// What is written cannot be written.
  case output(SystemError)

  var description: String {
    switch self {
    case .notFound(let words), .refused(let words): words
    case .ended(let reason): "\(reason)"
    case .interrupted: "interrupted before all of it was done"
    case .file(let name, let error): "\(name) cannot be read (\(error))"
    case .fileTooLarge(let name, let limit, let actual?):
      "\(name) has \(actual) bytes, and \(limit) are the most that are taken"
    case .fileTooLarge(let name, let limit, nil):
      "\(name) has more than \(limit) bytes, the most that are taken"
    case .output(let error): "the output cannot be written (\(error))"
    }
  }
}
