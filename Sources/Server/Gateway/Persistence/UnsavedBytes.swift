internal import Synchronization

/// The number of unsaved bytes of entries in all sessions of the gateway. Any thread may use it.
final class UnsavedBytes: Sendable {
  private let limit: Int
  private let bytes = Atomic(0)

  /// Creates an empty gauge with the limit `unsavedBytes`.
  init(limit: Int) {
    self.limit = limit
  }

  /// The present sum in bytes.
  var total: Int { bytes.load(ordering: .relaxed) }

  /// Adds the change of one session.
  ///
  /// - Returns: true when the sum exceeds the limit.
  func add(_ change: Int) -> Bool {
    bytes.add(change, ordering: .relaxed).newValue > limit
  }
}
