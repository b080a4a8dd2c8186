package import Platform
internal import CLinux

/// How a TCP socket buffers. A listener's are inherited by what it accepts.
package struct SocketOptions: Equatable, Sendable {
  /// Small segments go out at once (`TCP_NODELAY`).
  package var sendsAtOnce: Bool
  /// The kernel reports no room to send while so many bytes wait unsent (`TCP_NOTSENT_LOWAT`).
  package var notSentLowWaterInBytes: Int?
  /// The send buffer (`SO_SNDBUF`), which the kernel doubles for its own bookkeeping and cuts at
  /// `net.core.wmem_max`; `nil` lets it grow by itself, to megabytes.
  package var sendBufferInBytes: Int?
  /// The receive buffer (`SO_RCVBUF`), in the same way.
  package var receiveBufferInBytes: Int?

  /// The options; by default small segments go at once and the rest is the kernel's.
  package init(
    sendsAtOnce: Bool = true, notSentLowWaterInBytes: Int? = nil, sendBufferInBytes: Int? = nil,
    receiveBufferInBytes: Int? = nil
  ) {
    self.sendsAtOnce = sendsAtOnce
    self.notSentLowWaterInBytes = notSentLowWaterInBytes
    self.sendBufferInBytes = sendBufferInBytes
    self.receiveBufferInBytes = receiveBufferInBytes
  }
}

extension Socket {
  /// Sets the options; those that are `nil` stay as they are.
  package func apply(_ options: SocketOptions) throws(SystemError) {
    _ = try SystemError.check(
      "setsockopt", clinux_socket_set_no_delay(descriptor, options.sendsAtOnce ? 1 : 0))
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

  /// Whether small segments go out at once.
  package var sendsAtOnce: Bool { clinux_socket_no_delay(descriptor) > 0 }

  /// The unsent bytes from which on the kernel reports no room.
  package func notSentLowWaterInBytes() throws(SystemError) -> Int {
    Int(try SystemError.check("getsockopt", clinux_socket_not_sent_low_water(descriptor)))
  }

  /// The send buffer as the kernel counts it, which is twice what was set.
  package func sendBufferInBytes() throws(SystemError) -> Int {
    Int(try SystemError.check("getsockopt", clinux_socket_send_buffer(descriptor)))
  }

  /// How many bytes came, and how many of those sent the peer has acknowledged, as TCP counts them; nil where it does not tell.
  package var traffic: (received: UInt64, acknowledged: UInt64)? {
    var received: UInt64 = 0
    var acknowledged: UInt64 = 0
    guard unsafe clinux_socket_traffic(descriptor, &received, &acknowledged) == 1 else { return nil }
    return (received, acknowledged)
  }
}
