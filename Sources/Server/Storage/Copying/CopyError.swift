/// A failed copy from one data folder to another. The reaction depends on the side that failed: source or target.
package enum CopyError: Error, Equatable, Sendable {
  /// The source is missing, shorter than before, or cannot be read.
  case source(StorageError)
  /// The target cannot be written.
  case target(StorageError)
  /// The target's file system has too few free bytes for both the copy and a gateway that writes to the same file system.
  case reserve(free: UInt64)

  /// True if the target has no room for the copy.
  package var isFull: Bool {
    switch self {
    case .source: false
    case .target(let error): error.isFull
    case .reserve: true
    }
  }

  /// True if the source is missing or damaged. The copy then has all bytes that can be copied.
  package var isOfSource: Bool {
    if case .source(let error) = self { !error.isOutOfDescriptors } else { false }
  }
}
