package import Wire
package import Primitives

/// What the shell has to do, in this order, after it told a session something.
///
/// What goes to the sockets themselves is not among the effects: it stands in the log and in the subscribers' outboxes.
package enum Effect: Sendable {
  /// Tell the socket why, and close it. The session has let go of it already.
  case close(connection: UInt64, CloseReason)
  /// Read nothing more from the socket before this moment: it ignored refusals.
  case pauseReading(connection: UInt64, until: MonotonicTime)
  /// For the log and the counters: somebody is in, and how they were caught up.
  case joined(connection: UInt64, ParticipantNumber, JoinKind)
  /// For the log: the client knew of more than the session; what was between is lost.
  case acknowledgedMoved(ParticipantNumber, from: UInt32, to: UInt32)
  case refused(connection: UInt64, ErrorCode)
  /// For the log: somebody did not come back in time.
  case gone(ParticipantNumber)
}

/// How somebody came in.
package enum JoinKind: String, Sendable {
  case new
  case tail
  case snapshot
}

/// What a session counted since the shell asked last.
package struct SessionCounters: Sendable {
  package var entriesAccepted = 0
  package var repeats = 0
  package var unreliableReceived = 0
  package var unreliableRefused = 0
  package var unreliableDropped = 0
  package var lateCatchUps = 0
  package var silentlyDropped = 0
  package var delivered = 0
  package var snapshots = 0
  package var tails = 0
  /// For how long the oldest entry that `committed` told of last had waited for that, in nanoseconds; 0: none was told of.
  package var commitWait: Int64 = 0

  package init() {}
}
