internal import Networking
internal import Platform

/// Hands connections over between reactors: a request that names a session is answered by the session's reactor.
///
/// The connection then stays there, until a later request names a session of another reactor.
extension Reactor {
  /// Hands a connection over to the reactor that owns the session of its request.
  ///
  /// - Parameters:
  ///   - connection: the connection. All output is with the kernel, and the client's body was not asked for with `100 Continue`.
  ///   - http: its HTTP state.
  ///   - owner: the other reactor.
  ///   - step: the step at which the request continues.
  ///   - input: the input behind the step.
  func handOver(
    _ connection: Connection, _ http: HTTPConversation, to owner: Reactor, at step: ConnectionTransfer.Step,
    input: [UInt8]
  ) {
    io.forget(connection)
    guard let descriptor = connection.takeDescriptor() else { return }
    do throws(SystemError) {
      try loop.deregister(descriptor.rawValue)
    } catch {
      shared.log(.error, "connection closed", ["reason": "\(error)"])
      releaseCounts(of: connection)
      return
    }
    let transfer = ConnectionTransfer(connection, descriptor: descriptor, http, at: step, input: input)
    // The other reactor counts the input when it has the connection.
    _ = io.counts.addBuffered(input.count)
    guard !owner.mailbox.enqueue(.adopt(transfer)) else { return }
    _ = io.counts.addBuffered(-input.count)
    releaseCounts(of: connection)
    shared.log(.error, "connection closed", ["reason": "the mailbox of another reactor is full"])
  }

  /// Adds a connection that another reactor handed over, and continues its request.
  func adopt(_ transfer: ConnectionTransfer) {
    _ = io.counts.addBuffered(-transfer.input.count)
    guard let descriptor = transfer.takeDescriptor() else { return }
    guard
      let connection = acceptor.open(
        descriptor, peer: transfer.peer, tls: transfer.tls,
        handler: { [hooks] in HTTPConversation($0, hooks, continuing: transfer.http) }),
      let http = connection.http
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
    resume(connection, http, transfer)
    if connection.hasEnded, connections.isOpen(connection) { io.readQueue.append(connection) }
  }

  private func releaseCounts(of connection: Connection) {
    releaseClient(of: connection)
    io.counts.releaseConnection(from: connection.peer)
  }
}
