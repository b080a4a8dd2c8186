/// The state of the gateway at the time when metrics are requested: the values that are not counters.
package struct GatewayStatus: Equatable, Sendable {
  /// True until the gateway stops: the answer of `/readyz`.
  package var isReady = true
  /// True while new sessions and uploads are refused because the disk is full or fails.
  package var refusesNewData = false
  package var isDraining = false
  /// True while the last batch of a reactor could not be written.
  package var isDiskFailing = false
  /// The free bytes of the data folder's file system; nil if unknown.
  package var freeBytes: UInt64?
  /// The bytes that must stay free.
  package var reserveBytes = 0
  /// The limit on the bytes of sessions and attachments together.
  package var dataBytes = 0
  /// Bytes of entries that are not on the disk yet.
  package var unsavedBytes = 0
  /// The limit on the bytes of all sessions in memory.
  package var memoryBytes = 0
  /// The limit `connections`.
  package var connectionsLimit = 0
  /// The limit `sessions`.
  package var sessionsLimit = 0
  /// The content of the data folder at the last sweep; nil before the first sweep, and without a store.
  package var stored: StoredTotals?
  /// The end of the present certificate in whole seconds since 1970; nil without TLS.
  package var certificateEnds: Int64?
  /// The number of failed attempts to read a new certificate; nil without TLS.
  package var certificateReloadFailures: UInt64?
  /// The busy time of each reactor's event loop, in seconds.
  package var loopBusySeconds: [Double] = []
  /// The number of log lines that were lost because the log's buffer was full.
  package var logLinesLost: UInt64 = 0

  /// Creates the status of a ready gateway whose other values are unknown.
  package init() {}
}

/// The number of files and bytes in the data folder.
package struct StoredTotals: Equatable, Sendable {
  /// Sessions, including ended ones that are still stored.
  package var sessions = 0
  /// Bytes of their logs.
  package var logBytes = 0
  /// Bytes of their attachments, including those that uploads have reserved.
  package var attachmentBytes = 0

  /// Creates the totals of an empty folder.
  package init() {}
}
