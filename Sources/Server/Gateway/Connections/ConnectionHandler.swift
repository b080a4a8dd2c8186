/// The protocol that a connection speaks at present: HTTP or WebSocket. `ConnectionIO` and `ConnectionReader` call it.
///
/// A connection without a handler lingers after its last answer, or has closed.
protocol ConnectionHandler: AnyObject {
  /// True for a WebSocket. The input of WebSockets is read before that of HTTP connections.
  var isWebSocket: Bool { get }
  /// True while a request sends an attachment. Its input is then limited by `TurnBudget` and the upload's own buffer.
  var isUploading: Bool { get }
  /// The number of bytes of incomplete input and of output that the handler buffers.
  var bufferedBytes: Int { get }
  /// True while complete input waits for its next time slice.
  var hasUnhandledInput: Bool { get }
  /// The progress of a reserved connection; nil for other connections.
  var stage: ReservedConnections.Stage { get }

  /// Handles received bytes. During the call, the connection may get another handler, or close.
  func receive(_ buffer: inout [UInt8], from start: Int, upTo end: Int)
  /// Handles the end of the peer's input. Input that was received before may still be deferred.
  func peerEnded()
  /// Handles a report of the loop that the socket is writable.
  func socketBecameWritable()
  /// Handles progress: the kernel accepted some of the pending writes.
  func didWritePending()
  /// Continues writing, when the socket is writable again and no writes are pending.
  func becameWritable()
  /// Continues writing, when the connection is next in a write queue.
  func continueWriting()
  /// Handles a broken connection, which is closed next.
  func connectionBroke(reason: String)
  /// Releases resources before the connection is closed.
  func willClose()
  /// Checks the time limits of the connection. Called twice a second.
  func sweep()
  /// True while the connection waits for a request, so that it can be closed without loss.
  var isQuiet: Bool { get }
  /// Closes the connection after its present request, because the gateway stops. WebSockets are closed later, in batches.
  func drain()
}
