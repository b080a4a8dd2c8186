internal import CLinux

/// A readiness event of one descriptor.
///
/// Several flags may be set in one event. The kernel may report no further event after an event with `hasHungUp`. So after
/// `hasHungUp` the receiver must read to the end of the stream, even after a short read.
package struct ReadyEvent: Equatable, Sendable, BitwiseCopyable {
  /// The token under which the descriptor was registered.
  package let token: UInt64
  private let bits: UInt32

  /// Creates an event as the kernel would report it, for tests of event handlers.
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

  /// True if the descriptor has input to read or a connection to accept. Until more input arrives, the kernel may report no
  /// further event (`EPOLLET`).
  package var isReadable: Bool { bits & clinux_readable != 0 }
  /// True if the socket accepts bytes to send. After a socket was full, the kernel reports an event when the socket accepts bytes
  /// again.
  package var isWritable: Bool { bits & clinux_writable != 0 }
  /// True if the peer has closed its sending direction, or the connection is broken.
  package var hasHungUp: Bool { bits & clinux_hung_up != 0 }
}
