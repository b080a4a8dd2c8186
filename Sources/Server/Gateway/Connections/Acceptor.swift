internal import Networking
internal import Platform
internal import Primitives
internal import Wire

/// A listening socket. It is closed when its last reference is released.
protocol ConnectionSource: AnyObject {
  /// Accepts one connection. The caller repeats the call until it returns `wouldBlock` or `exhausted`.
  func accept() -> Listener.Acceptance
}

extension Listener: ConnectionSource {}

/// Accepts the connections of a reactor's listeners.
final class Acceptor {
  /// The maximum time in a turn for accepting connections from one listener. Accepting may take long, because a connection beyond
  /// the limit `connections` is read as soon as it is accepted.
  private static let acceptTime = Duration.milliseconds(2)
  /// The pause in accepting when the system has no resources for a new connection.
  private static let exhaustedPause = Duration.milliseconds(100)

  private let io: ConnectionIO
  private let reader: ConnectionReader
  private let certificates: TLSServerContextHolder?
  private let headTime: Duration
  private let clock: LoopClock
  private let counters: ReactorCounters
  private let logger: GatewayLogger
  private var plain: (any ConnectionSource)?
  private var secure: (any ConnectionSource)?
  private var reserved: ReservedConnections
  /// The time at which accepting continues after a pause; nil without a pause. The acceptor needs this time, because the event
  /// loop reports no new event for connections that already wait.
  private(set) var nextDeadline: MonotonicTime?
  /// Creates the first handler of a connection.
  var makeHandler: (Connection) -> any ConnectionHandler = { _ in
    preconditionFailure("makeHandler is not set")
  }
  /// Returns the bytes that refuse a plain-text connection.
  var refusalBytes: (Refusal) -> [UInt8] = { _ in [] }

  /// Creates an acceptor without listeners.
  ///
  /// - Parameters:
  ///   - io: opens and closes the connections.
  ///   - reader: reads reserved connections as soon as they are accepted.
  ///   - certificates: the current TLS certificates; nil without TLS.
  ///   - reactors: the number of reactors, which share the reserved connections.
  ///   - headTime: the time limit for receiving the head of a request.
  ///   - clock: the clock of the reactor's loop.
  ///   - counters: the counters of the reactor.
  ///   - logger: logs refused connections.
  init(
    _ io: ConnectionIO, _ reader: ConnectionReader, certificates: TLSServerContextHolder?, reactors: Int,
    headTime: Duration, clock: LoopClock, counters: ReactorCounters, logger: GatewayLogger
  ) {
    self.io = io
    self.reader = reader
    self.certificates = certificates
    self.headTime = headTime
    self.clock = clock
    self.counters = counters
    self.logger = logger
    reserved = ReservedConnections(reactors: reactors)
    io.didCloseReserved = { [unowned self] in reserved.remove($0) }
  }

  // MARK: - Listeners

  /// Sets the listeners to accept from. They are registered with the event loop already.
  func listen(plain: (any ConnectionSource)?, secure: (any ConnectionSource)?) {
    (self.plain, self.secure) = (plain, secure)
  }

  /// Closes the listeners.
  func stop() {
    // A listener is closed when its last reference is released. These two properties have the last references.
    plain = nil
    secure = nil
    nextDeadline = nil
  }

  func acceptPlain() {
    if let plain { accept(from: plain, isSecure: false) }
  }

  func acceptSecure() {
    if let secure { accept(from: secure, isSecure: true) }
  }

  /// Accepts waiting connections when the pause in accepting is over.
  func acceptWaiting() {
    guard let nextDeadline, nextDeadline <= clock.now else { return }
    self.nextDeadline = nil
    acceptPlain()
    acceptSecure()
  }

  private func accept(from listener: any ConnectionSource, isSecure: Bool) {
    let end = MonotonicTime.now() + Self.acceptTime
    while true {
      switch listener.accept() {
      case .accepted(let descriptor, let peer):
        accepted(descriptor, peer: peer, isSecure: isSecure)
      case .wouldBlock:
        return
      case .rejected(let error):
        counters.values.connectionsRefused += 1
        logger.log(.connectionNotTaken(.warning, error))
      case .exhausted(let error):
        logger.log(.acceptingPaused(error))
        acceptAgain(at: clock.now + Self.exhaustedPause)
        return
      }
      // When the time is used up, the connections accepted so far are handled before more are accepted.
      if MonotonicTime.now() >= end {
        acceptAgain(at: clock.now)
        return
      }
    }
  }

  private func acceptAgain(at time: MonotonicTime) {
    nextDeadline = min(nextDeadline ?? time, time)
  }

  // MARK: - Connections

  private func accepted(_ descriptor: consuming OwnedDescriptor, peer: SocketAddress, isSecure: Bool) {
    switch io.counts.admitConnection(from: peer) {
    case .admitted:
      counters.values.connectionsAccepted += 1
      let tls = isSecure ? certificates?.current.makeConnection() : nil
      if open(descriptor, peer: peer, tls: tls) == nil { io.counts.releaseConnection(from: peer) }
    case .full:
      reserve(descriptor, peer: peer, isSecure: isSecure)
    case .refused(let refusal):
      logger.log(.connectionRefused(refusal, from: peer.ip))
      if !isSecure { reject(Socket(descriptor.rawValue), refusal) }
    }
  }

  /// Adds an accepted connection to the table. The connection is counted already, or is reserved and not counted.
  ///
  /// - Parameters:
  ///   - descriptor: the connected socket.
  ///   - peer: the socket's other end.
  ///   - tls: the TLS state; nil for a socket without TLS.
  ///   - isReserved: true for a connection beyond the limit `connections`.
  /// - Returns: the connection; nil if the system had no resources for it.
  private func open(
    _ descriptor: consuming OwnedDescriptor, peer: SocketAddress, tls: TLSConnection?,
    isReserved: Bool = false
  ) -> Connection? {
    io.open(
      descriptor, peer: peer, tls: tls, isReserved: isReserved, deadline: clock.now + headTime,
      handler: makeHandler)
  }

  /// Accepts a connection beyond the limit `connections`, for a health check or the metrics. Its handler refuses all other
  /// requests.
  private func reserve(_ descriptor: consuming OwnedDescriptor, peer: SocketAddress, isSecure: Bool) {
    if let victim = reserved.victim(stage: { stage(of: $0) }).flatMap({ io.table[$0] }) { evict(victim) }
    let tls = isSecure ? certificates?.current.makeConnection() : nil
    guard let connection = open(descriptor, peer: peer, tls: tls, isReserved: true) else { return }
    counters.values.connectionsAccepted += 1
    reserved.insert(connection.key)
    // The connection is read immediately, because its request may have arrived already. If the request were not read, this
    // connection would look silent, and the next new connection could evict it.
    reader.readAtOnce(connection)
  }

  private func stage(of key: Connection.Key) -> ReservedConnections.Stage {
    io.table[key]?.handler?.stage ?? .silent
  }

  /// Closes a connection beyond the limit `connections`, to make room for a new connection.
  private func evict(_ connection: Connection) {
    if connection.handler != nil {
      let refusal = io.counts.tooManyConnections
      logger.log(.connectionRefused(refusal, from: connection.peer.ip))
      if !connection.isSecure, !connection.hasPendingWrites { reject(connection.socket, refusal) }
    }
    io.close(connection, reason: "evicted: the gateway has its maximum number of connections")
  }

  /// Writes a refusal to a socket that is closed next. Bytes that the kernel does not accept immediately are lost.
  private func reject(_ socket: Socket, _ refusal: Refusal) {
    _ = socket.send(refusalBytes(refusal).span)
  }
}
