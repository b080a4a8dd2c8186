/// Why something could not be copied from one data folder to another: which side failed decides what is done about it.
package enum CopyError: Error, Equatable, Sendable {
  /// What was to be read: it is not there any more, is shorter than it was, or cannot be read.
  case source(StorageError)
  /// What was to be written.
  case target(StorageError)
  /// So few bytes are free where the copy goes that those who write there beside would be left without.
  case reserve(free: UInt64)

  /// Whether there is no room for the copy.
  package var isFull: Bool {
    switch self {
    case .source: false
    case .target(let error): error.isFull
    case .reserve: true
    }
  }

  /// Whether the copy is as far as it can be, and it is what is copied that is not as it was or should be.
  package var isOfSource: Bool {
    if case .source(let error) = self { !error.isOutOfDescriptors } else { false }
  }
}
