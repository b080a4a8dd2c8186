internal import HTTP
internal import Primitives
internal import Networking
internal import Platform
internal import Wire

/// The state of a connection during its transfer to another reactor, which owns the session that the request names.
///
/// SAFETY of `Sendable`: the sending reactor has removed the connection from its table. Functions of the sending reactor may
/// still refer to the connection, but they do not use the descriptor or the TLS state any more. The state of the request contains
/// values only. An upload would be an object, but a connection with an upload is never transferred. The mailbox delivers the
/// transfer once, to one reactor.
final class ConnectionTransfer: @unchecked Sendable {
  /// The step at which the receiving reactor continues the request.
  enum Step {
    /// The head was read and accepted.
    case head(RequestHead)
    /// The whole request was read, and the receiving reactor creates a session. The value is a reservation: it counts the new
    /// session in the load of the receiving reactor until the session exists.
    case end(SessionPlacement.Place)
  }

  private var descriptor: OwnedDescriptor?
  let tls: TLSConnection?
  let peer: SocketAddress
  let clientAddress: IPAddress
  /// True if the client's count of connections includes this connection.
  let isCountedForClient: Bool
  let request: HTTPConnection.RequestState
  let step: Step
  /// The received bytes that follow the head or the request, depending on `step`.
  let input: [UInt8]

  /// Creates a transfer from a connection that was removed from its table.
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

  /// Removes and returns the descriptor.
  func takeDescriptor() -> OwnedDescriptor? {
    descriptor.take()
  }

  /// The number of received bytes in this transfer: the part of the request's body that was read, and `input`.
  var bufferedBytes: Int { input.count + (request.exchange?.body.count ?? 0) }
}

/// Transfers connections between reactors. The reactor of a session creates the session and answers all requests that name the
/// session. So the connection of such a request must first be transferred to the session's reactor.
///
/// After a transfer, the connection stays on its new reactor until a later request names or creates a session of a different
/// reactor.
extension HTTPService {
  /// Returns the number of the reactor that owns a session; nil if this reactor owns the session.
  func otherOwner(of session: SessionID) -> Int? {
    let owner = environment.owner(session)
    return owner == reactor ? nil : owner
  }

  /// Transfers a connection to another reactor, which owns the session of the request or creates it.
  ///
  /// - Parameters:
  ///   - http: the connection. It must have no answer to send and no upload. At the step `head`, the gateway must not have sent
  ///     `100 Continue` on this connection.
  ///   - owner: the number of the other reactor.
  ///   - step: the step at which the request continues.
  ///   - input: the received bytes after this step.
  func handOver(_ http: HTTPConnection, to owner: Int, at step: ConnectionTransfer.Step, input: [UInt8]) {
    precondition(http.upload == nil, "a connection with an upload must not be handed over")
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
    // The received bytes stay counted until the other reactor has received the connection. The other reactor then counts them.
    _ = io.counts.addBuffered(transfer.bufferedBytes)
    guard !environment.handOver(transfer, owner) else { return }
    _ = io.counts.addBuffered(-transfer.bufferedBytes)
    drop(connection, reason: "the mailbox of another reactor is full")
  }

  /// Counts a connection as closed, because its transfer failed.
  private func drop(_ connection: Connection, reason: String) {
    io.releaseClient(of: connection)
    io.counts.releaseConnection(from: connection.peer)
    environment.log(.error, "connection closed", ["reason": "\(reason)"])
  }

  /// Adds a connection that another reactor transferred to this one, and continues its request.
  func adopt(_ transfer: ConnectionTransfer) {
    _ = io.counts.addBuffered(-transfer.bufferedBytes)
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
    // The peer's `close_notify` may have arrived together with the request.
    connection.hasEnded = transfer.tls?.hasPeerClosed ?? false
    // The result is ignored: the reactor that transferred the connection has already accepted these bytes, so they are not
    // refused here, even above the limit `incompleteBytes`.
    io.updateBufferedBytes(of: connection)
    http.resume(at: transfer.step, transfer.input)
    if connection.hasEnded, io.table.isOpen(connection) { io.readQueue.append(connection) }
  }
}
