package import SessionCore

/// The reason for which the records of a session cannot be used. Its description is one clause for the operator, and
/// names no session and no path.
package enum LogError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The records cannot be opened or read.
  case file(StorageError)
  /// The session's folder exists, but has no log.
  case missingLog
  /// The file does not begin with the first record of a log: it is not a log, or its beginning is damaged.
  case damagedStart
  /// A newer version wrote the log.
  case newerVersion(found: UInt32, known: UInt32)
  /// A record is complete, but no session writes such a record.
  case record(RecordError)

  /// True if there is no such session.
  package var isMissing: Bool {
    if case .file(let error) = self { error.isMissing } else { false }
  }

  /// True if the process or the machine has no free descriptor.
  package var isOutOfDescriptors: Bool {
    if case .file(let error) = self { error.isOutOfDescriptors } else { false }
  }

  package var description: String {
    switch self {
    case .file(let error): "\(error)"
    case .missingLog: "the session's folder has no log"
    case .damagedStart:
      "the file does not begin like a log: its beginning is damaged, or it is not a log"
    case .newerVersion(let found, let known):
      "the log has version \(found), and this version of DrawTogether reads up to \(known)"
    case .record(let error): "the log has an invalid record: \(error)"
    }
  }
}
