internal import Wire

/// Logs when the gateway begins to refuse new sessions and uploads because of a lack of disk space, and when it accepts them
/// again.
final class DataRefusalLog {
  private let log: Log
  private var isRefusing = false

  init(_ log: Log) {
    self.log = log
  }

  /// Logs a change.
  ///
  /// - Parameter refusal: the present refusal of new sessions and uploads; nil if they are accepted.
  func update(_ refusal: Refusal?) {
    guard (refusal != nil) != isRefusing else { return }
    isRefusing = refusal != nil
    if let refusal {
      log(.error, "new data is refused", ["reason": "\(refusal.detail)"])
    } else {
      log(.info, "new sessions and uploads are accepted again")
    }
  }
}
