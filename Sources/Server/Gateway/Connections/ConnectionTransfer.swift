internal import HTTP
internal import Networking
internal import Platform

/// A connection on its way to the reactor that owns the session of its request.
///
/// SAFETY of `Sendable`: the sending reactor has removed the connection from its table and keeps no reference to the contents.
/// The mailbox gives the transfer to one other reactor, once.
final class ConnectionTransfer: @unchecked Sendable {
  /// The step at which the receiving reactor continues the request.
  enum Step {
    /// The head was read and not refused.
    case head(RequestHead)
    /// The request was read to its end. Its body names the session.
    case end
  }

  private var descriptor: OwnedDescriptor?
  let tls: TLSConnection?
  let peer: SocketAddress
  let clientAddress: IPAddress
  /// True if the client's count of connections includes this connection.
  let isCountedForClient: Bool
  let http: HTTPConversation
  let step: Step
  /// The input behind the step.
  let input: [UInt8]

  /// Packs a connection that has left its table.
  init(
    _ connection: Connection, descriptor: consuming OwnedDescriptor, _ http: HTTPConversation, at step: Step,
    input: [UInt8]
  ) {
    self.descriptor = consume descriptor
    tls = connection.tls
    peer = connection.peer
    clientAddress = connection.clientAddress
    isCountedForClient = connection.isCountedForClient
    self.http = http
    self.step = step
    self.input = input
  }

  /// Returns the descriptor, once.
  func takeDescriptor() -> OwnedDescriptor? {
    descriptor.take()
  }
}
