internal import HTTP
internal import Primitives
internal import Networking
internal import Platform
internal import Wire

/// A connection on its way to the reactor that owns the session of its request.
///
/// SAFETY of `Sendable`: the sending reactor has removed the connection from its table. Functions of its turn that still refer to the
/// connection do not use its descriptor and its TLS state any more. The state of the request is a value without an upload, the only
/// object that it could contain. The mailbox gives the transfer to one other reactor, once.
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
  let request: HTTPConnection.RequestState
  let step: Step
  /// The input behind the step.
  let input: [UInt8]

  /// Packs a connection that has left its table.
  init(
    _ http: HTTPConnection, descriptor: consuming OwnedDescriptor, at step: Step, input: [UInt8]
  ) {
    self.descriptor = consume descriptor
    tls = http.connection.tls
    peer = http.connection.peer
    clientAddress = http.connection.clientAddress
    isCountedForClient = http.connection.isCountedForClient
    request = http.request
    self.step = step
    self.input = input
  }

  /// Returns the descriptor, once.
  func takeDescriptor() -> OwnedDescriptor? {
    descriptor.take()
  }
}

/// Hands connections over between reactors: a request that names a session is answered by the session's reactor.
///
/// The connection then stays there, until a later request names a session of another reactor.
extension HTTPService {
  /// Returns the number of the reactor that owns a session; nil if that is this reactor.
  func otherOwner(of session: SessionID) -> Int? {
    let owner = environment.owner(session)
    return owner == reactor ? nil : owner
  }

  /// Hands a connection over to the reactor that owns the session of its request.
  ///
  /// - Parameters:
  ///   - http: the connection. It has no answer to send, no upload has begun, and the client's body was not asked for with
  ///     `100 Continue`.
  ///   - owner: the number of the other reactor.
  ///   - step: the step at which the request continues.
  ///   - input: the input behind the step.
  func handOver(_ http: HTTPConnection, to owner: Int, at step: ConnectionTransfer.Step, input: [UInt8]) {
    precondition(http.upload == nil, "an upload is not handed over")
    let connection = http.connection
    let descriptor: OwnedDescriptor?
    do throws(SystemError) {
      descriptor = try io.detach(connection)
    } catch {
      drop(connection, reason: "\(error)")
      return
    }
    guard let descriptor = consume descriptor else { return }
    let transfer = ConnectionTransfer(http, descriptor: descriptor, at: step, input: input)
    // The other reactor counts the input when it has the connection.
    _ = io.counts.addBuffered(input.count)
    guard !environment.handOver(transfer, owner) else { return }
    _ = io.counts.addBuffered(-input.count)
    drop(connection, reason: "the mailbox of another reactor is full")
  }

  /// Counts a connection as closed that could not be handed over.
  private func drop(_ connection: Connection, reason: String) {
    io.releaseClient(of: connection)
    io.counts.releaseConnection(from: connection.peer)
    environment.log(.error, "connection closed", ["reason": "\(reason)"])
  }

  /// Adds a connection that another reactor handed over, and continues its request.
  func adopt(_ transfer: ConnectionTransfer) {
    _ = io.counts.addBuffered(-transfer.input.count)
    guard let descriptor = transfer.takeDescriptor() else { return }
    guard
      let connection = io.open(
        descriptor, peer: transfer.peer, tls: transfer.tls, deadline: now + .seconds(limits.headSeconds),
        handler: { HTTPConnection($0, self, transfer.request) }),
      let http = handler(of: connection.key)
    else {
      if transfer.isCountedForClient { io.counts.releaseClient(transfer.clientAddress) }
      io.counts.releaseConnection(from: transfer.peer)
      return
    }
    connection.clientAddress = transfer.clientAddress
    connection.isCountedForClient = transfer.isCountedForClient
    connection.hasReceived = true
    // The peer's `close_notify` may have come with the request.
    connection.hasEnded = transfer.tls?.hasPeerClosed ?? false
    http.resume(at: transfer.step, transfer.input)
    if connection.hasEnded, io.table.isOpen(connection) { io.readQueue.append(connection) }
  }
}
