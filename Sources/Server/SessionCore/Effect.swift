package import Wire
package import Primitives

/// An action for the shell, the code that owns sockets, files and timers. The shell performs effects in the order in which the
/// session returns them.
///
/// Effects contain no bytes for sockets: these are in the log and in the subscribers' outboxes.
package enum Effect: Sendable {
  /// Sends the reason to the socket and closes it. The socket is no longer a member.
  case close(connection: UInt64, CloseReason)
  /// Stops reading from the socket until the given time, because its participant ignored refusals.
  case pauseReading(connection: UInt64, until: MonotonicTime)
  /// Reports a joined participant and its kind of catch-up, for a log line and the counters.
  case joined(connection: UInt64, ParticipantNumber, JoinKind)
  /// Reports lost entries, for a log line: the session no longer has some entries that it acknowledged to the client.
  case acknowledgedMoved(ParticipantNumber, from: UInt32, to: UInt32)
  case refused(connection: UInt64, ErrorCode)
  /// Reports a participant that did not come back within its grace time, for a log line.
  case gone(ParticipantNumber)
}

/// The kind of catch-up of a joined participant.
package enum JoinKind: String, CaseIterable, Sendable {
  case new
  case tail
  case snapshot
}

/// The numbers of events since the last call of `takeCounters`.
package struct SessionCounters: Sendable {
  package var entriesAccepted = 0
  package var repeats = 0
  package var unreliableReceived = 0
  package var unreliableRefused = 0
  package var unreliableDropped = 0
  package var lateCatchUps = 0
  package var delivered = 0
  /// The delay of the last `committed` message in nanoseconds, counted from the arrival of the oldest entry that this message
  /// covers; 0 if no `committed` message was sent.
  package var commitWait: Int64 = 0

  package init() {}
}
