package import SessionCore
package import Wire

/// The counters of one reactor: plain integers that only its own thread uses.
///
/// Counters only rise. Gauges (`open…`, `sessions`, …) rise and fall. When connections are transferred between reactors, a gauge
/// of one reactor may become negative, but the sum over all reactors is right. Copying this value needs no allocation.
package struct Counters: Sendable {
  // Gauges.
  /// Open HTTP sockets, with and without TLS.
  package var openHTTPSockets: Int64 = 0
  /// Open WebSockets, with and without TLS.
  package var openWebSockets: Int64 = 0
  /// Open sockets with TLS: HTTP sockets and WebSockets.
  package var openTLSSockets: Int64 = 0
  package var sessions: Int64 = 0
  /// Participants with a joined socket.
  package var participants: Int64 = 0
  /// Bytes of memory that the loaded sessions use.
  package var logBytes: Int64 = 0
  /// Upload requests in progress.
  package var uploads: Int64 = 0
  /// Bytes in memory of incomplete messages and requests, and of pending writes.
  package var incompleteBytes: Int64 = 0

  // Sockets.
  package var connectionsAccepted: UInt64 = 0
  /// Connections closed immediately after they were accepted, because a limit on connections was reached.
  package var connectionsRefused: UInt64 = 0
  package var handshakesCompleted: UInt64 = 0
  package var handshakesFailed: UInt64 = 0
  /// Handshakes that were aborted to make room for a new connection. They are also counted in `handshakesFailed`.
  package var handshakesDropped: UInt64 = 0
  /// Completed handshakes that resumed a TLS session.
  package var handshakesResumed: UInt64 = 0
  package var bytesReceived: UInt64 = 0
  package var bytesSent: UInt64 = 0
  /// `send` system calls on sockets.
  package var sendCalls: UInt64 = 0
  /// HTTP responses, by status.
  package var answers = CounterVector<StatusLabel>()
  /// HTTP responses, by kind of request and class of status.
  package var requests = RequestCounts()
  /// Closed WebSockets, by close code.
  package var closes = CounterVector<CloseCodeLabel>()
  /// The times from the receipt of a request's head until the whole response was passed to the kernel.
  package var requestTimes = RequestTimes()

  /// The times from a connection's first byte until its TLS handshake was complete.
  package var handshakeTimes = TimeHistogram()

  // Sessions.
  package var sessionsCreated: UInt64 = 0
  package var sessionsEnded: UInt64 = 0
  /// Sessions loaded from the disk for a client.
  package var sessionsOpened: UInt64 = 0
  /// Joins of sessions, by kind.
  package var arrivals = CounterVector<JoinKind>()
  /// Catch-ups sent to sockets that had already joined, because these sockets fell too far behind.
  package var lateCatchUps: UInt64 = 0
  /// The times from `join` until `caughtUp` was sent.
  package var catchUpTimes = TimeHistogram()
  /// The times from the arrival of an entry until it was sent to all sockets that were up to date. Counted once per flush of a
  /// session, for the oldest entry of the flush.
  package var fanOutTimes = TimeHistogram()
  package var messagesReceived: UInt64 = 0
  /// Entries that were accepted and got a sequence number in their session.
  package var entriesReceived: UInt64 = 0
  /// Entries written to sockets, counted once per socket.
  package var entriesDelivered: UInt64 = 0
  /// Entries dropped because the session already had them.
  package var repeats: UInt64 = 0
  package var unreliableReceived: UInt64 = 0
  /// Unreliable entries that were refused, because they exceeded the rate limit or were malformed.
  package var unreliableRefused: UInt64 = 0
  /// Unreliable entries that a slow subscriber did not get, counted once per subscriber.
  package var unreliableDropped: UInt64 = 0
  /// Refused entries, control messages and requests, by error code.
  package var refusals = CounterVector<ErrorCode>()

  // Attachments.
  /// Upload requests that got an upload slot.
  package var uploadsStarted: UInt64 = 0
  /// Upload requests that got an upload slot and resumed an earlier upload.
  package var uploadsResumed: UInt64 = 0
  /// Upload requests that got an upload slot and ended before their last byte, by reason.
  package var uploadsCut = CounterVector<UploadCut>()
  /// Bytes of attachments written to files.
  package var uploadedBytes: UInt64 = 0
  /// Attachments that became complete.
  package var attachmentsAdded: UInt64 = 0
  /// Upload requests that failed after they got an upload slot, by error code.
  package var uploadFailures = CounterVector<ErrorCode>()

  // The disk.
  /// The times that the storage thread needed for a batch.
  package var appendTimes = TimeHistogram()
  /// The times from the acceptance of an entry until its `committed` message was sent. Counted once per `committed` message of a
  /// session, for the oldest entry that the message covers.
  package var commitTimes = TimeHistogram()
  /// Batches of records passed to the store. A batch contains the unsaved records of all sessions in one shard.
  package var saves: UInt64 = 0
  /// Failed writes to session logs. A failed batch counts once for each of its sessions.
  package var saveFailures: UInt64 = 0
  /// Bytes of records written.
  package var savedBytes: UInt64 = 0
  /// Rewrites of session logs without their superseded records.
  package var compactions: UInt64 = 0
  /// Extensions of session histories that wrote data.
  package var historyExtensions: UInt64 = 0
  /// Failed extensions of session histories. The history then lacks entries.
  package var historyFailures: UInt64 = 0

  // The log.
  /// Log lines that were omitted because their budget was used up.
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
