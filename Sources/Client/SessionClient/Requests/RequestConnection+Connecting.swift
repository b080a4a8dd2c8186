internal import Networking
internal import Platform
internal import Primitives

extension RequestConnection {
  /// The minimum time for one connection attempt, if there are several addresses.
  private static let minimumTimePerAddress = Duration.seconds(2)

  /// Connects to the gateway's addresses, one after the other.
  static func connect(
    to gateway: GatewayAddress, at addresses: [SocketAddress], by deadline: MonotonicTime,
    _ cancellation: CancellationToken
  ) throws(SessionClientError) -> OwnedDescriptor {
    var failure = SessionClientError.unreachable("\(gateway) has no IP address")
    for (index, address) in addresses.enumerated() {
      let left = deadline - .now()
      guard left > .zero || index == 0 else { break }
      // The time is divided among the addresses, because a host that does not respond at its first address may respond at its
      // second address.
      let share = max(left / (addresses.count - index), min(left, minimumTimePerAddress))
      do throws(SessionClientError) {
        return try connect(to: address, of: gateway, by: .now() + share, cancellation)
      } catch .unreachable(let words) {
        failure = .unreachable(words)
      } catch {
        throw error
      }
    }
    throw failure
  }

  private static func connect(
    to address: SocketAddress, of gateway: GatewayAddress, by deadline: MonotonicTime,
    _ cancellation: CancellationToken
  ) throws(SessionClientError) -> OwnedDescriptor {
    let descriptor: OwnedDescriptor
    do throws(SystemError) {
      descriptor = try Socket.connect(to: address)
    } catch {
      throw unreachable(gateway, at: address, error)
    }
    let socket = Socket(descriptor.rawValue)
    guard cancellation.watch(socket) else { throw .cancelled }
    do throws(SessionClientError) {
      let start = MonotonicTime.now()
      guard try wait(for: socket, until: .writable, by: deadline, gateway) else {
        throw .unreachable("\(gateway) (\(address)) did not accept a connection within \(deadline - start)")
      }
      guard !cancellation.isCancelled else { throw .cancelled }
      try finish(socket, of: gateway, at: address)
    } catch {
      cancellation.stopWatching()
      throw error
    }
    return descriptor
  }

  private static func finish(
    _ socket: Socket, of gateway: GatewayAddress, at address: SocketAddress
  ) throws(SessionClientError) {
    do throws(SystemError) {
      try socket.pendingError()
      try socket.apply(SocketOptions())
    } catch {
      throw unreachable(gateway, at: address, error)
    }
  }

  private static func unreachable(
    _ gateway: GatewayAddress, at address: SocketAddress, _ error: SystemError
  ) -> SessionClientError {
    .unreachable("\(gateway) (\(address)) cannot be reached: \(SystemError.message(for: error.code))")
  }

  /// Waits until the socket is ready or broken.
  ///
  /// - Returns: false when the deadline has passed.
  static func wait(
    for socket: Socket, until readiness: SocketReadiness, by deadline: MonotonicTime,
    _ gateway: GatewayAddress
  ) throws(SessionClientError) -> Bool {
    do throws(SystemError) {
      return try socket.wait(until: readiness, atMost: max(.zero, deadline - .now()))
    } catch {
      throw .unreachable("the connection to \(gateway) broke: \(error)")
    }
  }
}
