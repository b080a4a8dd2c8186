package import Platform
internal import Primitives
internal import CLinux
internal import Glibc

/// What to wait for on a socket.
package enum SocketReadiness: Sendable {
  /// There is something to receive, or the end of the stream.
  case readable
  /// There is room to send, or the connection has come about.
  case writable
  /// One of both.
  case either
}

extension Socket {
  /// Begins a connection. It has come about, or failed, once the socket is writable: `pendingError` then
  /// says which.
  package static func connect(to address: SocketAddress) throws(SystemError) -> OwnedDescriptor {
    let descriptor = OwnedDescriptor(
      owning: try SystemError.check("socket", clinux_socket_stream(address.ip.isV6 ? 1 : 0)))
    var raw = address.raw
    let status = unsafe clinux_socket_connect(descriptor.rawValue, &raw)
    // After EINTR the connection goes on by itself, as it does after EINPROGRESS.
    guard status == 0 || status == -EINPROGRESS || status == -EINTR else {
      throw SystemError("connect", code: -status)
    }
    return descriptor
  }

  /// Throws the error that the socket has met since the last look, such as a refused connection.
  package func pendingError() throws(SystemError) {
    _ = try SystemError.check("connect", clinux_socket_error(descriptor))
  }

  /// Waits until the socket is ready or broken (`true`), or the time is over (`false`). For threads that may
  /// block: a command's, never an event loop's.
  package func wait(until readiness: SocketReadiness, atMost limit: Duration) throws(SystemError) -> Bool {
    let events =
      switch readiness {
      case .readable: clinux_readable
      case .writable: clinux_writable
      case .either: clinux_readable | clinux_writable
      }
    return try SystemError.check("poll", clinux_poll(descriptor, events, limit.wholeNanoseconds)) > 0
  }
}
