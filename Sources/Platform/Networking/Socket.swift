package import Platform
internal import CLinux
internal import Glibc

/// The result of an attempt to send.
package enum SendResult: Equatable, Sendable {
  /// The kernel accepted this number of bytes: at least one, unless there were none to send.
  case sent(Int)
  /// The send buffer is full; an event with `isWritable` will report free space.
  case wouldBlock
  /// The connection is broken.
  case failed(SystemError)
}

/// The result of an attempt to receive.
package enum ReceiveResult: Equatable, Sendable {
  /// This number of bytes, at least one, is in the buffer.
  case received(Int)
  /// The peer has closed its direction.
  case endOfStream
  /// No bytes have arrived; an event with `isReadable` will report them.
  case wouldBlock
  /// The connection is broken.
  case failed(SystemError)
}

/// A reference to a TCP socket by its descriptor. Another object owns the descriptor.
///
/// No call blocks, fails with EINTR, or raises SIGPIPE.
package struct Socket: Hashable, Sendable, BitwiseCopyable {
  /// The descriptor of the socket.
  package let descriptor: CInt

  /// Refers to an open socket. The owner of the descriptor must keep it open.
  package init(_ descriptor: CInt) {
    self.descriptor = descriptor
  }

  /// Returns a new descriptor of the same socket, which the caller owns; nil if the system has no descriptor left.
  package func duplicate() -> OwnedDescriptor? {
    let copy = clinux_descriptor_duplicate(descriptor)
    return copy >= 0 ? OwnedDescriptor(owning: copy) : nil
  }

  /// Sends as many bytes as the send buffer takes.
  package func send(_ bytes: Span<UInt8>) -> SendResult {
    let count = unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe clinux_send(descriptor, bytes.baseAddress, bytes.count)
    }
    return Self.sendResult("send", count)
  }

  /// Sends `first` and then `second` in one system call, as many bytes as the send buffer takes.
  package func send(_ first: Span<UInt8>, _ second: Span<UInt8>) -> SendResult {
    let count = unsafe first.withUnsafeBufferPointer { first in
      unsafe second.withUnsafeBufferPointer { second in
        unsafe clinux_send_two(
          descriptor, first.baseAddress, first.count, second.baseAddress, second.count)
      }
    }
    return Self.sendResult("sendmsg", count)
  }

  /// Receives into the buffer from `offset` to its end. The offset must be below the end.
  package func receive(into buffer: inout [UInt8], from offset: Int = 0) -> ReceiveResult {
    precondition(offset >= 0 && offset < buffer.count, "the buffer must have room after the offset")
    let count = unsafe buffer.withUnsafeMutableBytes { buffer in
      let room = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[offset...])
      return unsafe clinux_receive(descriptor, room.baseAddress, room.count)
    }
    return Self.receiveResult(count)
  }

  /// Receives at most `limit` bytes, and appends them to the buffer.
  package func receive(appendingTo buffer: inout [UInt8], upTo limit: Int) -> ReceiveResult {
    precondition(limit > 0, "the limit must be above 0: 0 received bytes mean the end of the stream")
    var status: Int64 = 0
    buffer.append(addingCapacity: limit) { room in
      unsafe room.withUnsafeMutableBufferPointer { room, initializedCount in
        status = unsafe clinux_receive(descriptor, room.baseAddress, limit)
        initializedCount = Int(max(status, 0))
      }
    }
    return Self.receiveResult(status)
  }

  /// Returns the number of bytes that were sent and not acknowledged by the peer.
  package func unacknowledgedBytes() throws(SystemError) -> Int {
    Int(try SystemError.check("ioctl", clinux_socket_queued(descriptor)))
  }

  /// Closes our direction: the peer reads the end of the stream after all sent bytes.
  package func shutdownWrite() throws(SystemError) {
    _ = try SystemError.check("shutdown", clinux_socket_shutdown_write(descriptor))
  }

  /// Sets an option of this socket: closing the socket then discards unsent bytes and resets the connection.
  package func resetOnClose() throws(SystemError) {
    _ = try SystemError.check("setsockopt", clinux_socket_reset_on_close(descriptor))
  }

  /// Returns the address of our end.
  package func localAddress() throws(SystemError) -> SocketAddress {
    var raw = clinux_address()
    _ = try SystemError.check("getsockname", unsafe clinux_socket_name(descriptor, &raw))
    return SocketAddress(raw)
  }

  private static func receiveResult(_ count: Int64) -> ReceiveResult {
    switch count {
    case 1...: .received(Int(count))
    case 0: .endOfStream
    case -Int64(EAGAIN): .wouldBlock
    default: .failed(SystemError("recv", code: CInt(-count)))
    }
  }

  private static func sendResult(_ call: StaticString, _ count: Int64) -> SendResult {
    switch count {
    case 0...: .sent(Int(count))
    case -Int64(EAGAIN): .wouldBlock
    default: .failed(SystemError(call, code: CInt(-count)))
    }
  }
}
