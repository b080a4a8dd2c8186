internal import FoundationEssentials

/// The parts of a session's message that a board needs.
struct BoardEntry: Sendable {
  /// The retention of the message.
  enum Retention: Sendable {
    case none
    case append
    case replace
    case remove
  }

  var type: String
  var payload: [UInt8]
  var retention: Retention
  /// The key; nil for a message without retention.
  var key: UUID?
  /// The sequence of the message in the session; 0 if the message has no sequence.
  var sequence: UInt64
}

/// The parts of an attachment that a board needs.
struct BoardAttachment: Sendable {
  var id: UUID
  var name: String
  var isPicture: Bool
  /// The metadata as JSON; nil without metadata.
  var metadata: [UInt8]?
}
