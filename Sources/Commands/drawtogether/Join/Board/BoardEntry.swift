internal import FoundationEssentials

/// A message of a session, as far as a board is concerned.
struct BoardEntry: Sendable {
  /// How the session keeps it.
  enum Retention: Sendable {
    case none
    case append
    case replace
    case remove
  }

  var type: String
  var payload: [UInt8]
  var retention: Retention
  /// What it is kept under; nil for what is not.
  var key: UUID?
  /// Its place in the session's order; 0 for what has none.
  var sequence: UInt64
}

/// A file or picture of the session's journal, as far as a board is concerned.
struct BoardAttachment: Sendable {
  var id: UUID
  var name: String
  var isPicture: Bool
  /// JSON; nil for none.
  var metadata: [UInt8]?
}
