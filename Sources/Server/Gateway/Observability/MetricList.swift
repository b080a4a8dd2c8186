/// The metrics that each show one property of `Counters`. A metric is listed with its name without the prefix, the property, and
/// a help text.
enum MetricList {
  struct Metric<Value>: Sendable {
    let name: String
    let help: String
    let value: any WritableKeyPath<Counters, Value> & Sendable

    init(_ name: String, _ value: any WritableKeyPath<Counters, Value> & Sendable, _ help: String) {
      self.name = name
      self.help = help
      self.value = value
    }
  }

  /// The values of the gauge `sockets`. `name` is the value of its label `kind`.
  static let sockets: [Metric<Int64>] = [
    Metric("http", \.openHTTPSockets, "HTTP sockets."),
    Metric("websocket", \.openWebSockets, "WebSockets."),
    Metric("tls", \.openTLSSockets, "Sockets with TLS: HTTP sockets and WebSockets."),
  ]

  static let gauges: [Metric<Int64>] = [
    Metric("sessions", \.sessions, "Sessions in memory."),
    Metric("participants", \.participants, "Participants with a joined socket."),
    Metric("log_bytes", \.logBytes, "Bytes of memory that the loaded sessions use."),
    Metric("uploads", \.uploads, "Upload requests in progress."),
    Metric(
      "incomplete_bytes", \.incompleteBytes,
      "Bytes of incomplete messages and requests, and of pending writes, in memory."),
  ]

  static let counts: [Metric<UInt64>] = [
    Metric("connections_accepted_total", \.connectionsAccepted, "Connections accepted."),
    Metric(
      "connections_refused_total", \.connectionsRefused,
      "Connections closed immediately because of a limit on connections."),
    Metric("tls_handshakes_total", \.handshakesCompleted, "TLS handshakes completed."),
    Metric("tls_handshakes_resumed_total", \.handshakesResumed, "TLS handshakes that resumed a TLS session."),
    Metric(
      "tls_handshake_failures_total", \.handshakesFailed, "TLS handshakes that failed or timed out."),
    Metric(
      "tls_handshakes_dropped_total", \.handshakesDropped,
      "Failed TLS handshakes that were aborted to make room for a new connection, because too many handshakes were in progress."
    ),
    Metric("received_bytes_total", \.bytesReceived, "Bytes received from sockets."),
    Metric("sent_bytes_total", \.bytesSent, "Bytes sent to sockets."),
    Metric("send_calls_total", \.sendCalls, "Calls of send() on sockets."),
    Metric("sessions_created_total", \.sessionsCreated, "Sessions created."),
    Metric("sessions_ended_total", \.sessionsEnded, "Sessions ended."),
    Metric("sessions_opened_total", \.sessionsOpened, "Sessions loaded from the disk."),
    Metric("saves_total", \.saves, "Batches of records written to the disk."),
    Metric("save_failures_total", \.saveFailures, "Failed writes of a batch to a session log."),
    Metric("saved_bytes_total", \.savedBytes, "Bytes of records written to the disk."),
    Metric("compactions_total", \.compactions, "Session logs rewritten without superseded records."),
    Metric(
      "history_extensions_total", \.historyExtensions,
      "Extensions of session histories that wrote data."),
    Metric(
      "history_failures_total", \.historyFailures,
      "Failed extensions of session histories; each may leave a gap in a history."),
    Metric(
      "late_catch_ups_total", \.lateCatchUps,
      "Catch-ups sent to sockets that had already joined, because the sockets had fallen too far behind."
    ),
    Metric("uploads_started_total", \.uploadsStarted, "Upload requests that got an upload slot."),
    Metric(
      "uploads_resumed_total", \.uploadsResumed,
      "Upload requests that got an upload slot and resumed an earlier upload."),
    Metric("uploaded_bytes_total", \.uploadedBytes, "Bytes of attachments written to files."),
    Metric("attachments_added_total", \.attachmentsAdded, "Attachments that became complete."),
    Metric("messages_received_total", \.messagesReceived, "WebSocket messages received."),
    Metric(
      "entries_received_total", \.entriesReceived,
      "Entries that were accepted and got a sequence number in their session."),
    Metric("entries_delivered_total", \.entriesDelivered, "Entries sent, counted once per socket."),
    Metric("repeats_total", \.repeats, "Entries dropped because their session already had them."),
    Metric("unreliable_received_total", \.unreliableReceived, "Unreliable entries received."),
    Metric(
      "unreliable_refused_total", \.unreliableRefused,
      "Unreliable entries refused because they exceeded the rate limit or were malformed."),
    Metric(
      "unreliable_dropped_total", \.unreliableDropped,
      "Unreliable entries that a slow subscriber did not get, counted once per subscriber."
    ),
    Metric(
      "log_lines_left_out_total", \.logLinesOmitted,
      "Log lines omitted because the rate limit for lines of their kind was reached."),
    Metric("loop_turns_total", \.turns, "Turns (iterations) of the event loops."),
  ]

  static let times: [Metric<TimeHistogram>] = [
    Metric(
      "fan_out_seconds", \.fanOutTimes,
      "Time from an entry's arrival until it was sent to all up-to-date members, once per flush of a session."
    ),
    Metric(
      "catch_up_seconds", \.catchUpTimes, "Time from a join message until the whole catch-up was sent."),
    Metric(
      "commit_seconds", \.commitTimes,
      "Time from an entry's acceptance until its committed message was sent, once per committed message."),
    Metric("append_seconds", \.appendTimes, "Time to write a batch of records."),
    Metric(
      "tls_handshake_seconds", \.handshakeTimes,
      "Time from a connection's first byte until its TLS handshake was complete."),
    Metric("loop_turn_seconds", \.turnTimes, "Durations of the turns (iterations) of the event loops."),
  ]
}
