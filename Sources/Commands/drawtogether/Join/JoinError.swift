internal import GroupActivities
internal import Platform

/// An error of `join`. The description is one sentence for the user.
enum JoinError: Error, CustomStringConvertible {
  /// The session does not exist or cannot be reached.
  case notFound(String)
  /// The session ended before the command was complete.
  case ended(GroupSessionInvalidation)
  /// Ctrl-C was pressed before the command was complete.
  case interrupted
  /// A file cannot be read.
  case file(String, SystemError)
  /// A file is too large; `actual` is nil if its size is unknown.
  case fileTooLarge(String, limit: Int, actual: Int?)
  /// A message or a file was refused.
  case refused(String)
  /// Standard output cannot be written.
  case output(SystemError)

  var description: String {
    switch self {
    case .notFound(let text), .refused(let text): text
    case .ended(let reason): "\(reason)"
    case .interrupted: "interrupted before completion"
    case .file(let name, let error): "\(name) cannot be read (\(error))"
    case .fileTooLarge(let name, let limit, let actual?):
      "\(name) has \(actual) bytes; the maximum is \(limit)"
    case .fileTooLarge(let name, let limit, nil):
      "\(name) has more than \(limit) bytes, the maximum"
    case .output(let error): "the output cannot be written (\(error))"
    }
  }
}
