internal import Wire

/// The members of a run, all alike: sessions with senders and listeners.
struct Crowd {
  let sessions: Int
  let senders: Int
  let listeners: Int

  /// Those of a session.
  var members: Int { senders + listeners }

  /// A generator with their sockets, not open yet; the sessions are there.
  func makeGenerator(_ options: BenchOptions, maker: MessageMaker) throws(BenchFailure) -> Generator {
    let generator = try Generator(options, maker: maker)
    for session in 0..<sessions {
      let target = try Self.target(of: session, options, generator.server)
      let first = generator.links.count
      for _ in 0..<members { generator.addLink(session: session, target: target) }
      let deliveries = members - 1 + (options.countsEcho && !options.isPeer ? 1 : 0)
      generator.sessions.append(
        SessionLoad(senders: Array(first..<first + senders), deliveriesEach: max(1, deliveries)))
    }
    return generator
  }

  /// Where a session's sockets go; a gateway is asked for a new one.
  static func target(
    of session: Int, _ options: BenchOptions, _ server: ServerURL
  ) throws(BenchFailure) -> String {
    guard !options.isPeer else { return "/room/\(session)" }
    let id = try HTTPClient(server).createSession()
    return "/api/sessions/\(id)/socket"
  }
}

extension Generator {
  /// Adds a socket that is not open yet.
  @discardableResult
  func addLink(session: Int, target: String) -> Link {
    let link = Link(index: links.count, session: session, target: target)
    links.append(link)
    return link
  }
}

extension MessageMaker {
  /// Makes what the options ask for.
  init(_ options: BenchOptions) {
    self.init(
      payloadLength: options.payload, retention: options.isRetained ? .replace : .none, isPeer: options.isPeer
    )
  }
}
