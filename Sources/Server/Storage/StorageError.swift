internal import Glibc
internal import Platform
package import SessionCore

/// A failed operation on stored data, or records that cannot be used. The description is one clause and may be logged: it names
/// no session and no path.
package enum StorageError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The operation. Its raw value ends the sentence "cannot …".
  package enum Operation: String, Sendable {
    case measureFreeSpace = "measure the free space"
    case makeSession = "create the folder of a session"
    case removeSession = "remove the folder of a session"
    case listSessions = "list the sessions"
    case listFiles = "list the files of a session"
    case openLog = "open the log of a session"
    case readLog = "read the log of a session"
    case writeLog = "write to the log of a session"
    case cutLog = "truncate the log of a session"
    case lockLog = "lock the log of a session"
    case compactLog = "compact the log of a session"
    case readHistory = "read the history of a session"
    case writeHistory = "write the history of a session"
    case sync = "sync the written data"
    case mark = "write the file that marks a clean stop"
    case createUpload = "begin an upload"
    case openUpload = "continue an upload"
    case writeUpload = "write an upload"
    case rollBackUpload = "truncate an upload to its earlier length"
    case finishUpload = "finish an upload"
    case discardUpload = "discard an upload"
    case placeContent = "move the file of an upload to its final folder"
    case removeContent = "remove the content of an attachment"
    case openContent = "open the content of an attachment"
    case readContent = "read the content of an attachment"
    case addressKey = "store the key for pseudonyms of addresses"
    case listenForCommands = "listen for commands in the data folder"
    case askGateway = "send a command to the gateway that uses the data folder"
    case readCertificate = "read the certificate of the data folder or its key"
    case writeCopy = "write a copy"
  }

  /// An operation failed with this `errno`. ENODATA: a file is shorter than before. EINVAL: a name or a file of the wrong
  /// kind. EBADMSG: bytes fail their check. ESTALE: a log has changed after it was read. ECANCELED: the operation was
  /// abandoned.
  case failed(Operation, code: CInt)
  /// The session's folder exists, but has no log.
  case missingLog
  /// The file does not begin with the first record of a log: it is not a log, or its beginning is damaged.
  case damagedStart
  /// A newer version wrote the log.
  case newerVersion(found: UInt32, known: UInt32)
  /// A record is complete, but no session writes such a record.
  case record(RecordError)

  /// Creates an error from an operation and its `errno`.
  package init(_ operation: Operation, code: CInt) {
    self = .failed(operation, code: code)
  }

  /// The `errno` of a failed operation; EBADMSG for records that cannot be used.
  package var code: CInt {
    if case .failed(_, let code) = self { code } else { EBADMSG }
  }

  /// True if there is no free space: the disk, the user's quota, or the maximum size of files is exhausted.
  package var isFull: Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }

  /// True if the whole disk fails, not only one file.
  package var isOfDisk: Bool { isFull || code == EIO || code == EROFS }

  /// True if the process or the machine has no free descriptor.
  package var isOutOfDescriptors: Bool { code == EMFILE || code == ENFILE }

  /// True if the file or folder does not exist.
  package var isMissing: Bool { code == ENOENT }

  /// One clause: `cannot write an upload: No space left on device`.
  package var description: String {
    switch self {
    case .failed(let operation, let code): "cannot \(operation.rawValue): \(SystemError.message(for: code))"
    case .missingLog: "the session's folder has no log"
    case .damagedStart:
      "the file is not a log, or its beginning is damaged"
    case .newerVersion(let found, let known):
      "the log has version \(found), and this version of DrawTogether reads up to \(known)"
    case .record(let error): "the log has an invalid record: \(error)"
    }
  }

  /// Returns the result of a call to a C shim. Throws if the result is a negative `errno`, which means that the call failed.
  @discardableResult
  static func check<Number: FixedWidthInteger & SignedInteger>(
    _ operation: Operation, _ result: Number
  ) throws(StorageError) -> Number {
    guard result >= 0 else { throw StorageError(operation, code: CInt(clamping: -result)) }
    return result
  }
}
