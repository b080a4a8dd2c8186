package import Platform
internal import CLinux
internal import Glibc

/// A TCP socket that accepts connections. Several listeners may share one port, one for each event loop; the kernel
/// distributes the connections among them.
package final class Listener: Sendable {
  /// The result of an attempt to accept a connection.
  package enum Acceptance: ~Copyable, Sendable {
    /// A non-blocking connection with the listener's options, and the address of the peer.
    case accepted(OwnedDescriptor, peer: SocketAddress)
    /// No connection is pending; an event with `isReadable` will report the next one.
    case wouldBlock
    /// No descriptor was left for a connection. The connection was closed immediately; other connections may be pending.
    case rejected(SystemError)
    /// The system has no descriptor left, so pending connections cannot even be closed. Try again after a pause, because no event
    /// will report the connections that are already pending.
    case exhausted(SystemError)
  }

  /// The address of the listener, with the port that the system chose if 0 was requested.
  package let address: SocketAddress
  private let socket: OwnedDescriptor
  /// A spare descriptor. When no other descriptor is left, the listener closes it for a moment to accept and close a connection.
  private let spare: Guarded<CInt?>

  /// Listens on an address. Throws an error with `isAddressInUse` if another process already listens on it. For port 0 the
  /// system picks a free port.
  package convenience init(
    on address: SocketAddress, options: SocketOptions = SocketOptions(), backlog: Int = 4096
  ) throws(SystemError) {
    try self.init(on: address, isFirst: true, options: options, backlog: backlog)
  }

  /// Listens on the address of another listener of this process. The kernel then distributes the connections among the listeners
  /// of this address.
  package convenience init(
    sharing other: Listener, options: SocketOptions = SocketOptions(), backlog: Int = 4096
  ) throws(SystemError) {
    try self.init(on: other.address, isFirst: false, options: options, backlog: backlog)
  }

  private init(
    on address: SocketAddress, isFirst: Bool, options: SocketOptions, backlog: Int
  ) throws(SystemError) {
    socket = OwnedDescriptor(
      owning: try SystemError.check("socket", clinux_socket_stream(address.ip.isV6 ? 1 : 0)))
    let raw = socket.rawValue
    _ = try SystemError.check("setsockopt", clinux_socket_set_reuse_address(raw))
    if address.ip.isV6 {
      // `[::]` includes IPv4, independently of the machine's default.
      _ = try SystemError.check("setsockopt", clinux_socket_set_dual_stack(raw))
    }
    try Socket(raw).apply(options)
    // The first listener allows other listeners on its port only after its bind. If it allowed them earlier, its bind would
    // succeed even if another gateway already runs on this port, and each gateway would get half of the connections.
    if !isFirst { _ = try SystemError.check("setsockopt", clinux_socket_set_reuse_port(raw)) }
    var wanted = address.raw
    _ = try SystemError.check("bind", unsafe clinux_socket_bind(raw, &wanted))
    if isFirst { _ = try SystemError.check("setsockopt", clinux_socket_set_reuse_port(raw)) }
    _ = try SystemError.check("listen", clinux_socket_listen(raw, CInt(clamping: backlog)))
    self.address = try Socket(raw).localAddress()
    spare = Guarded(try SystemError.check("open", clinux_open_nothing()))
  }

  deinit {
    spare.withLock { spare in
      if let descriptor = spare { _ = close(descriptor) }
    }
  }

  /// The descriptor to register with an event loop.
  package var descriptor: CInt { socket.rawValue }

  /// Accepts one connection. Call it until it returns `wouldBlock` or `exhausted`.
  package func accept() -> Acceptance {
    while true {
      var peer = clinux_address()
      let result = unsafe clinux_socket_accept(socket.rawValue, &peer)
      switch -result {
      case ...0:
        return .accepted(OwnedDescriptor(owning: result), peer: SocketAddress(peer))
      case EAGAIN:
        return .wouldBlock
      case EMFILE, ENFILE:
        return reject(SystemError("accept4", code: -result))
      case ECONNABORTED, EPROTO, EPERM, ENETDOWN, ENOPROTOOPT, EHOSTDOWN, ENONET, EHOSTUNREACH, EOPNOTSUPP,
        ENETUNREACH, ETIMEDOUT:
        // This is an error of one connection only. The next connection may work.
        continue
      case EBADF, EINVAL, ENOTSOCK:
        preconditionFailure("the descriptor is not a listening socket")
      default:
        // Other errors, such as ENOBUFS and ENOMEM. The function returns these errors instead of trapping, because no action of a
        // peer may end the process.
        return .exhausted(SystemError("accept4", code: -result))
      }
    }
  }

  /// Accepts and closes one connection. Otherwise the connection would stay pending, without an answer to the client and
  /// without another event.
  private func reject(_ error: SystemError) -> Acceptance {
    spare.withLock { spare in
      guard let descriptor = spare.take() else {
        spare = Self.openSpare()
        return .exhausted(error)
      }
      _ = close(descriptor)
      var peer = clinux_address()
      let accepted = unsafe clinux_socket_accept(socket.rawValue, &peer)
      if accepted >= 0 { _ = close(accepted) }
      spare = Self.openSpare()
      // Another thread may have taken the descriptor that became free when the spare one was closed.
      if accepted == -EMFILE || accepted == -ENFILE { return .exhausted(error) }
      return accepted == -EAGAIN ? .wouldBlock : .rejected(error)
    }
  }

  private static func openSpare() -> CInt? {
    let descriptor = clinux_open_nothing()
    return descriptor >= 0 ? descriptor : nil
  }
}
