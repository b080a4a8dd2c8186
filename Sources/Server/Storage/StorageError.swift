internal import Glibc
internal import Platform

/// A file or folder that could not be made, read, written or removed: what was tried, and the system's error.
///
/// Its words are fit for logs: they name no session and no path.
package struct StorageError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What was tried; its raw value ends the sentence "cannot …".
  package enum Operation: String, Sendable {
    case measureFreeSpace = "tell how much space is free"
    case makeSession = "make the folder of a session"
    case removeSession = "remove the folder of a session"
    case listSessions = "list the sessions"
    case listFiles = "list the files of a session"
    case openLog = "open the log of a session"
    case readLog = "read the log of a session"
    case writeLog = "write to the log of a session"
    case cutLog = "cut the log of a session"
    case lockLog = "lock the log of a session"
    case compactLog = "compact the log of a session"
    case sync = "bring what was written to the disk"
    case mark = "mark how the data folder was left"
    case createUpload = "begin an upload"
    case openUpload = "go on with an upload"
    case writeUpload = "write an upload"
    case rollBackUpload = "take back a piece of an upload"
    case finishUpload = "finish an upload"
    case discardUpload = "discard an upload"
    case placeContent = "put the content of an upload in its place"
    case removeContent = "remove the content of an attachment"
    case openContent = "open the content of an attachment"
    case readContent = "read the content of an attachment"
    case addressKey = "store the key for pseudonyms of addresses"
    case listenForCommands = "listen for commands in the data folder"
    case askGateway = "ask the gateway that has the data folder"
    case readCertificate = "read the certificate of the data folder or its key"
    case writeCopy = "write a copy"
  }

  /// What was tried.
  package let operation: Operation
  /// The `errno`; ENODATA for a file that is shorter than it was, EINVAL for a name or a file of the wrong kind, EBADMSG
  /// for bytes that fail their check, ESTALE for a log that is not as it was read, ECANCELED for what was taken back.
  package let code: CInt

  /// Names what was tried, and the `errno` that it gave.
  package init(_ operation: Operation, code: CInt) {
    self.operation = operation
    self.code = code
  }

  /// Whether there is no room: the disk is full, or what this user may have of it, or what a file may be.
  package var isFull: Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }

  /// Whether it is the disk that fails, and not one file that is not as it should be.
  package var isOfDisk: Bool { isFull || code == EIO || code == EROFS }

  /// Whether the process, or the machine, has as many files open as it may.
  package var isOutOfDescriptors: Bool { code == EMFILE || code == ENFILE }

  /// Whether what was to be opened is not there.
  package var isMissing: Bool { code == ENOENT }

  /// One clause: `cannot write an upload: No space left on device`.
  package var description: String {
    "cannot \(operation.rawValue): \(SystemError.message(for: code))"
  }

  /// The result of a shim's call, which is a negative `errno` when the call failed.
  @discardableResult
  static func check<Number: FixedWidthInteger & SignedInteger>(
    _ operation: Operation, _ result: Number
  ) throws(StorageError) -> Number {
    guard result >= 0 else { throw StorageError(operation, code: CInt(clamping: -result)) }
    return result
  }
}
