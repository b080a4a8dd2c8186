internal import Networking
internal import Platform
internal import Primitives
internal import WebSocket

/// The one event loop of the process for all its sessions: their sockets, their deadlines, and what they are asked for.
///
/// Everything of it happens on its own thread, which is begun when the first session is joined and then stays.
actor ClientLoop {
  /// What other threads tell it, in order.
  enum Mail: Sendable {
    /// A membership begins.
    case adopt(LinkedSession.Place)
    /// A membership wants something.
    case orders(MembershipDesk)
    /// Where a gateway is was found out, or was not.
    case lookedUp(GatewayAddress, Result<AddressLookup, AddressLookup.Failure>)
  }

  let loop: EventLoopThread
  let mailbox: Mailbox<Mail>

  var sessions: [ObjectIdentifier: LinkedSession] = [:]
  /// By the token of their socket.
  var connections: [UInt64: GatewayConnection] = [:]
  var lastToken: UInt64 = 0
  /// Who waits for an address. One thread looks up each, however many wait.
  var lookups: [GatewayAddress: [GatewayConnection]] = [:]

  // Work of the turn.
  var now = MonotonicTime.now()
  /// Connections that may have more to be read than their share of a turn.
  var unread: [GatewayConnection] = []
  /// Sessions that may have more to send than their share of a turn.
  var unsent: [LinkedSession] = []

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
  nonisolated func adopt(_ place: LinkedSession.Place) {
    post(.adopt(place))
  }

  /// Has the loop look at a desk.
  nonisolated func announce(_ desk: MembershipDesk) {
    post(.orders(desk))
  }

  nonisolated func post(_ mail: Mail) {
    let isPut = mailbox.put(mail)
    precondition(isPut, "the mailbox has no bound of its own")
  }

  // MARK: - A turn

  private func turn(_ events: [ReadyEvent]) -> MonotonicTime? {
    now = .now()
    mailbox.drain { receive($0) }
    for event in events { handle(event) }
    readOn()
    sendOn()
    passDeadlines()
    return unread.isEmpty && unsent.isEmpty ? nextDeadline : .distantPast
  }

  private func receive(_ mail: Mail) {
    switch mail {
    case .adopt(let place):
      let linked = LinkedSession(place, now: now)
      sessions[ObjectIdentifier(place.desk)] = linked
      takeOrders(of: linked)
    case .orders(let desk):
      // One that came with the last letter of a membership that is over is nobody's.
      if let linked = sessions[ObjectIdentifier(desk)] { takeOrders(of: linked) }
    case .lookedUp(let gateway, let result):
      lookedUp(gateway, result)
    }
  }

  private func handle(_ event: ReadyEvent) {
    guard let connection = connections[event.token] else { return }
    if event.isWritable || event.hasHungUp { becameWritable(connection) }
    guard connections[event.token] === connection else { return }
    if event.isReadable || event.hasHungUp { read(connection) }
  }

  private func passDeadlines() {
    for linked in Array(sessions.values) {
      if let openAt = linked.openAt, openAt <= now { open(linked) }
      guard let deadline = linked.session.deadline, deadline <= now else { continue }
      linked.session.elapsed(now: now)
      perform(linked)
    }
    for connection in Array(connections.values) { passDeadlines(of: connection) }
    for connection in lookups.values.joined() { passDeadlines(of: connection) }
  }

  private var nextDeadline: MonotonicTime? {
    var next: MonotonicTime?
    func consider(_ time: MonotonicTime?) {
      guard let time else { return }
      next = min(next ?? time, time)
    }
    for linked in sessions.values {
      consider(linked.session.deadline)
      consider(linked.openAt)
    }
    for connection in connections.values {
      consider(connection.deadline)
      consider(connection.signOfLifeAt)
    }
    for connection in lookups.values.joined() { consider(connection.deadline) }
    return next
  }
}
