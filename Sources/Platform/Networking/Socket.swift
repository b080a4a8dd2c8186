package import Platform
internal import CLinux
internal import Glibc

/// What came of an attempt to send.
package enum SendResult: Equatable, Sendable {
  /// So many bytes, at least one unless none were given, went to the kernel.
  case sent(Int)
  /// There is no room; an event with `isWritable` will say when there is.
  case wouldBlock
  /// The connection is broken.
  case failed(SystemError)
}

/// What came of an attempt to receive.
package enum ReceiveResult: Equatable, Sendable {
  /// So many bytes, at least one, were put into the buffer.
  case received(Int)
  /// The peer has ended its direction.
  case endOfStream
  /// There is nothing yet; an event with `isReadable` will say when there is.
  case wouldBlock
  /// The connection is broken.
  case failed(SystemError)
}

/// A TCP socket by its number: what can be done with one that somebody else owns.
///
/// No call waits, is cut short by a signal, or raises SIGPIPE.
package struct Socket: Hashable, Sendable, BitwiseCopyable {
  /// The number of the descriptor.
  package let descriptor: CInt

  /// Names an open socket; the owner of the descriptor sees to it that it stays open.
  package init(_ descriptor: CInt) {
    self.descriptor = descriptor
  }

  /// Another descriptor of the same socket, to be used and closed apart from it; nil when the system has none left.
  package func duplicate() -> OwnedDescriptor? {
    let copy = clinux_descriptor_duplicate(descriptor)
    return copy >= 0 ? OwnedDescriptor(owning: copy) : nil
  }

  /// Sends as much as there is room for.
  package func send(_ bytes: Span<UInt8>) -> SendResult {
    let count = unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe clinux_send(descriptor, bytes.baseAddress, bytes.count)
    }
    return Self.sendResult("send", count)
  }

  /// Sends the first bytes and then the second, as much as there is room for, in one call.
  package func send(_ first: Span<UInt8>, _ second: Span<UInt8>) -> SendResult {
    let count = unsafe first.withUnsafeBufferPointer { first in
      unsafe second.withUnsafeBufferPointer { second in
        unsafe clinux_send_two(
          descriptor, first.baseAddress, first.count, second.baseAddress, second.count)
      }
    }
    return Self.sendResult("sendmsg", count)
  }

  /// Receives into the buffer from `offset` up to its end, which must leave room for a byte.
  package func receive(into buffer: inout [UInt8], from offset: Int = 0) -> ReceiveResult {
    precondition(offset >= 0 && offset < buffer.count, "there is room to receive into")
    let count = unsafe buffer.withUnsafeMutableBytes { buffer in
      let room = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[offset...])
      return unsafe clinux_receive(descriptor, room.baseAddress, room.count)
    }
    switch count {
    case 1...: return .received(Int(count))
    case 0: return .endOfStream
    case -Int64(EAGAIN): return .wouldBlock
    default: return .failed(SystemError("recv", code: CInt(-count)))
    }
  }

  /// How many bytes were sent that the peer has not acknowledged yet.
  package func queuedBytes() throws(SystemError) -> Int {
    Int(try SystemError.check("ioctl", clinux_socket_queued(descriptor)))
  }

  /// Ends our direction: the peer reads the end of the stream after what was sent.
  package func shutdownWrite() throws(SystemError) {
    _ = try SystemError.check("shutdown", clinux_socket_shutdown_write(descriptor))
  }

  /// Has the close of this socket throw away what is unsent and reset the connection.
  package func resetOnClose() throws(SystemError) {
    _ = try SystemError.check("setsockopt", clinux_socket_reset_on_close(descriptor))
  }

  /// The address of our end.
  package func localAddress() throws(SystemError) -> SocketAddress {
    var raw = clinux_address()
    _ = try SystemError.check("getsockname", unsafe clinux_socket_name(descriptor, &raw))
    return SocketAddress(raw)
  }

  private static func sendResult(_ call: StaticString, _ count: Int64) -> SendResult {
    switch count {
    case 0...: .sent(Int(count))
    case -Int64(EAGAIN): .wouldBlock
    default: .failed(SystemError(call, code: CInt(-count)))
    }
  }
}
