package import SessionCore
package import Wire

/// The counters of one reactor: plain integers that only its own thread uses.
///
/// Counters only rise. Gauges (`open…`, `sessions`, …) rise and fall. After transfers of connections between reactors, the gauge
/// of one reactor may be negative, but the sum over all reactors is right. A copy needs no allocation.
package struct Counters: Sendable {
  // Gauges.
  /// Open HTTP sockets, with and without TLS.
  package var openHTTPSockets: Int64 = 0
  /// Open WebSockets, with and without TLS.
  package var openWebSockets: Int64 = 0
  /// Open sockets with TLS, of both protocols.
  package var openTLSSockets: Int64 = 0
  package var sessions: Int64 = 0
  /// Participants with a joined socket.
  package var participants: Int64 = 0
  /// Bytes of session logs in memory.
  package var logBytes: Int64 = 0
  /// Requests in progress with bytes of attachments.
  package var uploads: Int64 = 0
  /// Bytes of half-received messages.
  package var incompleteBytes: Int64 = 0

  // Sockets.
  package var connectionsAccepted: UInt64 = 0
  /// Connections closed at once, because a limit on connections was reached.
  package var connectionsRefused: UInt64 = 0
  package var handshakesCompleted: UInt64 = 0
  package var handshakesFailed: UInt64 = 0
  /// Handshakes that were ended in favour of a new connection; also counted as failed.
  package var handshakesDropped: UInt64 = 0
  package var handshakesResumed: UInt64 = 0
  package var bytesReceived: UInt64 = 0
  package var bytesSent: UInt64 = 0
  /// Calls of `send` on sockets.
  package var sendCalls: UInt64 = 0
  package var answers = CounterVector<StatusLabel>()
  /// Answered requests, by kind and class of status.
  package var requests = RequestCounts()
  package var closes = CounterVector<CloseCodeLabel>()
  /// The times from the head of a request until the kernel had the whole response.
  package var requestTimes = RequestTimes()

  /// The times from a connection's first byte until its TLS handshake was complete.
  package var handshakeTimes = TimeHistogram()

  // Sessions.
  package var sessionsCreated: UInt64 = 0
  package var sessionsEnded: UInt64 = 0
  /// Sessions loaded from the disk for a client.
  package var sessionsOpened: UInt64 = 0
  package var arrivals = CounterVector<JoinKind>()
  /// Catch-ups sent to open sockets that fell too far behind.
  package var lateCatchUps: UInt64 = 0
  /// The times from `join` until `caughtUp` was sent.
  package var catchUpTimes = TimeHistogram()
  /// The times from an entry's arrival until it was sent to the last socket at the tail: once for each flush of a session, for
  /// its oldest entry.
  package var fanOutTimes = TimeHistogram()
  package var messagesReceived: UInt64 = 0
  /// Entries accepted into the order of a session.
  package var entriesReceived: UInt64 = 0
  /// Entries written to sockets, counted once per socket.
  package var entriesDelivered: UInt64 = 0
  /// Entries dropped because the session already had them.
  package var repeats: UInt64 = 0
  package var unreliableReceived: UInt64 = 0
  /// Unreliable entries refused: over the rate, or malformed.
  package var unreliableRefused: UInt64 = 0
  /// Unreliable entries that a slow subscriber did not get, counted once per subscriber.
  package var unreliableDropped: UInt64 = 0
  /// Entries, control messages and requests refused, by code.
  package var refusals = CounterVector<ErrorCode>()

  // Attachments.
  /// Upload requests that got a slot.
  package var uploadsStarted: UInt64 = 0
  /// Started uploads that resumed an earlier one.
  package var uploadsResumed: UInt64 = 0
  /// Started uploads that ended before their last byte, by cause.
  package var uploadsCut = CounterVector<UploadCut>()
  /// Bytes of attachments written to files.
  package var uploadedBytes: UInt64 = 0
  /// Attachments that became ready.
  package var attachmentsAdded: UInt64 = 0
  /// Upload requests that failed after they got a slot, by code.
  package var uploadFailures = CounterVector<ErrorCode>()

  // The disk.
  /// The times that the storage thread needed for a batch.
  package var appendTimes = TimeHistogram()
  /// The times from an entry's acceptance until its `committed` message was sent: once for each `committed` message of a session,
  /// for the oldest entry that it covers.
  package var commitTimes = TimeHistogram()
  /// Written batches. A batch contains the records of all sessions with unsaved data.
  package var saves: UInt64 = 0
  /// Session logs to which a batch could not be written.
  package var saveFailures: UInt64 = 0
  /// Bytes of records written.
  package var savedBytes: UInt64 = 0
  /// Session logs that were rewritten without superseded records.
  package var compactions: UInt64 = 0

  // The log.
  /// Lines that were omitted, because their budget was used up.
  package var logLinesOmitted: UInt64 = 0

  // The loop.
  /// The durations of turns of the event loop.
  package var turnTimes = TimeHistogram()
  /// Turns of the event loop.
  package var turns: UInt64 = 0

  /// Creates counters that are zero.
  package init() {}

  /// Adds the counters of another reactor.
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
