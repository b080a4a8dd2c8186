/// A failed copy from one data folder to another. The side that failed decides about the reaction.
package enum CopyError: Error, Equatable, Sendable {
  /// The source is missing, shorter than before, or cannot be read.
  case source(StorageError)
  /// The target cannot be written.
  case target(StorageError)
  /// The target's file system has too few free bytes for the copy and for the gateway that also writes there.
  case reserve(free: UInt64)

  /// True if there is no room for the copy.
  package var isFull: Bool {
    switch self {
    case .source: false
    case .target(let error): error.isFull
    case .reserve: true
    }
  }

  /// True if the source is missing or damaged, so that the copy has all that can be copied.
  package var isOfSource: Bool {
    if case .source(let error) = self { !error.isOutOfDescriptors } else { false }
  }
}
