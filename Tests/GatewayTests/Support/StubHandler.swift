@testable import Gateway

/// A handler that only stores the received bytes.
final class StubHandler: ConnectionHandler {
  let isWebSocket: Bool
  var stage = ReservedConnections.Stage.silent
  private(set) var received: [UInt8] = []

  init(isWebSocket: Bool = false) {
    self.isWebSocket = isWebSocket
  }

  var isUploading: Bool { false }
  var bufferedBytes: Int { 0 }
  var hasUnhandledInput: Bool { false }
  var isQuiet: Bool { true }

  func receive(_ buffer: inout [UInt8], from start: Int, upTo end: Int) {
    received += buffer[start..<end]
  }

  func peerEnded() {}
  func socketBecameWritable() {}
  func didWritePending() {}
  func becameWritable() {}
  func continueWriting() {}
  func connectionBroke(reason: String) {}
  func willClose() {}
  func check() -> CheckSchedule.Ticks { 1 }
  func drain() {}
}
