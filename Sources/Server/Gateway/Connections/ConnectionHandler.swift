/// The protocol that a connection speaks at present: HTTP or WebSocket. `ConnectionIO` and `ConnectionReader` call it.
///
/// A connection without a handler lingers after its last answer, or has closed.
protocol ConnectionHandler: AnyObject {
  /// True for a WebSocket. Its input is read before that of HTTP connections.
  var isWebSocket: Bool { get }
  /// True while a request brings an attachment. Its input is then limited by `TurnBudget` and the upload's own buffer.
  var isUploading: Bool { get }
  /// The bytes that the handler buffers of incomplete input and of output.
  var bufferedBytes: Int { get }
  /// True while complete input waits for its next time slice.
  var hasUnhandledInput: Bool { get }
  /// The progress of the connection, if it is a reserved one.
  var stage: ReservedConnections.Stage { get }

  /// Handles received bytes. Meanwhile the connection may get another handler, or close.
  func receive(_ buffer: inout [UInt8], from start: Int, upTo end: Int)
  /// The peer sends no more bytes. Input that was received before may still be deferred.
  func peerEnded()
  /// The loop reported the socket as writable.
  func socketBecameWritable()
  /// The kernel accepted some of the pending writes.
  func didWritePending()
  /// The socket is writable again, and no writes are pending.
  func becameWritable()
  /// The connection's turn in a write queue has come.
  func continueWriting()
  /// The connection broke. It is closed next.
  func connectionBroke(reason: String)
  /// The connection is about to be closed.
  func willClose()
  /// Checks the time limits of the connection. Called twice a second.
  func sweep()
  /// True while the connection waits for a request: it can be closed without a loss.
  var isQuiet: Bool { get }
  /// The gateway stops: the connection is closed after its present request. WebSockets are closed later, in batches.
  func drain()
}
