import Testing
import Networking
import Platform

/// Connections over loopback for tests.
enum TCP {
  static let anyPort = SocketAddress(ip: IPAddress(v4: 0x7f00_0001), port: 0)

  /// Returns two connected sockets: the connecting one and the accepted one.
  static func pair(options: SocketOptions = SocketOptions()) throws -> Pair {
    let listener = try Listener(on: anyPort, options: options)
    let client = try Socket.connect(to: listener.address)
    let accepted = try accept(from: listener)
    return Pair(client: client, server: accepted.takeDescriptor())
  }

  /// Waits for a connection.
  static func accept(from listener: Listener) throws -> Accepted {
    #expect(try Socket(listener.descriptor).wait(until: .readable, atMost: .seconds(10)))
    switch listener.accept() {
    case .accepted(let descriptor, let peer): return Accepted(descriptor: descriptor, peer: peer)
    case .wouldBlock: throw Unexpected.noConnection
    case .rejected(let error): throw error
    case .exhausted(let error): throw error
    }
  }

  struct Pair: ~Copyable {
    let client: OwnedDescriptor
    let server: OwnedDescriptor

    consuming func takeServer() -> OwnedDescriptor { server }
  }

  struct Accepted: ~Copyable {
    let descriptor: OwnedDescriptor
    let peer: SocketAddress

    consuming func takeDescriptor() -> OwnedDescriptor { descriptor }
  }

  enum Unexpected: Error {
    case noConnection
  }
}
