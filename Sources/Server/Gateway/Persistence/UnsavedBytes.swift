internal import Synchronization

/// The number of unsaved bytes of entries in all sessions of the gateway. Any thread may use this gauge.
final class UnsavedBytes: Sendable {
  private let limit: Int
  private let bytes = Atomic(0)

  /// Creates a gauge with the value 0. `limit` is the setting `unsavedBytes`.
  init(limit: Int) {
    self.limit = limit
  }

  /// The present number of unsaved bytes of all sessions.
  var total: Int { bytes.load(ordering: .relaxed) }

  /// Adds a change of one session's unsaved bytes to the total.
  ///
  /// - Returns: true when the total exceeds the limit.
  func add(_ change: Int) -> Bool {
    bytes.add(change, ordering: .relaxed).newValue > limit
  }
}
