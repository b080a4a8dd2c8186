/// The implementation of the protocol that a connection currently speaks: HTTP or WebSocket. `ConnectionIO` and
/// `ConnectionReader` call the handler.
///
/// A connection without a handler has closed, or lingers after its last answer.
protocol ConnectionHandler: AnyObject {
  /// True for a WebSocket. The input of WebSockets is read before the input of HTTP connections.
  var isWebSocket: Bool { get }
  /// True while a request sends an attachment. The input is then limited by `TurnBudget` and by the upload's own buffer.
  var isUploading: Bool { get }
  /// The number of bytes of incomplete input and of output that the handler buffers.
  var bufferedBytes: Int { get }
  /// True while the handler has received complete input that it will handle in a later time slice.
  var hasUnhandledInput: Bool { get }
  /// The progress of the present request. It determines which reserved connection is evicted first.
  var stage: ReservedConnections.Stage { get }

  /// The number of bytes that may be received straight into the handler's own buffer now; 0 if input must go through `receive`.
  var bodyRoom: Int { get }
  /// Removes and returns the handler's buffer, with capacity for `room` more bytes. The caller passes it to `receiveBody`.
  func takeBodyBuffer(room: Int) -> [UInt8]
  /// Handles the last `count` bytes of the handler's buffer. During the call, the connection may close.
  func receiveBody(_ buffer: consuming [UInt8], added count: Int)
  /// Handles received bytes. During the call, the connection may get another handler, or close.
  func receive(_ buffer: inout [UInt8], from start: Int, upTo end: Int)
  /// Handles the end of the peer's input. Input that arrived earlier may still be deferred.
  func peerEnded()
  /// Handles the event that the socket is writable. Called before pending writes are written. Not called if the handler is a
  /// WebSocket.
  func socketBecameWritable()
  /// Called when the kernel has accepted some of the pending writes.
  func didWritePending()
  /// Continues to write the handler's output. Called when the socket is writable again and `Connection.pendingWrites` is empty.
  func becameWritable()
  /// Continues to write the handler's output. Called when the connection is the first one in the `WriteQueue`.
  func continueWriting()
  /// Called when the connection is broken. `ConnectionIO` closes it after this call.
  func connectionBroke(reason: String)
  /// Releases resources before the connection is closed.
  func willClose()
  /// Checks the time limits of the connection.
  ///
  /// - Returns: the number of ticks until the next check. If a later event begins a time limit that ends before the next check,
  ///   the handler calls `ConnectionIO.hastenCheck(of:)`.
  func check() -> CheckSchedule.Ticks
  /// True while the connection waits for a request, so that it can be closed without loss.
  var isQuiet: Bool { get }
  /// Closes the connection after its present request, because the gateway stops. WebSockets are closed later, in batches.
  func drain()
}

/// The defaults of a handler without a buffer of its own.
extension ConnectionHandler {
  var bodyRoom: Int { 0 }
  func takeBodyBuffer(room: Int) -> [UInt8] { [] }
  func receiveBody(_ buffer: consuming [UInt8], added count: Int) {}
}
