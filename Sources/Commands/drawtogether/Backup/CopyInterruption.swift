internal import Storage

/// The details of an interrupted copy.
struct CopyInterruption: Equatable, Sendable {
  var request: FolderCopying.Request
  var error: CopyError
  /// The number of bytes that were copied before the interruption.
  var copied: UInt64
  /// The approximate size of the whole copy in bytes; nil unless the disk is full.
  var needed: UInt64?
  /// The error that prevented the removal of the incomplete copy.
  var leftover: StorageError?
}

extension CopyInterruption: CustomStringConvertible {
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
    let size = needed.map { "the copy needs \(ShownFigures.size($0)), and " } ?? ""
    switch error {
    case .reserve(let free):
      return "\(room): \(size)\(ShownFigures.size(free)) are free, "
        + "of which \(ShownFigures.size(request.reserve)) stay reserved for the gateway (--disk-reserve-bytes)"
    case .target(let error) where error.isFull:
      return "\(room): \(size)the disk was full after \(ShownFigures.size(copied)) (\(error))"
    case .target(let error): return "the \(work) in \(request.target) cannot be finished (\(error))"
    case .source(let error): return "\(request.source) cannot be read completely (\(error))"
    }
  }
}
