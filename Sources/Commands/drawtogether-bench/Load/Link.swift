internal import CLinux
internal import Networking
internal import Platform
internal import WebSocket

/// One socket of a member. The generator's thread alone touches it.
final class Link {
  enum Phase {
    case connecting
    case securing(TLSConnection)
    case upgrading(UpgradeAttempt)
    /// Waits to be caught up.
    case joining
    /// Gets what others send.
    case live
    case closed
  }

  /// How a reader that had stopped was brought up to date.
  enum Return: String, CaseIterable {
    /// It went on where it had stopped.
    case continued
    case tail
    case snapshot
  }

  /// Its number among all sockets of the run, which its messages carry.
  let index: Int
  /// The number of its session.
  let session: Int
  /// What its upgrade asks for.
  let target: String

  var phase = Phase.connecting
  var descriptor: CInt = -1
  var tls: TLSConnection?
  /// Off for a member that takes nothing from its socket.
  var isReading = true
  /// Binary messages are counted and not looked into.
  var isSkimming = false
  /// Bytes of a skimmed message that are still to come.
  var toSkip = 0
  /// The beginning of a frame, or of the upgrade's answer.
  var rest: [UInt8] = []
  /// What the socket did not take yet.
  var outgoing: [UInt8] = []
  var clientSequence: UInt32 = 0
  /// Payload of binary messages so far.
  var bytesReceived = 0
  /// Whether the server may close it: else a run ends with it.
  var mayBeClosed = false
  /// Whether it ever was live.
  var wasLive = false
  /// Takes note of what is on disk.
  var followsCommitted = false
  /// All up to there is on disk, as far as it was told and followed.
  var committed: UInt64 = 0
  /// The last sequence that it saw, where that is followed.
  var lastSequence: UInt64 = 0
  /// What it holds of what is retained, where that is followed.
  var held: HeldState?
  /// The catch-up that came last.
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

  /// What its end is, which was not ours.
  var failure: BenchFailure {
    wasLive
      ? .closed(socket: index, closeCode: closeCode, reason: closeReason)
      : .notJoined(socket: index, closeCode: closeCode, reason: closeReason)
  }

  /// Closes the socket; what was unsent is thrown away, and its port is free at once.
  func close() {
    guard descriptor >= 0 else { return }
    _ = clinux_socket_reset_on_close(descriptor)
    _ = OwnedDescriptor(owning: descriptor)
    descriptor = -1
    phase = .closed
    tls = nil
  }
}
