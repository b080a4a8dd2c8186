internal import HTTP
/// The functions of a reactor that the handlers of its connections call.
final class ReactorHooks {
  var receiveHTTP: (Connection, HTTPConversation, inout [UInt8], Int, Int) -> Void = { _, _, _, _, _ in }
  var peerEndedHTTP: (Connection, HTTPConversation) -> Void = { _, _ in }
  var delayHTTP: (Connection) -> Void = { _ in }
  var pump: (Connection, HTTPConversation) -> Void = { _, _ in }
  var willCloseHTTP: (HTTPConversation) -> Void = { _ in }
  var sweepHTTP: (Connection, HTTPConversation) -> Void = { _, _ in }

  var receiveWebSocket: (Connection, WebSocketConversation, inout [UInt8], Int, Int) -> Void = {
    _, _, _, _, _ in
  }
  var becameWritable: (Connection, WebSocketConversation) -> Void = { _, _ in }
  var flush: (Connection, WebSocketConversation) -> Void = { _, _ in }
  var broke: (Connection, WebSocketConversation, String) -> Void = { _, _, _ in }
  var willCloseWebSocket: (Connection, WebSocketConversation) -> Void = { _, _ in }
  var sweepWebSocket: (Connection, WebSocketConversation) -> Void = { _, _ in }
}

extension HTTPConversation: ConnectionHandler {
  var isWebSocket: Bool { false }
  var isUploading: Bool { upload != nil }
  var hasUnhandledInput: Bool { false }
  var stage: ReservedConnections.Stage {
    if exchange != nil || isBusy { return .answered }
    return connection.hasReceived || !reader.isBetweenRequests ? .asking : .silent
  }

  func receive(_ buffer: inout [UInt8], from start: Int, upTo end: Int) {
    hooks.receiveHTTP(connection, self, &buffer, start, end)
  }

  func peerEnded() { hooks.peerEndedHTTP(connection, self) }
  func socketBecameWritable() { transfer?.becameWritable = true }
  func didWritePending() { if isBusy { hooks.delayHTTP(connection) } }

  func becameWritable() {
    if isBusy { hooks.delayHTTP(connection) }
    hooks.pump(connection, self)
  }

  func continueWriting() { hooks.pump(connection, self) }
  func connectionBroke(reason: String) {}
  func willClose() { hooks.willCloseHTTP(self) }
  func sweep() { hooks.sweepHTTP(connection, self) }
}

extension WebSocketConversation: ConnectionHandler {
  var isWebSocket: Bool { true }
  var isUploading: Bool { false }
  var hasUnhandledInput: Bool { hasUnfinishedMessage }
  var stage: ReservedConnections.Stage { .silent }

  func receive(_ buffer: inout [UInt8], from start: Int, upTo end: Int) {
    hooks.receiveWebSocket(connection, self, &buffer, start, end)
  }

  func peerEnded() {
    // What was set aside is taken first: then the reader comes back here.
    guard !connection.hasDeferredInput else { return }
    hooks.broke(connection, self, "the peer closed the connection")
  }

  func socketBecameWritable() {}
  func didWritePending() {}
  func becameWritable() { hooks.becameWritable(connection, self) }
  func continueWriting() { hooks.flush(connection, self) }
  func connectionBroke(reason: String) { hooks.broke(connection, self, reason) }
  func willClose() { hooks.willCloseWebSocket(connection, self) }
  func sweep() { hooks.sweepWebSocket(connection, self) }
}
