package import Wire
package import Primitives

/// An action for the shell. It performs effects in the order in which the session returns them.
///
/// Bytes for sockets are not among the effects: they are in the log and in the subscribers' outboxes.
package enum Effect: Sendable {
  /// Sends the reason to the socket and closes it. It is no longer a member.
  case close(connection: UInt64, CloseReason)
  /// Reads nothing from the socket until then: it ignored refusals.
  case pauseReading(connection: UInt64, until: MonotonicTime)
  /// A participant joined, and the way in which it is caught up; for the log and the counters.
  case joined(connection: UInt64, ParticipantNumber, JoinKind)
  /// A client had more acknowledged entries than the session, so entries between the two numbers are lost; for the log.
  case acknowledgedMoved(ParticipantNumber, from: UInt32, to: UInt32)
  case refused(connection: UInt64, ErrorCode)
  /// A participant did not come back in time; for the log.
  case gone(ParticipantNumber)
}

/// The way in which a participant joined.
package enum JoinKind: String, CaseIterable, Sendable {
  case new
  case tail
  case snapshot
}

/// The events that a session counted since the last call of `takeCounters`.
package struct SessionCounters: Sendable {
  package var entriesAccepted = 0
  package var repeats = 0
  package var unreliableReceived = 0
  package var unreliableRefused = 0
  package var unreliableDropped = 0
  package var lateCatchUps = 0
  package var delivered = 0
  /// Nanoseconds that the oldest entry of the last `committed` message waited for it; 0 if there was no message.
  package var commitWait: Int64 = 0

  package init() {}
}
