package import SessionCore
package import Wire

/// What one reactor counts while it works: plain integers, touched by its own thread only.
///
/// Counts only rise; gauges (`open…`, `sessions`, …) rise and fall, and one reactor's may be negative when what it counts was
/// handed to another: the sum is right. Copying allocates nothing.
package struct Counters: Sendable {
  // Gauges.
  /// Sockets that speak HTTP at present, TLS or not.
  package var openHTTPSockets: Int64 = 0
  /// Sockets that speak WebSocket at present, TLS or not.
  package var openWebSockets: Int64 = 0
  /// Sockets under TLS at present, whatever they speak.
  package var openTLSSockets: Int64 = 0
  package var sessions: Int64 = 0
  /// Participants whose socket is joined.
  package var participants: Int64 = 0
  /// Bytes of session logs in memory.
  package var logBytes: Int64 = 0
  /// Requests that bring bytes of attachments at present.
  package var uploads: Int64 = 0
  /// Bytes of half-received messages.
  package var incompleteBytes: Int64 = 0

  // Sockets.
  package var connectionsAccepted: UInt64 = 0
  /// Closed at once, for a limit on connections was reached.
  package var connectionsRefused: UInt64 = 0
  package var handshakesCompleted: UInt64 = 0
  package var handshakesFailed: UInt64 = 0
  /// The failed handshakes that were dropped in favour of a newcomer.
  package var handshakesDropped: UInt64 = 0
  package var handshakesResumed: UInt64 = 0
  package var bytesReceived: UInt64 = 0
  package var bytesSent: UInt64 = 0
  /// Calls of `send` on sockets.
  package var sendCalls: UInt64 = 0
  package var answers = CounterVector<StatusLabel>()
  /// Requests answered, by what they asked for and by the class of the status.
  package var requests = RequestCounts()
  package var closes = CounterVector<CloseCodeLabel>()
  /// The times from the head of a request until the kernel had the whole answer.
  package var requestTimes = RequestTimes()

  /// From a connection's first byte until TLS was agreed on.
  package var handshakeTimes = TimeHistogram()

  // Sessions.
  package var sessionsCreated: UInt64 = 0
  package var sessionsEnded: UInt64 = 0
  /// Sessions read from the disk, because somebody came.
  package var sessionsOpened: UInt64 = 0
  package var arrivals = CounterVector<JoinKind>()
  /// Catch-ups sent to sockets that stayed but fell too far behind.
  package var lateCatchUps: UInt64 = 0
  /// From the wish to join until `caughtUp` was sent.
  package var catchUpTimes = TimeHistogram()
  /// From when an entry was there until it had been offered to the last socket at the tail, once for each flush of a session: its
  /// oldest entry counts.
  package var fanOutTimes = TimeHistogram()
  package var messagesReceived: UInt64 = 0
  /// Entries taken into a session's order.
  package var entriesReceived: UInt64 = 0
  /// Entries written to sockets, once for each socket.
  package var entriesDelivered: UInt64 = 0
  /// Entries dropped because the session already held them.
  package var repeats: UInt64 = 0
  package var unreliableReceived: UInt64 = 0
  /// Unreliable entries not taken: over the rate, or wrong.
  package var unreliableRefused: UInt64 = 0
  /// Unreliable entries that a reader did not get, because it lagged; once for each reader.
  package var unreliableDropped: UInt64 = 0
  /// Entries, control messages and requests refused, by code.
  package var refusals = CounterVector<ErrorCode>()

  // Attachments.
  /// Requests that were given a place to bring bytes to.
  package var uploadsStarted: UInt64 = 0
  /// Those of them that went on with an earlier one.
  package var uploadsResumed: UInt64 = 0
  /// Those that broke off before the end, by why.
  package var uploadsCut = CounterVector<UploadCut>()
  /// Bytes written to files.
  package var uploadedBytes: UInt64 = 0
  /// Attachments that became ready.
  package var attachmentsAdded: UInt64 = 0
  /// Requests that failed once they had a place, by code.
  package var uploadFailures = CounterVector<ErrorCode>()

  // The disk.
  /// How long the storage thread took for a batch.
  package var appendTimes = TimeHistogram()
  /// From when an entry was taken until its sender was told that it is kept, once for each such message of a session: the oldest
  /// entry that it covers counts.
  package var commitTimes = TimeHistogram()
  /// Batches written, each of all sessions that had something to be written.
  package var saves: UInt64 = 0
  /// Logs that a batch could not be written to.
  package var saveFailures: UInt64 = 0
  /// Bytes of sessions' records written.
  package var savedBytes: UInt64 = 0
  /// Logs written anew without what was superseded.
  package var compactions: UInt64 = 0

  // The log.
  /// Lines that were not written, because too many of their kind came at once.
  package var logLinesOmitted: UInt64 = 0

  // The loop.
  /// How long a turn took.
  package var turnTimes = TimeHistogram()
  /// Turns of the event loop.
  package var turns: UInt64 = 0

  /// All zero.
  package init() {}

  /// Adds another reactor's counts.
  package static func += (total: inout Counters, part: Counters) {
    for metric in MetricList.sockets + MetricList.gauges {
      total[keyPath: metric.value] &+= part[keyPath: metric.value]
    }
    for metric in MetricList.counts { total[keyPath: metric.value] &+= part[keyPath: metric.value] }
    for metric in MetricList.times { total[keyPath: metric.value] += part[keyPath: metric.value] }
    total.requests += part.requests
    total.requestTimes += part.requestTimes
    total.uploadsCut += part.uploadsCut
    total.uploadFailures += part.uploadFailures
    total.answers += part.answers
    total.closes += part.closes
    total.arrivals += part.arrivals
    total.refusals += part.refusals
  }
}
