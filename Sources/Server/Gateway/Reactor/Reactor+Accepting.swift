internal import HTTP
internal import Networking
internal import Platform
internal import Primitives
internal import Wire

/// New connections.
extension Reactor {
  /// The time in a turn for new connections of one listener. At the connection limit each is read at once, which may take long.
  private static let acceptTime = Duration.milliseconds(2)

  func acceptPlain() {
    if let plainListener { acceptAgain(accept(from: plainListener, isSecure: false)) }
  }

  func acceptSecure() {
    if let secureListener { acceptAgain(accept(from: secureListener, isSecure: true)) }
  }

  private func acceptAgain(_ time: MonotonicTime?) {
    guard let time else { return }
    acceptAgainAt = min(acceptAgainAt ?? time, time)
  }

  /// - Returns: the time to accept the connections that still wait, for which no event will come; nil when none waits.
  private func accept(from listener: Listener, isSecure: Bool) -> MonotonicTime? {
    let end = MonotonicTime.now() + Self.acceptTime
    while true {
      switch listener.accept() {
      case .accepted(let descriptor, let peer):
        welcome(descriptor, peer: peer, isSecure: isSecure)
      case .wouldBlock:
        return nil
      case .rejected(let error):
        counters.values.connectionsRefused += 1
        logger.log(.connectionNotTaken(.warning, error))
      case .exhausted(let error):
        logger.log(.acceptingPaused(error))
        return now + .milliseconds(100)
      }
      // Accepted connections have their turn before more are accepted.
      if MonotonicTime.now() >= end { return now }
    }
  }

  private func welcome(_ descriptor: consuming OwnedDescriptor, peer: SocketAddress, isSecure: Bool) {
    switch shared.admitConnection(from: peer) {
    case .admitted:
      counters.values.connectionsAccepted += 1
      let tls = isSecure ? shared.certificates?.current.makeConnection() : nil
      if admit(descriptor, peer: peer, tls: tls) == nil { shared.releaseConnection(from: peer) }
    case .full:
      reserve(descriptor, peer: peer, isSecure: isSecure)
    case .refused(let refusal):
      logger.log(.connectionRefused(refusal, from: peer.ip))
      if !isSecure { reject(Socket(descriptor.rawValue), refusal) }
    }
  }

  /// Accepts a connection beyond the limit, for a health check or the metrics; `begin` refuses other requests.
  private func reserve(_ descriptor: consuming OwnedDescriptor, peer: SocketAddress, isSecure: Bool) {
    if let victim = reserved.victim(stage: { stage(of: $0) }).flatMap({ connections[$0] }) { evict(victim) }
    let tls = isSecure ? shared.certificates?.current.makeConnection() : nil
    guard let connection = admit(descriptor, peer: peer, tls: tls, isReserved: true) else { return }
    counters.values.connectionsAccepted += 1
    reserved.insert(connection.key)
    // Its request may have arrived already, and the next newcomer may evict the connection.
    readAtOnce(connection)
  }

  private func stage(of key: Connection.Key) -> ReservedConnections.Stage {
    guard let connection = connections[key], case .http(let http) = connection.state else { return .silent }
    if http.exchange != nil || http.isBusy { return .answered }
    return connection.hasReceived || !http.reader.isBetweenRequests ? .asking : .silent
  }

  /// Closes a reserved connection in favour of a newcomer.
  private func evict(_ connection: Connection) {
    if case .http = connection.state {
      let refusal = shared.tooManyConnections
      logger.log(.connectionRefused(refusal, from: connection.peer.ip))
      if !connection.isSecure, !connection.hasPendingWrites { reject(connection.socket, refusal) }
    }
    close(connection, reason: "evicted: the gateway has as many connections as it takes")
  }

  /// Says why before closing, as far as that goes without waiting.
  private func reject(_ socket: Socket, _ refusal: Refusal) {
    var bytes: [UInt8] = []
    finish(.problem(refusal), isSecure: false, closes: true).append(to: &bytes)
    bytes.append(contentsOf: refusal.problem())
    _ = socket.send(bytes.span)
  }
}
