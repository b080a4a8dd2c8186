internal import Networking
internal import Platform
internal import Primitives
internal import SessionCore
internal import WebSocket
internal import Wire

/// The objects that all WebSockets of a reactor share.
final class WebSocketService {
  let io: ConnectionIO
  let broadcaster: Broadcaster
  let budget: TurnBudget
  /// The inflater for messages that are inflated in one step.
  let inflater = Inflater()
  let sharedInflater = SharedInflater()
  let deflater: Deflater
  let compressor: CatchUpCompressor
  let limits: Limits
  let clock: LoopClock
  let counters: ReactorCounters
  let logger: GatewayLogger
  private let random = RandomPool()

  /// Handles a text message of a socket that belongs to a session.
  var receiveText: (WebSocketConnection, LiveSession, Span<UInt8>) -> Void = { _, _, _ in }

  init(
    _ io: ConnectionIO, _ broadcaster: Broadcaster, budget: TurnBudget, deflater: Deflater,
    compressor: CatchUpCompressor, limits: Limits, clock: LoopClock, counters: ReactorCounters,
    logger: GatewayLogger
  ) {
    self.io = io
    self.broadcaster = broadcaster
    self.budget = budget
    self.deflater = deflater
    self.compressor = compressor
    self.limits = limits
    self.clock = clock
    self.counters = counters
    self.logger = logger
    broadcaster.perform = { [unowned self] in perform($0, in: $1) }
  }

  /// Returns the WebSocket of the connection that has the given token; nil if the connection has closed.
  func socket(_ token: UInt64) -> WebSocketConnection? {
    io.table[token: token]?.handler as? WebSocketConnection
  }

  /// All open WebSockets of the reactor.
  var sockets: some Sequence<WebSocketConnection> {
    io.table.rows.lazy.compactMap { $0?.handler as? WebSocketConnection }
  }

  /// Changes a connection from HTTP to WebSocket after a valid opening handshake, and writes the response.
  ///
  /// - Parameters:
  ///   - connection: a connection that spoke HTTP until now.
  ///   - response: the bytes of the response to the opening handshake.
  ///   - deflate: the negotiated compression; nil without compression.
  ///   - phase: the first phase of the WebSocket.
  ///   - limits: the limits of messages.
  /// - Returns: the WebSocket.
  func open(
    _ connection: Connection, response: [UInt8], deflate: DeflateParameters?,
    phase: WebSocketConnection.Phase, limits: MessageLimits
  ) -> WebSocketConnection {
    let socket = WebSocketConnection(
      connection, self, phase: phase,
      subscriber: Subscriber(
        connection: connection.key.token, acceptsCompression: deflate?.serverWindowBits == 15),
      limits: limits, deflate: deflate)
    io.setHandler(socket, of: connection)
    connection.deadline = .distantFuture
    socket.subscriber.enqueue(frames: response)
    socket.flush()
    return socket
  }

  /// Performs the effects that a session returned, in their order.
  func perform(_ effects: [Effect], in live: LiveSession) {
    for effect in effects {
      switch effect {
      case .close(let token, let reason):
        guard let socket = socket(token) else { continue }
        if let code = ErrorCode(rawValue: reason.reasonCode), reason.code == 4005 || reason.code == 4029 {
          counters.countLabel { $0.refusals[code] += 1 }
        }
        socket.close(reason)
      case .pauseReading(let token, let until):
        guard let socket = socket(token) else { continue }
        socket.pausedUntil = until
        socket.connection.isReadingPaused = true
        io.hastenCheck(of: socket.connection)
      case .joined(let token, let number, let kind):
        socket(token)?.participant = number
        counters.count(kind) { $0.arrivals.increment($1) }
      case .gone(let number):
        logger.log(.left(EventSubject(session: live.id, participant: number), reason: "gone"))
      case .acknowledgedMoved(let number, let from, let to):
        logger.log(
          .clientAhead(EventSubject(session: live.id, participant: number), from: from, to: to))
      case .refused(let token, let code):
        logger.log(.refused(.entry, code, socket(token)?.subject ?? EventSubject()))
      }
    }
  }

  /// Returns a random delay in milliseconds after which a client reconnects when the gateway restarts. The delay is random so
  /// that the clients do not reconnect all at the same time.
  func restartDelayMs() -> UInt64 {
    200 + UInt64(random.take(2).span.uint16(at: 0)) % 2800
  }

  /// Releases the shared inflater if this connection uses it, and assigns the inflater to the first socket in the queue.
  func releaseInflater(of connection: Connection) {
    guard sharedInflater.release(from: connection.key) else { return }
    while let key = sharedInflater.dequeue() {
      guard let next = io.table[key], let socket = next.handler as? WebSocketConnection else { continue }
      socket.awaitsInflater = false
      _ = sharedInflater.claim(for: key)
      next.isExpensive = true
      io.resumeReading(next)
      return
    }
  }
}
