/// The expensive work that one turn of the loop may still do, by kind, so that no kind delays live entries for long.
final class TurnBudget {
  /// The number of TLS handshake steps in a turn. It is limited because many new connections must not delay the open ones.
  private static let handshakeSteps = 16
  /// The number of bytes of attachments that are read in a turn, over all connections.
  private static let uploadBytes = 1_048_576
  /// The number of bytes that are written in large pieces in a turn, over all connections. Most of them are catch-ups.
  private static let bulkBytes = 2_097_152
  /// The number of bulk bytes that are written in a turn even if the time for them is over.
  private static let leastBulkBytes = 524_288

  private var handshakeStepsLeft = 0
  private var uploadBytesLeft = 0
  private var bulkBytesLeft = 0

  /// Begins a turn.
  func reset() {
    handshakeStepsLeft = Self.handshakeSteps
    uploadBytesLeft = Self.uploadBytes
    bulkBytesLeft = Self.bulkBytes
  }

  var allowsHandshakeStep: Bool { handshakeStepsLeft > 0 }
  var allowsUploadBytes: Bool { uploadBytesLeft > 0 }
  var allowsBulkBytes: Bool { bulkBytesLeft > 0 }
  /// True while the turn has written less than the minimum of bulk bytes.
  var owesBulkBytes: Bool { bulkBytesLeft > Self.bulkBytes - Self.leastBulkBytes }

  func useHandshakeStep() {
    handshakeStepsLeft -= 1
  }

  func useUploadBytes(_ count: Int) {
    uploadBytesLeft -= count
  }

  func useBulkBytes(_ count: Int) {
    bulkBytesLeft -= count
  }
}
