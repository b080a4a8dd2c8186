internal import Wire

/// Logs when the gateway begins to refuse new sessions and uploads because it cannot store more data, and when it accepts new
/// sessions and uploads again.
final class DataRefusalLog {
  private let log: Log
  private var isRefusing = false

  init(_ log: Log) {
    self.log = log
  }

  /// Logs a line if the gateway has just begun to refuse or to accept new data.
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
