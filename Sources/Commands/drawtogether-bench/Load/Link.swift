internal import CLinux
internal import Networking
internal import Platform
internal import WebSocket

/// A member's socket. Used on the generator's thread only.
final class Link {
  enum Phase {
    case connecting
    case securing(TLSConnection)
    case upgrading(UpgradeAttempt)
    /// The member waits for the end of the catch-up.
    case joining
    /// The member receives the messages of others.
    case live
    case closed
  }

  /// The kind of catch-up that a paused reader gets when it reads again.
  enum Return: String, CaseIterable {
    /// The reader continued without a catch-up.
    case continued
    case tail
    case snapshot
  }

  /// The number of the socket. Messages that are sent over the socket contain this number.
  let index: Int
  /// The number of the member's session.
  let session: Int
  /// The target of the upgrade request.
  let target: String

  var phase = Phase.connecting
  var descriptor: CInt = -1
  var tls: TLSConnection?
  /// False while the member does not read.
  var isReading = true
  /// True to count the bytes of binary messages without parsing them.
  var isSkimming = false
  /// The number of bytes that are still missing from a partly received message. The message is counted without parsing
  /// (`isSkimming`).
  var toSkip = 0
  /// The beginning of an incomplete frame or answer.
  var rest: [UInt8] = []
  /// The bytes that the socket has not accepted yet.
  var outgoing: [UInt8] = []
  var clientSequence: UInt32 = 0
  /// The number of payload bytes in received binary messages.
  var bytesReceived = 0
  /// True if the server may close the socket. If the value is false, the run ends when the server closes the socket.
  var mayBeClosed = false
  /// True if the socket is live, or was live before it was closed.
  var wasLive = false
  /// True to record `committed` messages.
  var followsCommitted = false
  /// The last committed sequence, if recorded.
  var committed: UInt64 = 0
  /// The last received sequence, if recorded.
  var lastSequence: UInt64 = 0
  /// The received retained entries, if recorded.
  var retained: RetainedSequences?
  /// The kind of the last catch-up.
  var caughtUpBy: Return?
  var startedAt: UInt64 = 0
  var liveAt: UInt64 = 0
  var closeCode: Int?
  var closeReason = ""

  init(index: Int, session: Int, target: String) {
    self.index = index
    self.session = session
    self.target = target
  }

  var isLive: Bool {
    if case .live = phase { true } else { false }
  }

  var isClosed: Bool {
    if case .closed = phase { true } else { false }
  }

  /// The error that ends the run if the server closes this socket unexpectedly.
  var error: BenchError {
    wasLive
      ? .closed(socket: index, closeCode: closeCode, reason: closeReason)
      : .notJoined(socket: index, closeCode: closeCode, reason: closeReason)
  }

  /// Closes the socket. Discards unsent bytes and frees the port immediately.
  func close() {
    guard descriptor >= 0 else { return }
    _ = clinux_socket_reset_on_close(descriptor)
    _ = OwnedDescriptor(owning: descriptor)
    descriptor = -1
    phase = .closed
    tls = nil
  }
}
