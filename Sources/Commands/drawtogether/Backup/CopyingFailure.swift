internal import Storage
internal import Platform

/// An error of a backup or restore. The description is one sentence for the operator.
enum CopyingFailure: Error, Equatable, Sendable, CustomStringConvertible {
  /// The details of an interrupted copy.
  struct Interrupted: Equatable, Sendable {
    var request: FolderCopying.Request
    var error: CopyError
    /// The copied bytes.
    var copied: UInt64
    /// The bytes to copy, if the disk is full.
    var needed: UInt64?
    /// The error that prevented the removal of the incomplete copy.
    var leftover: StorageError?
  }

  /// The source is not a data folder, or cannot be read.
  case source(DataFolderCopy.Purpose, DataFolderError)
  /// The target cannot be used.
  case target(DataFolderCopy.Purpose, DataFolderError)
  /// The copy was interrupted.
  case interrupted(Interrupted)
  /// A thread cannot be started.
  case thread(SystemError)

  /// True for an error in the arguments.
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
      "the folder \(path) is in use by \(process.map { "process \($0)" } ?? "another process"): each backup needs a "
        + "separate folder"
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
      case nil: "the incomplete copy is removed"
      case let error?: "the incomplete copy is marked as incomplete, but cannot be removed (\(error))"
      }
    return "\(reason); \(rest)"
  }

  private var reason: String {
    let work = request.purpose.rawValue
    let room = "not enough space for the \(work) in \(request.target)"
    let size = needed.map { "it needs \(ShownFigures.size($0)), and " } ?? ""
    switch error {
    case .reserve(let free):
      return "\(room): \(size)\(ShownFigures.size(free)) are free, of which "
        + "\(ShownFigures.size(request.reserve)) stay reserved for the gateway (--disk-reserve-bytes)"
    case .target(let error) where error.isFull:
      return "\(room): \(size)the disk was full after \(ShownFigures.size(copied)) (\(error))"
    case .target(let error): return "the \(work) in \(request.target) cannot be finished (\(error))"
    case .source(let error): return "\(request.source) cannot be read completely (\(error))"
    }
  }
}
