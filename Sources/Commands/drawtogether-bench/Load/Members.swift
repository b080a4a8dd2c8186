internal import Wire

/// The members of a run: sessions with the same number of senders and listeners.
struct Members {
  let sessions: Int
  let senders: Int
  let listeners: Int

  /// The number of members per session.
  var perSession: Int { senders + listeners }

  /// Creates the sessions, and returns a load generator with their sockets. The sockets are not open yet.
  func makeGenerator(_ options: BenchOptions, maker: MessageMaker) throws(BenchError) -> Generator {
    let generator = try Generator(options, maker: maker)
    for (session, target) in try Self.targets(sessions, options, generator.server).enumerated() {
      let first = generator.links.count
      for _ in 0..<perSession { generator.addLink(session: session, target: target) }
      let deliveries = perSession - 1 + (options.countsEcho && !options.isPeer ? 1 : 0)
      generator.sessions.append(
        SessionLoad(senders: Array(first..<first + senders), deliveriesEach: max(1, deliveries)))
    }
    return generator
  }

  /// Returns one request target for each session: the target with which the session's sockets connect. If the server is a
  /// gateway, creates the sessions first.
  static func targets(
    _ count: Int, _ options: BenchOptions, _ server: ServerURL
  ) throws(BenchError) -> [String] {
    guard !options.isPeer else { return (0..<count).map { "/room/\($0)" } }
    return try ServerRequests(server).createSessions(count).map { "/api/sessions/\($0)/socket" }
  }
}

extension Generator {
  /// Adds a socket, which is not open yet.
  @discardableResult
  func addLink(session: Int, target: String) -> Link {
    let link = Link(index: links.count, session: session, target: target)
    links.append(link)
    return link
  }
}

extension MessageMaker {
  /// Creates a message maker with the payload length, the retention and the kind of server that the options set.
  init(_ options: BenchOptions) {
    self.init(
      payloadLength: options.payload, retention: options.isRetained ? .replace : .none, isPeer: options.isPeer
    )
  }
}
