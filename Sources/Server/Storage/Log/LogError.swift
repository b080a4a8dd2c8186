package import SessionCore

/// Why a log cannot be used. Its words are one clause for the operator, and name no session and no path.
package enum LogError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The file cannot be opened or read.
  case file(StorageError)
  /// The session's folder exists, but has no log.
  case missingLog
  /// What should be the first record is none: this is no log, or its beginning was damaged.
  case damagedStart
  /// A newer version wrote it.
  case newerVersion(found: UInt32, known: UInt32)
  /// A record is whole, and not what a session writes.
  case record(RecordError)

  /// Whether there is no such session.
  package var isMissing: Bool {
    if case .file(let error) = self { error.isMissing } else { false }
  }

  /// Whether the process, or the machine, has as many files open as it may.
  package var isOutOfDescriptors: Bool {
    if case .file(let error) = self { error.isOutOfDescriptors } else { false }
  }

  package var description: String {
    switch self {
    case .file(let error): "\(error)"
    case .missingLog: "the session's folder holds no log"
    case .damagedStart:
      "the log does not begin as one does: its beginning was damaged, or it is something else"
    case .newerVersion(let found, let known):
      "the log has version \(found), and this version of DrawTogether reads up to \(known)"
    case .record(let error): "the log holds what no session writes: \(error)"
    }
  }
}
