internal import Networking
internal import SessionCore
internal import WebSocket
internal import Wire

extension SessionTable {
  /// Opens a WebSocket to a session of this reactor.
  ///
  /// An error is reported by a close frame after the upgrade, because browsers hide the response to a refused handshake.
  ///
  /// - Parameters:
  ///   - id: the session; nil if the path of the request contains no valid session id.
  ///   - connection: a connection that spoke HTTP until now.
  ///   - response: the bytes of the response to the opening handshake.
  ///   - deflate: the negotiated compression; nil without compression.
  ///   - refusal: the reason for closing the socket immediately after the upgrade; nil to open it.
  func openSocket(
    to id: SessionID?, _ connection: Connection, response: [UInt8], deflate: DeflateParameters?,
    refusal: CloseReason?
  ) {
    let host = id.flatMap { self[$0] }
    let socket = sockets.open(
      connection, response: response, deflate: deflate,
      phase: host.map { .opened($0) } ?? .loading(.init(session: id)),
      limits: MessageLimits(
        messageBytes: ClientEntry.maximumMessageLength, textBytes: ClientControl.maximumLength))
    if let refusal {
      socket.close(refusal)
    } else if isDraining {
      socket.close(.restarting(retryAfterMs: sockets.restartDelayMs()))
    } else if host == nil {
      load(id, for: socket)
    }
  }

  /// Loads the session of a socket. The socket is not read while the session is being loaded.
  private func load(_ id: SessionID?, for socket: WebSocketConnection) {
    guard let id else {
      counters.countLabel { $0.refusals[.notFound] += 1 }
      socket.close(.unknownSession)
      return
    }
    socket.connection.isReadingPaused = true
    // The task must not keep a reference to the connection, because that would keep the socket's descriptor open.
    let token = socket.connection.key.token
    func load() async { didFind(await find(id), forSocket: token) }
    tasks.start(load)
  }

  private func didFind(_ found: Found, forSocket token: UInt64) {
    guard let socket = sockets.socket(token), case .loading = socket.phase else { return }
    switch found {
    case .open(let host) where !isDraining:
      socket.phase = .opened(host)
      socket.joinableSince = now
      host.idleSince = nil
      sockets.io.resumeReading(socket.connection)
    case .open:
      socket.close(.restarting(retryAfterMs: sockets.restartDelayMs()))
    case .ended:
      counters.countLabel { $0.refusals[.ended] += 1 }
      socket.close(.ended)
    case .none where isDraining:
      socket.close(.restarting(retryAfterMs: sockets.restartDelayMs()))
    case .none(let refusal):
      counters.countLabel { $0.refusals[refusal.code] += 1 }
      socket.close(.noSession(refusal))
    }
  }
}

extension CloseReason {
  /// Returns the close reason for a session that does not exist or cannot be loaded.
  static func noSession(_ refusal: Refusal) -> CloseReason {
    switch refusal.code {
    case .notFound: .unknownSession
    case .ended: .ended
    case .internal: CloseReason(1011, .internal, "This session cannot be read.")
    default:
      CloseReason(
        1013, refusal.code, "Unavailable now. Try again later.", retryAfterMs: refusal.retryAfterMs ?? 5000)
    }
  }
}
