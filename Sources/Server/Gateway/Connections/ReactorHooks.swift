internal import HTTP
/// The functions of a reactor that the handlers of its connections call.
final class ReactorHooks {
  var receiveHTTP: (Connection, HTTPConversation, inout [UInt8], Int, Int) -> Void = { _, _, _, _, _ in }
  var peerEndedHTTP: (Connection, HTTPConversation) -> Void = { _, _ in }
  var delayHTTP: (Connection) -> Void = { _ in }
  var pump: (Connection, HTTPConversation) -> Void = { _, _ in }
  var willCloseHTTP: (HTTPConversation) -> Void = { _ in }
  var sweepHTTP: (Connection, HTTPConversation) -> Void = { _, _ in }
  var drainHTTP: (Connection, HTTPConversation) -> Void = { _, _ in }
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
  var isQuiet: Bool { !isBusy && exchange == nil && reader.isBetweenRequests }
  func drain() { hooks.drainHTTP(connection, self) }
}
