internal import Transport

/// A connection on its way to the reactor that owns its session.
///
/// Sendable whatever is inside: it is taken out of one reactor's table, which keeps no reference to it, and put into a mailbox
/// that gives it to one other reactor, once.
final class HandedOver: @unchecked Sendable {
  private var descriptor: OwnedDescriptor?
  let tls: TLSConnection?
  let peer: SocketAddress
  /// The request that is to be answered, as it came, and what came behind it.
  let replay: [UInt8]

  init(
    descriptor: consuming OwnedDescriptor, tls: TLSConnection?, peer: SocketAddress, replay: [UInt8]
  ) {
    self.descriptor = consume descriptor
    self.tls = tls
    self.peer = peer
    self.replay = replay
  }

  func takeDescriptor() -> OwnedDescriptor? {
    descriptor.take()
  }
}
