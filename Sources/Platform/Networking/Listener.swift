package import Platform
internal import CLinux
internal import Glibc

/// A TCP socket that connections come in by. Several may listen on one port, one for each event loop; the
/// kernel spreads the connections over them.
package final class Listener: Sendable {
  /// What came of an attempt to accept.
  package enum Acceptance: ~Copyable, Sendable {
    /// A connection, and where it comes from. It does not block, and has the listener's options.
    case accepted(OwnedDescriptor, peer: SocketAddress)
    /// None waits; an event with `isReadable` will say when one does.
    case noneWaiting
    /// There was no descriptor left for a connection: it was closed at once, and others may wait.
    case turnedAway(SystemError)
    /// The system has nothing left, not even to turn connections away: try again after a pause, for no
    /// event will come for those that already wait.
    case exhausted(SystemError)
  }

  /// Where it listens, with the port that the system chose when 0 was asked for.
  package let address: SocketAddress
  private let socket: OwnedDescriptor
  /// Kept for the day when there is no other: given up for a moment to turn a connection away with.
  private let spare: Guarded<CInt?>

  /// Listens on an address that nobody else may listen on, or throws an error that `isAddressInUse`. With
  /// port 0 the system picks a free one.
  package convenience init(
    on address: SocketAddress, options: SocketOptions = SocketOptions(), backlog: Int = 4096
  ) throws(SystemError) {
    try self.init(on: address, isFirst: true, options: options, backlog: backlog)
  }

  /// Listens where another listener of this process does, to share its connections.
  package convenience init(
    joining other: Listener, options: SocketOptions = SocketOptions(), backlog: Int = 4096
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
      // `[::]` means IPv4 too, whatever the machine's default is.
      _ = try SystemError.check("setsockopt", clinux_socket_set_dual_stack(raw))
    }
    try Socket(raw).apply(options)
    // The first shares only once it is bound: sharing before, it would quietly get half of the connections
    // of a gateway that already runs on this port.
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

  /// The number to register with an event loop.
  package var descriptor: CInt { socket.rawValue }

  /// Accepts one connection. To be called until it answers `noneWaiting` or `exhausted`.
  package func accept() -> Acceptance {
    while true {
      var peer = clinux_address()
      let result = unsafe clinux_socket_accept(socket.rawValue, &peer)
      switch -result {
      case ...0:
        return .accepted(OwnedDescriptor(owning: result), peer: SocketAddress(peer))
      case EAGAIN:
        return .noneWaiting
      case EMFILE, ENFILE:
        return turnAway(SystemError("accept4", code: -result))
      case ECONNABORTED, EPROTO, EPERM, ENETDOWN, ENOPROTOOPT, EHOSTDOWN, ENONET, EHOSTUNREACH, EOPNOTSUPP,
        ENETUNREACH, ETIMEDOUT:
        // The connection's own trouble, told here; the next one may be well.
        continue
      case EBADF, EINVAL, ENOTSOCK:
        preconditionFailure("a listener's own descriptor listens")
      default:
        // ENOBUFS, ENOMEM, and what a kernel may think of: nothing that a peer does may end the process.
        return .exhausted(SystemError("accept4", code: -result))
      }
    }
  }

  /// Left waiting, connections would hang without a word and be reported by no event.
  private func turnAway(_ error: SystemError) -> Acceptance {
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
      // Another thread may have taken the place that the spare left.
      if accepted == -EMFILE || accepted == -ENFILE { return .exhausted(error) }
      return accepted == -EAGAIN ? .noneWaiting : .turnedAway(error)
    }
  }

  private static func openSpare() -> CInt? {
    let descriptor = clinux_open_nothing()
    return descriptor >= 0 ? descriptor : nil
  }
}
