/// The values in `/metrics` that are not counters of a reactor, at the time of the request.
package struct GatewayStatus: Equatable, Sendable {
  /// False from the moment when the gateway begins to stop. `/readyz` reports this value.
  package var isReady = true
  /// True while new sessions and uploads are refused, because the disk is full or fails or `dataBytes` is reached.
  package var refusesNewData = false
  /// True from the moment when the gateway begins to stop.
  package var isDraining = false
  /// True while there is a reactor whose last batch could not be written.
  package var isDiskFailing = false
  /// The free bytes of the data folder's file system; nil if unknown.
  package var freeBytes: UInt64?
  /// The bytes that must stay free on this file system.
  package var reserveBytes = 0
  /// The limit `dataBytes` on the bytes of all stored logs and attachments together.
  package var dataBytes = 0
  /// Bytes of entries that are not on the disk yet.
  package var unsavedBytes = 0
  /// The limit on the bytes of all sessions in memory.
  package var memoryBytes = 0
  /// The limit `connections`.
  package var connectionsLimit = 0
  /// The limit `sessions`.
  package var sessionsLimit = 0
  /// The number and bytes of all stored sessions; nil until they have been counted, and when sessions are in memory only.
  package var stored: StoredTotals?
  /// The expiry time of the certificate in use, in whole seconds since 1970; nil without TLS.
  package var certificateEnds: Int64?
  /// The number of failed attempts to read a new certificate; nil without TLS.
  package var certificateReloadFailures: UInt64?
  /// The busy time of each reactor's event loop, in seconds.
  package var loopBusySeconds: [Double] = []
  /// The number of log lines that were lost because the log's buffer was full.
  package var logLinesLost: UInt64 = 0

  /// Creates the status of a ready gateway. All other values are zero or unknown.
  package init() {}
}

/// The number and bytes of all stored sessions.
package struct StoredTotals: Equatable, Sendable {
  /// The number of sessions, including ended sessions that are still stored.
  package var sessions = 0
  /// The bytes of the logs of all stored sessions.
  package var logBytes = 0
  /// The bytes of the attachments of all stored sessions, including bytes that uploads have reserved.
  package var attachmentBytes = 0

  /// Creates the totals of an empty folder.
  package init() {}
}
