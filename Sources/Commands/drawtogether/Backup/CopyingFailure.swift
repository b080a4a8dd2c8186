internal import Storage
internal import Platform

/// Why there is no backup, or nothing was restored. Its words are one sentence for the operator.
enum CopyingFailure: Error, Equatable, Sendable, CustomStringConvertible {
  /// What ended the copying when it had begun.
  struct Interrupted: Equatable, Sendable {
    var request: FolderCopying.Request
    var error: CopyError
    /// How many bytes had been copied.
    var copied: UInt64
    /// How many there are to copy, where it was for want of room.
    var needed: UInt64?
    /// Why what was made could not be removed.
    var leftover: StorageError?
  }

  /// The folder to be copied is none, or cannot be read.
  case source(DataFolderCopy.Purpose, DataFolderError)
  /// The copy cannot go where it is to go.
  case target(DataFolderCopy.Purpose, DataFolderError)
  /// It was begun and could not be finished.
  case interrupted(Interrupted)
  /// The system refuses a thread.
  case thread(SystemError)

  /// Whether it was asked for what cannot be.
  var isOfUsage: Bool {
    switch self {
    case .source, .target: true
    case .interrupted, .thread: false
    }
  }

  var description: String {
    switch self {
    case .source(.backup, let error), .target(.restore, let error): "--data: \(error)"
    case .source(.restore, .notAFolder(let path)), .target(.backup, .notAFolder(let path)):
      "\(path) is not a folder"
    case .source(.restore, let error): error.words(calling: "the backup")
    case .target(.backup, .inUse(let path, let process)):
      "the folder \(path) is in use by \(process.map { "process \($0)" } ?? "another process"): a backup of its own needs a "
        + "folder of its own"
    case .target(.backup, let error): error.words(calling: "the folder for the backup")
    case .interrupted(let what): "\(what)"
    case .thread(let error): "\(error)"
    }
  }
}

extension CopyingFailure.Interrupted: CustomStringConvertible {
  var description: String {
    let rest =
      switch leftover {
      case nil: "what was made is removed"
      case let error?: "what was made says that it is not whole, and could not be removed (\(error))"
      }
    return "\(reason); \(rest)"
  }

  private var reason: String {
    let work = request.purpose.rawValue
    let room = "there is no room for the \(work) in \(request.target)"
    let size = needed.map { "it takes \(ShownFigures.size($0)), and " } ?? ""
    switch error {
    case .reserve(let free):
      return "\(room): \(size)of \(ShownFigures.size(free)) that are free there "
        + "\(ShownFigures.size(request.reserve)) stay free for the gateway (--disk-reserve-bytes)"
    case .target(let error) where error.isFull:
      return "\(room): \(size)after \(ShownFigures.size(copied)) there was no more (\(error))"
    case .target(let error): return "the \(work) in \(request.target) cannot be finished (\(error))"
    case .source(let error): return "\(request.source) cannot be read to the end (\(error))"
    }
  }
}
