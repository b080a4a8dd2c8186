package import Platform
internal import CLinux

/// The buffering options of a TCP socket. Accepted sockets inherit the options of their listener.
package struct SocketOptions: Equatable, Sendable {
  /// True to send small segments without delay (`TCP_NODELAY`).
  package var noDelay: Bool
  /// The number of unsent bytes above which the kernel reports the socket as not writable (`TCP_NOTSENT_LOWAT`).
  package var notSentLowWaterInBytes: Int?
  /// The size of the send buffer (`SO_SNDBUF`). The kernel doubles it for its own bookkeeping and limits it to
  /// `net.core.wmem_max`; `nil` lets the kernel grow the buffer, to megabytes.
  package var sendBufferInBytes: Int?
  /// The size of the receive buffer (`SO_RCVBUF`). The kernel doubles it for its own bookkeeping and limits it to
  /// `net.core.rmem_max`; `nil` lets the kernel grow the buffer, to megabytes.
  package var receiveBufferInBytes: Int?

  /// Creates options. By default, small segments are sent without delay, and the kernel chooses all sizes.
  package init(
    noDelay: Bool = true, notSentLowWaterInBytes: Int? = nil, sendBufferInBytes: Int? = nil,
    receiveBufferInBytes: Int? = nil
  ) {
    self.noDelay = noDelay
    self.notSentLowWaterInBytes = notSentLowWaterInBytes
    self.sendBufferInBytes = sendBufferInBytes
    self.receiveBufferInBytes = receiveBufferInBytes
  }
}

extension Socket {
  /// Sets the options. An option that is `nil` stays unchanged.
  package func apply(_ options: SocketOptions) throws(SystemError) {
    _ = try SystemError.check(
      "setsockopt", clinux_socket_set_no_delay(descriptor, options.noDelay ? 1 : 0))
    if let bytes = options.notSentLowWaterInBytes {
      _ = try SystemError.check(
        "setsockopt", clinux_socket_set_not_sent_low_water(descriptor, CInt(clamping: bytes)))
    }
    if let bytes = options.sendBufferInBytes {
      _ = try SystemError.check(
        "setsockopt", clinux_socket_set_send_buffer(descriptor, CInt(clamping: bytes)))
    }
    if let bytes = options.receiveBufferInBytes {
      _ = try SystemError.check(
        "setsockopt", clinux_socket_set_receive_buffer(descriptor, CInt(clamping: bytes)))
    }
  }

  /// True if the socket sends small segments without delay.
  package var noDelay: Bool { clinux_socket_no_delay(descriptor) > 0 }

  /// Returns the number of unsent bytes above which the kernel reports the socket as not writable.
  package func notSentLowWaterInBytes() throws(SystemError) -> Int {
    Int(try SystemError.check("getsockopt", clinux_socket_not_sent_low_water(descriptor)))
  }

  /// Returns the size of the send buffer as the kernel counts it: twice the size that was set.
  package func sendBufferInBytes() throws(SystemError) -> Int {
    Int(try SystemError.check("getsockopt", clinux_socket_send_buffer(descriptor)))
  }

  /// The number of bytes that arrived, and the number of sent bytes that the peer has acknowledged, as TCP counts them. Nil if
  /// the kernel does not report these numbers.
  package var traffic: (received: UInt64, acknowledged: UInt64)? {
    var received: UInt64 = 0
    var acknowledged: UInt64 = 0
    guard unsafe clinux_socket_traffic(descriptor, &received, &acknowledged) == 1 else { return nil }
    return (received, acknowledged)
  }
}
