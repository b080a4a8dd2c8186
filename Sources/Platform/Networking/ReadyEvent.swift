internal import CLinux

/// What the kernel said of one descriptor in a turn.
///
/// Several of these may be true of one event. With `hasHungUp` set, no further event may follow: whoever
/// then finds data must read on until the end of the stream, however short the read.
package struct ReadyEvent: Equatable, Sendable, BitwiseCopyable {
  /// The number the descriptor was registered under.
  package let token: UInt64
  private let bits: UInt32

  /// An event as the kernel would report it; for tests of those who take events.
  package init(token: UInt64, isReadable: Bool = false, isWritable: Bool = false, hasHungUp: Bool = false) {
    self.token = token
    bits =
      (isReadable ? clinux_readable : 0) | (isWritable ? clinux_writable : 0)
      | (hasHungUp ? clinux_hung_up : 0)
  }

  init(_ ready: clinux_ready) {
    token = ready.token
    bits = ready.events
  }

  /// Data or a connection came in since the last such event.
  package var isReadable: Bool { bits & clinux_readable != 0 }
  /// Room to send came about since the last such event.
  package var isWritable: Bool { bits & clinux_writable != 0 }
  /// The peer has ended its direction, or the connection is broken.
  package var hasHungUp: Bool { bits & clinux_hung_up != 0 }
}
