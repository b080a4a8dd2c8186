internal import Transport
internal import WebSocket

/// Input that costs much more than its length: compressed messages that become large, long messages of many small entries, and
/// bodies in tiny chunks.
///
/// A socket that brings such input does one step of it, then waits in a line of its own, so that it delays no other socket by
/// more than a step. One message of a reactor is inflated in steps at a time: only one holds what it has become so far.
struct ExpensiveInput {
  /// The time in a turn for all of it.
  static let time = Duration.milliseconds(1)
  /// The number of bytes that a socket has inflated in a step.
  static let inflatedBytes = 65_536
  /// The number of entries of one message that are taken in a step.
  static let entries = 2_048
  /// The number of pieces of a request's body that are taken in a step.
  static let bodyPieces = 1_024

  var waiting = WaitingLine()
  /// What the present turn has spent on it. Entries of others need not wait for more to go with them because of that.
  var timeOfTurn = Duration.zero
  /// Inflates messages that take several steps.
  let inflater = Inflater()
  private var inflating: Connection.Key?

  /// Begins anew to measure what a turn spends.
  mutating func takeTimeOfTurn() -> Duration {
    defer { timeOfTurn = .zero }
    return timeOfTurn
  }

  /// Gives the inflater to a socket until its message is whole.
  ///
  /// - Returns: false when another socket has it.
  mutating func claimInflater(for key: Connection.Key) -> Bool {
    if inflating == nil { inflating = key }
    return inflating == key
  }

  /// Takes the inflater back, if this socket has it.
  mutating func releaseInflater(of key: Connection.Key) {
    if inflating == key { inflating = nil }
  }
}
