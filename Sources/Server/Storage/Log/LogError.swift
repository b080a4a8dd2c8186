package import SessionCore

/// The reason for which the records of a session cannot be used. Its description is one clause for the operator, and
/// names no session and no path.
package enum LogError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The records cannot be opened or read.
  case file(StorageError)
  /// The session's folder exists, but has no log.
  case missingLog
  /// The first record is not that of a log: the file is no log, or its beginning is damaged.
  case damagedStart
  /// A newer version wrote the log.
  case newerVersion(found: UInt32, known: UInt32)
  /// A complete record is not one that a session writes.
  case record(RecordError)

  /// True if there is no such session.
  package var isMissing: Bool {
    if case .file(let error) = self { error.isMissing } else { false }
  }

  /// True if the process or the machine has no descriptor left.
  package var isOutOfDescriptors: Bool {
    if case .file(let error) = self { error.isOutOfDescriptors } else { false }
  }

  package var description: String {
    switch self {
    case .file(let error): "\(error)"
    case .missingLog: "the session's folder holds no log"
    case .damagedStart:
      "the file does not begin like a log: its beginning is damaged, or it is not a log"
    case .newerVersion(let found, let known):
      "the log has version \(found), and this version of DrawTogether reads up to \(known)"
    case .record(let error): "the log has an invalid record: \(error)"
    }
  }
}
