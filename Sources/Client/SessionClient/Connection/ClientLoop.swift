internal import Networking
internal import Platform
internal import Primitives
internal import WebSocket

/// The one event loop of the process for all its sessions: their sockets, their deadlines, and what they are asked for.
///
/// Everything of it happens on its own thread, which is begun when the first session is joined and then stays.
actor ClientLoop {
  /// What other threads tell it, in order.
  enum Message: Sendable {
    /// A membership begins.
    case adopt(ActiveMembership.Configuration)
    /// A membership wants something.
    case commands(MembershipQueue)
    /// Where a gateway is was found out, or was not.
    case resolved(GatewayAddress, Result<ResolvedGateway, ResolvedGateway.Failure>)
  }

  let loop: EventLoopThread
  let mailbox: Mailbox<Message>

  var sessions: [ObjectIdentifier: ActiveMembership] = [:]
  /// By the token of their socket.
  var connections: [UInt64: GatewayConnection] = [:]
  var lastToken: UInt64 = 0
  /// Who waits for an address. One thread looks up each, however many wait.
  var pendingLookups: [GatewayAddress: [GatewayConnection]] = [:]

  // Work of the turn.
  var now = MonotonicTime.now()
  /// Connections that may have more to be read than their share of a turn.
  var readQueue: [GatewayConnection] = []
  /// Sessions that may have more to send than their share of a turn.
  var sendQueue: [ActiveMembership] = []

  // Shared by all connections.
  var buffer = [UInt8](repeating: 0, count: 131_072)
  var plaintext: [UInt8] = []
  let inflater = Inflater()

  private static let process = Guarded<ClientLoop?>(nil)

  /// The loop of this process, begun by the first call.
  ///
  /// - Throws: `SystemError` when the system has no thread or no descriptor left; the next call tries again.
  static func shared() throws(SystemError) -> ClientLoop {
    try process.withLock { (process) throws(SystemError) in
      if let process { return process }
      let made = try ClientLoop()
      try made.start()
      process = made
      return made
    }
  }

  private init() throws(SystemError) {
    loop = try EventLoopThread(name: "client")
    // At most one letter a membership and one a name: bounded by those.
    mailbox = Mailbox(waking: loop, capacity: .max)
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe loop.asUnownedSerialExecutor()
  }

  private nonisolated func start() throws(SystemError) {
    try loop.start { events, _ in self.assumeIsolated { $0.turn(events) } }
  }

  // MARK: - Any thread

  /// Takes a membership on.
  nonisolated func adopt(_ configuration: ActiveMembership.Configuration) {
    post(.adopt(configuration))
  }

  /// Has the loop look at a desk.
  nonisolated func notify(_ queue: MembershipQueue) {
    post(.commands(queue))
  }

  nonisolated func post(_ message: Message) {
    let isPut = mailbox.put(message)
    precondition(isPut, "the mailbox has no bound of its own")
  }

  // MARK: - A turn

  private func turn(_ events: [ReadyEvent]) -> MonotonicTime? {
    now = .now()
    mailbox.drain { receive($0) }
    for event in events { handle(event) }
    drainReadQueue()
    drainSendQueue()
    handleDeadlines()
    return readQueue.isEmpty && sendQueue.isEmpty ? nextDeadline : .distantPast
  }

  private func receive(_ message: Message) {
    switch message {
    case .adopt(let configuration):
      let membership = ActiveMembership(configuration, now: now)
      sessions[ObjectIdentifier(configuration.queue)] = membership
      takeCommands(of: membership)
    case .commands(let queue):
      // One that came with the last letter of a membership that is over is nobody's.
      if let membership = sessions[ObjectIdentifier(queue)] { takeCommands(of: membership) }
    case .resolved(let gateway, let result):
      didResolve(gateway, result)
    }
  }

  private func handle(_ event: ReadyEvent) {
    guard let connection = connections[event.token] else { return }
    if event.isWritable || event.hasHungUp { handleWritable(connection) }
    guard connections[event.token] === connection else { return }
    if event.isReadable || event.hasHungUp { read(connection) }
  }

  private func handleDeadlines() {
    for membership in Array(sessions.values) {
      if let openAt = membership.openAt, openAt <= now { openConnection(for: membership) }
      guard let deadline = membership.session.deadline, deadline <= now else { continue }
      membership.session.elapsed(now: now)
      perform(membership)
    }
    for connection in Array(connections.values) { handleDeadlines(of: connection) }
    for connection in pendingLookups.values.joined() { handleDeadlines(of: connection) }
  }

  private var nextDeadline: MonotonicTime? {
    var next: MonotonicTime?
    func consider(_ time: MonotonicTime?) {
      guard let time else { return }
      next = min(next ?? time, time)
    }
    for membership in sessions.values {
      consider(membership.session.deadline)
      consider(membership.openAt)
    }
    for connection in connections.values {
      consider(connection.deadline)
      consider(connection.nextKeepaliveAt)
    }
    for connection in pendingLookups.values.joined() { consider(connection.deadline) }
    return next
  }
}
