/// How things stand at the moment that metrics are asked for: what nobody counts, because it is there to be looked at.
package struct GatewayStatus: Equatable, Sendable {
  /// True unless the gateway stops: the answer of `/readyz`.
  package var isReady = true
  /// True while new sessions and uploads are refused because the disk is full or fails.
  package var refusesNewData = false
  package var isDraining = false
  /// Whether the last batch of some reactor could not be written.
  package var isDiskFailing = false
  /// Bytes that may still be written; nil where that cannot be told.
  package var freeBytes: UInt64?
  /// What of them has to stay free.
  package var reserveBytes = 0
  /// The most bytes that sessions and attachments may take together.
  package var dataBytes = 0
  /// Bytes of entries that wait for the disk.
  package var unsavedBytes = 0
  /// What all sessions together may hold in memory.
  package var memoryBytes = 0
  /// The limit `connections`.
  package var connectionsLimit = 0
  /// The limit `sessions`.
  package var sessionsLimit = 0
  /// What is on the disk, as of the last look; nil: nothing is, or nobody has looked yet.
  package var stored: StoredTotals?
  /// When the certificate in force ends, in whole seconds since 1970; nil without TLS.
  package var certificateEnds: Int64?
  /// New certificates that could not be read; nil without TLS.
  package var certificateReloadFailures: UInt64?
  /// The busy time of each reactor's event loop, in seconds.
  package var loopBusySeconds: [Double] = []
  /// Lines that the log had no room for.
  package var logLinesLost: UInt64 = 0

  /// All is well, and nothing is known.
  package init() {}
}

/// The content of the data folder.
package struct StoredTotals: Equatable, Sendable {
  /// Sessions, those included that have ended and are still kept.
  package var sessions = 0
  /// Bytes of their logs.
  package var logBytes = 0
  /// Bytes of their attachments and of what has come of uploads.
  package var attachmentBytes = 0

  /// Nothing.
  package init() {}
}
