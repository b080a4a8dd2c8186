internal import Networking
internal import Platform
internal import Primitives
internal import WebSocket

/// The event loop of the process for all its memberships: sockets, deadlines and commands.
///
/// The loop has its own thread, which starts with the first membership and runs until the process ends.
actor ClientLoop {
  /// A message from another thread. Messages are handled in order.
  enum Message: Sendable {
    /// A new membership.
    case adopt(ActiveMembership.Configuration)
    /// A membership has queued commands.
    case commands(MembershipQueue)
    /// The result of an address lookup.
    case resolved(GatewayAddress, Result<ResolvedGateway, SessionClientError>)
  }

  let loop: EventLoopThread
  let mailbox: Mailbox<Message>

  var memberships: [ObjectIdentifier: ActiveMembership] = [:]
  /// The connections. The key is the event loop's token for the connection's socket.
  var connections: [UInt64: GatewayConnection] = [:]
  var lastToken: UInt64 = 0
  /// The connections that wait for an address lookup. All connections to the same gateway share one lookup and its thread.
  var pendingLookups: [GatewayAddress: [GatewayConnection]] = [:]

  // The time of the current turn (an iteration of the event loop), and the queues of pending work.
  var now = MonotonicTime.now()
  /// Connections that may have more to read than one turn allows.
  var readQueue: [GatewayConnection] = []
  /// Memberships that may have more to send than one turn allows.
  var sendQueue: [ActiveMembership] = []

  // The buffers and the decompressor that all connections share.
  var buffer = [UInt8](repeating: 0, count: 131_072)
  var plaintext: [UInt8] = []
  let inflater = Inflater()

  private static let process = Guarded<ClientLoop?>(nil)

  /// Returns the loop of this process. The first call starts the loop.
  ///
  /// - Throws: `SystemError` when the system has no thread or no file descriptor left. The next call tries again.
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
    // The mailbox needs no limit: it contains only a few messages for each membership and each lookup.
    mailbox = Mailbox(waking: loop, capacity: .max)
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe loop.asUnownedSerialExecutor()
  }

  private nonisolated func start() throws(SystemError) {
    try loop.start { events, _ in self.assumeIsolated { $0.turn(events) } }
  }

  // MARK: - Functions for any thread

  /// Adds a membership.
  nonisolated func adopt(_ configuration: ActiveMembership.Configuration) {
    post(.adopt(configuration))
  }

  /// Wakes the loop for the commands of a membership.
  nonisolated func notify(_ queue: MembershipQueue) {
    post(.commands(queue))
  }

  nonisolated func post(_ message: Message) {
    let isEnqueued = mailbox.enqueue(message)
    precondition(isEnqueued, "a client's unbounded mailbox refused a message")
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
      memberships[ObjectIdentifier(configuration.queue)] = membership
      executeCommands(of: membership)
    case .commands(let queue):
      // The membership may have finished since the message was sent.
      if let membership = memberships[ObjectIdentifier(queue)] { executeCommands(of: membership) }
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
    for membership in Array(memberships.values) {
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
    for membership in memberships.values {
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
