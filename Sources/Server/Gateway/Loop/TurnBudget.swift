/// The amounts of expensive work that the present turn of the loop may still do. The budget keeps expensive work from delaying
/// live entries for long.
final class TurnBudget {
  /// The maximum number of TLS handshake steps in a turn. The limit keeps many new connections from delaying the open ones.
  private static let handshakeSteps = 16
  /// The maximum number of bytes of attachments that a turn reads from all connections together.
  private static let uploadBytes = 1_048_576
  /// The maximum number of bulk bytes that a turn writes to all connections together. Bulk bytes are written in large pieces,
  /// mostly for catch-ups.
  private static let bulkBytes = 2_097_152
  /// The minimum number of bulk bytes that a turn writes, even if the time for bulk bytes is used up.
  private static let leastBulkBytes = 524_288

  private var handshakeStepsLeft = 0
  private var uploadBytesLeft = 0
  private var bulkBytesLeft = 0

  /// Restores the full budget at the beginning of a turn.
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
