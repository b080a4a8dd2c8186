internal import Networking
internal import Platform

/// A connection on its way to the reactor that owns its session.
///
/// Sendable whatever is inside: it is taken out of one reactor's table, which keeps no reference to it, and put into a mailbox
/// that gives it to one other reactor, once.
final class HandedOver: @unchecked Sendable {
  private var descriptor: OwnedDescriptor?
  let tls: TLSConnection?
  let peer: SocketAddress
  let clientAddress: IPAddress
  /// Whether it is counted among the client's.
  let isCountedForClient: Bool
  /// The request that is to be answered, as it came, and what came behind it.
  let replay: [UInt8]

  init(_ connection: Connection, descriptor: consuming OwnedDescriptor, replay: [UInt8]) {
    self.descriptor = consume descriptor
    tls = connection.tls
    peer = connection.peer
    clientAddress = connection.clientAddress
    isCountedForClient = connection.isCountedForClient
    self.replay = replay
  }

  func takeDescriptor() -> OwnedDescriptor? {
    descriptor.take()
  }
}
