package import Platform
internal import Primitives
internal import CLinux
internal import Glibc

/// The condition of a socket to wait for.
package enum SocketReadiness: Sendable {
  /// There are bytes to receive, or the stream has ended.
  case readable
  /// There is room to send, or the connection is established.
  case writable
  /// The socket is readable or writable.
  case either
}

extension Socket {
  /// Starts to connect. The attempt has ended when the socket becomes writable: `pendingError` then throws if the
  /// attempt failed.
  package static func connect(to address: SocketAddress) throws(SystemError) -> OwnedDescriptor {
    let descriptor = OwnedDescriptor(
      owning: try SystemError.check("socket", clinux_socket_stream(address.ip.isV6 ? 1 : 0)))
    var raw = address.raw
    let status = unsafe clinux_socket_connect(descriptor.rawValue, &raw)
    // After EINTR, the kernel continues the attempt, as after EINPROGRESS.
    guard status == 0 || status == -EINPROGRESS || status == -EINTR else {
      throw SystemError("connect", code: -status)
    }
    return descriptor
  }

  /// Throws the error that occurred on the socket since the last call, such as a refused connection.
  package func pendingError() throws(SystemError) {
    _ = try SystemError.check("connect", clinux_socket_error(descriptor))
  }

  /// Waits until the socket is ready or broken (returns `true`), or until the time limit (returns `false`). Only for
  /// threads that may block, never for an event loop.
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
