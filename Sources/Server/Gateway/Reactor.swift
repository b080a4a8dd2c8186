internal import SessionCore
internal import Networking
internal import Platform
internal import Primitives
internal import WebSocket
internal import Wire

/// One event loop with its connections and sessions, on a thread of its own.
///
/// The loop is the executor of this actor. Reading from connections and writing to them happens in one turn of the loop, without
/// `await`. Other work, such as loading a session, is ordinary `async` code that runs on the same thread.
actor Reactor {
  /// The messages from other threads. A reactor handles them in the order of their arrival.
  enum Mail: Sendable {
    case listen(plain: Listener?, secure: Listener?)
    case adopt(ConnectionTransfer)
    case drain
    case stop
    /// A probe of `LoopWatchdog`, which the reactor answers to show that its loop does not hang.
    case probe
    case endSlowUpload(UploadTable.Eviction)
    /// A report that another gateway has taken over a session.
    case sessionLost(SessionID)
  }

  let number: Int
  let loop: EventLoopThread
  let mailbox: Mailbox<Mail>
  let shared: SharedState
  private let tasks = LoopTasks()

  private let io: ConnectionIO
  private let reader: ConnectionReader
  private let acceptor: Acceptor
  let sessions: SessionTable
  let http: HTTPService
  private let draining: Draining
  /// The periodic work of the gateway; nil except in the first reactor.
  let housekeeping: Housekeeping?
  private let publisher: MetricsPublisher
  /// The time of the next sweep, which frees memory of idle sessions.
  private var sweepAt: MonotonicTime

  /// The time between two sweeps.
  private static let sweepInterval = Duration.milliseconds(500)

  init(number: Int, shared: SharedState) throws(SystemError) {
    self.number = number
    self.shared = shared
    let loop = try EventLoopThread(name: "reactor-\(number)")
    self.loop = loop
    mailbox = Mailbox(waking: loop, capacity: 100_000)
    let (clock, tasks, configuration, limits) = (loop.clock, tasks, shared.configuration, shared.limits)
    let counters = ReactorCounters()
    let logger = GatewayLogger(shared.log, counters: counters, clock: clock)
    publisher = MetricsPublisher(shared.board, reactor: number, clock: clock, counters: counters)
    let budget = TurnBudget()
    let table = ConnectionTable(
      watch: { descriptor, token throws(SystemError) in try loop.register(descriptor, token: token) },
      unwatch: { descriptor throws(SystemError) in try loop.deregister(descriptor) })
    io = ConnectionIO(
      table: table, counts: shared.connectionCounts,
      handshakes: HandshakeTable(capacity: ConnectionReader.handshakeLimit), readQueue: ReadQueue(),
      writeQueue: WriteQueue(budget), clock: clock, counters: counters, logger: logger)
    reader = ConnectionReader(io, budget: budget, clock: clock, counters: counters, log: shared.log)
    acceptor = Acceptor(
      io, reader, certificates: shared.certificates, reactors: configuration.reactors,
      headTime: .seconds(limits.headSeconds), clock: clock, counters: counters, logger: logger)
    let persister = Persister(
      shared.persistence, reactor: number, clock: clock, tasks: tasks, counters: counters)
    let broadcaster = Broadcaster(
      FanOut(io, clock: clock, counters: counters), persister: persister, memory: shared.memory,
      stopState: shared.stopState, flushInterval: configuration.flushInterval, clock: clock,
      counters: counters, log: shared.log)
    let deflater = Deflater(level: 1)
    let compressor = CatchUpCompressor(deflater)
    let sockets = WebSocketService(
      io, broadcaster, budget: budget, deflater: deflater, compressor: compressor, limits: limits,
      clock: clock, counters: counters, logger: logger)
    let uploads = UploadService(
      shared.uploadEnvironment, reactor: number, clock: clock, tasks: tasks, persister: persister,
      logger: logger, counters: counters)
    sessions = SessionTable(
      shared.sessionEnvironment, persister: persister, broadcaster: broadcaster, sockets: sockets,
      uploads: uploads, compressor: compressor, tasks: tasks, clock: clock, counters: counters)
    let messages = SessionMessages(sessions, tasks: tasks, clock: clock, counters: counters, logger: logger)
    let creation = SessionCreation(
      shared.creationEnvironment, reactor: number, sessions, clock: clock, counters: counters)
    http = HTTPService(
      shared.httpEnvironment, reactor: number, io, sessions, creation, uploads, publisher, clock: clock,
      tasks: tasks, counters: counters, logger: logger)
    draining = Draining(shared.drainEnvironment, io, sessions, tasks: tasks, clock: clock)
    housekeeping = number == 0 ? Housekeeping(shared, clock: clock, tasks: tasks) : nil
    sweepAt = clock.now + Self.sweepInterval
    sockets.receiveText = { messages.receive($2, from: $0, in: $1) }
    reader.answerToPlainText = { [unowned http] in http.answerToPlainText($0) }
    acceptor.makeHandler = { [unowned http] in http.makeHandler(of: $0) }
    acceptor.refusalBytes = { [unowned http] in http.refusalBytes($0) }
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe loop.asUnownedSerialExecutor()
  }

  /// Starts the thread. The listeners belong to this reactor; the kernel distributes connections among the listeners of all
  /// reactors.
  nonisolated func start(plain: Listener?, secure: Listener?) throws(SystemError) {
    if let plain { try loop.register(plain.descriptor, token: Self.plainToken) }
    if let secure { try loop.register(secure.descriptor, token: Self.secureToken) }
    _ = mailbox.enqueue(.listen(plain: plain, secure: secure))
    try loop.startThread {
      self.assumeIsolated { reactor in reactor.loop.run { reactor.turn($0, $1) } }
    }
  }

  static let plainToken = UInt64.max - 1
  static let secureToken = UInt64.max - 2

  /// The present time of the loop. It is measured before the loop runs asynchronous jobs, and again before each turn.
  var now: MonotonicTime { loop.clock.now }
  private var persister: Persister { sessions.persister }
  private var broadcaster: Broadcaster { sessions.broadcaster }
  private var logger: GatewayLogger { io.logger }

  // MARK: - Turns

  private func turn(_ events: [ReadyEvent], _ jobsBegan: MonotonicTime?) -> MonotonicTime? {
    let began = now
    publisher.turnBegan()
    reader.beginTurn()
    mailbox.drain { receive($0) }
    for event in events { handle(event, isOnlyEvent: events.count == 1) }
    reader.readWaiting()
    sessions.passDeadlines()
    performPeriodicWork()
    broadcaster.endTurns()
    persister.storeIfDue()
    broadcaster.flush()
    io.continueWriting()
    io.closeBroken()
    http.placement.publishLoad()
    publisher.turnEnded(isDraining: shared.isDraining)
    startTasks()
    let end = MonotonicTime.now()
    broadcaster.countTurn(
      jobsBegan: jobsBegan, from: began, to: end,
      yielding: io.readQueue.takeExpensiveTime() + io.writeQueue.takeBulkTime())
    publisher.countTurn(end - (jobsBegan ?? began))
    return nextDeadline()
  }

  /// Starts the asynchronous work that components have added to `tasks` since the last call.
  private func startTasks() {
    for work in tasks.takeAll() { Task { await run(work) } }
  }

  private func run(_ work: LoopTasks.Work) async {
    await work()
    // `work` may have added tasks. The next turn would start them too, but after the last turn only this call starts them.
    startTasks()
  }

  private func receive(_ mail: Mail) {
    switch mail {
    case .listen(let plain, let secure):
      if !loop.isStopping { acceptor.listen(plain: plain, secure: secure) }
    case .adopt(let transfer): if !loop.isStopping { http.adopt(transfer) }
    case .drain: draining.begin()
    case .stop: stop()
    case .probe: shared.answerProbes(of: number)
    case .endSlowUpload(let evicted): http.uploads.endSlowUpload(evicted)
    case .sessionLost(let id): sessions.dropLost(id)
    }
  }

  private func handle(_ event: ReadyEvent, isOnlyEvent: Bool) {
    switch event.token {
    case Self.plainToken:
      acceptor.acceptPlain()
    case Self.secureToken:
      acceptor.acceptSecure()
    default:
      guard let connection = io.table[token: event.token] else { return }
      if event.isWritable { io.becameWritable(connection) }
      guard io.table.isOpen(connection) else { return }
      if event.isReadable || event.hasHungUp {
        reader.readable(connection, hasHungUp: event.hasHungUp, isOnlyEvent: isOnlyEvent)
      }
    }
  }

  private func performPeriodicWork() {
    guard !loop.isStopping else { return }
    acceptor.acceptWaiting()
    io.performDueChecks()
    if draining.hasBegun {
      if draining.performDueSteps() { stop() }
    } else {
      housekeeping?.performDueWork()
    }
    guard sweepAt <= now else { return }
    sweepAt = now + Self.sweepInterval
    sessions.sweep()
    logger.reportOmittedLines()
    housekeeping?.logDataRefusal()
  }

  private func nextDeadline() -> MonotonicTime? {
    guard !broadcaster.hasWork, io.readQueue.isEmpty, io.writeQueue.isEmpty else { return .distantPast }
    var next: MonotonicTime?
    func consider(_ time: MonotonicTime?) {
      guard let time else { return }
      next = min(next ?? time, time)
    }
    if !sessions.isEmpty || !broadcaster.buffered.isEmpty || logger.hasOmittedLines { consider(sweepAt) }
    consider(io.checks.nextDeadline)
    consider(publisher.nextDeadline)
    consider(sessions.nextDeadline)
    consider(acceptor.nextDeadline)
    consider(broadcaster.nextDeadline)
    consider(persister.nextDeadline)
    consider(draining.hasBegun ? draining.nextDeadline : housekeeping?.nextDeadline)
    return next
  }

  /// Closes all connections. The loop stops after this turn.
  private func stop() {
    guard !loop.isStopping else { return }
    acceptor.stop()
    for connection in io.table.rows {
      if let connection { io.close(connection) }
    }
    loop.stop()
  }

  // MARK: - Calls from other threads

  /// Removes an expired session from the store. The session belongs to this reactor and is not in memory.
  func removeStored(_ id: SessionID, hadEnded: Bool) async {
    defer { startTasks() }
    await sessions.removeStored(id, hadEnded: hadEnded)
  }

  /// Performs an operator's command about a session of this reactor.
  func perform(_ command: SessionCommand) async -> SessionCommand.Answer {
    defer { startTasks() }
    return await sessions.perform(command)
  }
}
