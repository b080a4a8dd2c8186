/// The metrics with one value each: where it is counted, its name without the prefix, and its help.
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

  /// The kinds of the one gauge `sockets`, each with its label as name.
  static let sockets: [Metric<Int64>] = [
    Metric("http", \.openHTTPSockets, "Those that speak HTTP."),
    Metric("websocket", \.openWebSockets, "Those that speak WebSocket."),
    Metric("tls", \.openTLSSockets, "Those under TLS, whatever they speak."),
  ]

  static let gauges: [Metric<Int64>] = [
    Metric("sessions", \.sessions, "Sessions held."),
    Metric("participants", \.participants, "Participants whose socket is joined."),
    Metric("log_bytes", \.logBytes, "Bytes that all sessions hold in memory."),
    Metric("uploads", \.uploads, "Requests that bring bytes of attachments."),
    Metric(
      "incomplete_bytes", \.incompleteBytes,
      "Bytes of half-received messages and requests, and of what peers have not taken, in memory."),
  ]

  static let counts: [Metric<UInt64>] = [
    Metric("connections_accepted_total", \.connectionsAccepted, "Connections accepted."),
    Metric(
      "connections_refused_total", \.connectionsRefused,
      "Connections closed at once, over a limit on connections."),
    Metric("tls_handshakes_total", \.handshakesCompleted, "TLS handshakes completed."),
    Metric("tls_handshakes_resumed_total", \.handshakesResumed, "TLS handshakes that resumed a TLS session."),
    Metric(
      "tls_handshake_failures_total", \.handshakesFailed, "TLS handshakes that failed or took too long."),
    Metric(
      "tls_handshakes_dropped_total", \.handshakesDropped,
      "Failed handshakes that were dropped in favour of a newcomer because too many were under way."),
    Metric("received_bytes_total", \.bytesReceived, "Bytes received from sockets."),
    Metric("sent_bytes_total", \.bytesSent, "Bytes that sockets took."),
    Metric("send_calls_total", \.sendCalls, "Calls of send on sockets."),
    Metric("sessions_created_total", \.sessionsCreated, "Sessions created."),
    Metric("sessions_ended_total", \.sessionsEnded, "Sessions ended."),
    Metric("sessions_opened_total", \.sessionsOpened, "Sessions read from the disk."),
    Metric("saves_total", \.saves, "Batches of records written to the disk."),
    Metric("save_failures_total", \.saveFailures, "Logs that the disk did not take a batch for."),
    Metric("saved_bytes_total", \.savedBytes, "Bytes of records written to the disk."),
    Metric("compactions_total", \.compactions, "Logs written anew without what was superseded."),
    Metric(
      "late_catch_ups_total", \.lateCatchUps, "Catch-ups sent to sockets that stayed but fell too far behind."
    ),
    Metric("uploads_started_total", \.uploadsStarted, "Requests that began to bring bytes of attachments."),
    Metric("uploads_resumed_total", \.uploadsResumed, "Those of them that went on with an earlier upload."),
    Metric("uploaded_bytes_total", \.uploadedBytes, "Bytes of attachments written to files."),
    Metric("attachments_added_total", \.attachmentsAdded, "Attachments that came whole."),
    Metric("messages_received_total", \.messagesReceived, "WebSocket messages received."),
    Metric("entries_received_total", \.entriesReceived, "Entries taken into the order of a session."),
    Metric("entries_delivered_total", \.entriesDelivered, "Entries sent, counted once for each socket."),
    Metric("repeats_total", \.repeats, "Entries dropped because their session held them already."),
    Metric("unreliable_received_total", \.unreliableReceived, "Unreliable entries received."),
    Metric("unreliable_refused_total", \.unreliableRefused, "Unreliable entries over the rate, or wrong."),
    Metric(
      "unreliable_dropped_total", \.unreliableDropped, "Unreliable entries that a lagging reader did not get."
    ),
    Metric(
      "log_lines_left_out_total", \.logLinesOmitted,
      "Lines that the log does not have, because too many of their kind came at once."),
    Metric("loop_turns_total", \.turns, "Turns of the event loops."),
  ]

  static let times: [Metric<TimeHistogram>] = [
    Metric(
      "fan_out_seconds", \.fanOutTimes,
      "From when entries were there until all who were up to date had been sent them, once for each session and time."
    ),
    Metric(
      "catch_up_seconds", \.catchUpTimes, "From the wish to join until all that was there had been sent."),
    Metric(
      "commit_seconds", \.commitTimes,
      "From when an entry was taken until its sender was told that it is kept, once for each such message."),
    Metric("append_seconds", \.appendTimes, "How long the disk took for a batch of records."),
    Metric(
      "tls_handshake_seconds", \.handshakeTimes, "From a connection's first byte until TLS was agreed on."),
    Metric("loop_turn_seconds", \.turnTimes, "How long the turns of the event loops took."),
  ]
}
