internal import SessionCore
internal import Networking
internal import Platform
internal import Primitives
internal import WebSocket
internal import Wire

/// One event loop with its connections and sessions: everything of it happens on its own thread.
///
/// Between a connection's read and its write there is no `await`. Other work, such as reading a session from the disk, is ordinary
/// `async` Swift, because the loop is the actor's executor.
actor Reactor {
  /// What other threads tell a reactor, in order.
  enum Mail: Sendable {
    case adopt(ConnectionTransfer)
    case drain
    case stop
    /// A question of `LoopWatchdog`.
    case probe
    case endSlowUpload(UploadTable.Eviction)
    /// Reports that another gateway took over a session.
    case sessionLost(SessionID)
  }

  let number: Int
  let loop: EventLoopThread
  private let clock: LoopClock
  let shared: SharedState
  let mailbox: Mailbox<Mail>

  let budget = TurnBudget()
  let io: ConnectionIO
  let reader: ConnectionReader
  let acceptor: Acceptor
  let hooks = ReactorHooks()
  /// When the log was told last that the disk is nearly full.
  var diskWarnedAt: MonotonicTime?

  // Sessions.
  var sessions: [SessionID: Hosted] = [:]
  var ended: EndedSessions
  /// Sessions that ended, while somebody reads what was attached to them.
  var endedSessions: [SessionID: Hosted] = [:]
  /// Sessions that are being opened, put away or removed, and those who wait for that.
  var busy: [SessionID: [CheckedContinuation<Void, Never>]] = [:]
  var deadlines = DeadlineQueue<SessionID>()

  // Work of the turn.
  var dirty: [Hosted] = []
  /// Dirty ones that wait a little for more to be said in them, and until when the first of them does.
  var held: [Hosted] = []
  var heldUntil: MonotonicTime?
  var load = LoopLoad()
  var flushing: [Hosted] = []
  let sharedInflater = SharedInflater()
  var sweepAt: MonotonicTime
  var isStopped = false
  var draining: Draining?

  // What goes to the disk.
  let tasks = LoopTasks()
  let persister: Persister
  let compactor: Compactor
  let uploads: UploadService
  var sweepSessionsAt: MonotonicTime
  /// The checks of the certificate files, in the first reactor.
  let certificateSchedule: CertificateSchedule?
  var diskLookAt: MonotonicTime

  let inflater = Inflater()
  let deflater: Deflater
  let compressor: CatchUpCompressor

  let counters: ReactorCounters
  let logger: GatewayLogger
  let dataRefusalLog: DataRefusalLog
  var publishedAt = MonotonicTime.distantPast
  private var hasUnpublished = false
  /// The date as it stands in answers, made once a second.
  var date = (at: Int64(0), text: "")

  /// How often it tells what it counts, at most: to publish takes some 3,000 instructions, as much as to send five times.
  private static let publishInterval = Duration.milliseconds(20)
  /// How often connections are looked over for what did not happen in time.
  static let sweepInterval = Duration.milliseconds(500)

  init(number: Int, shared: SharedState) throws(SystemError) {
    self.number = number
    self.shared = shared
    let loop = try EventLoopThread(name: "reactor-\(number)")
    self.loop = loop
    clock = loop.clock
    counters = ReactorCounters()
    logger = GatewayLogger(shared.log, counters: counters, clock: loop.clock)
    dataRefusalLog = DataRefusalLog(shared.log)
    let table = ConnectionTable { descriptor, token throws(SystemError) in
      try loop.register(descriptor, token: token)
    }
    io = ConnectionIO(
      table: table, counts: shared.connectionCounts,
      handshakes: HandshakeTable(capacity: ConnectionReader.handshakeLimit), readQueue: ReadQueue(),
      writeQueue: WriteQueue(budget), clock: loop.clock, counters: counters, logger: logger)
    reader = ConnectionReader(io, budget: budget, clock: loop.clock, counters: counters, log: shared.log)
    acceptor = Acceptor(
      io, reader, certificates: shared.certificates, reactors: shared.configuration.reactors,
      headTime: .seconds(shared.limits.headSeconds), clock: loop.clock, counters: counters, logger: logger)
    persister = Persister(
      shared.persistence, reactor: number, clock: loop.clock, tasks: tasks, counters: counters)
    compactor = Compactor(persister, clock: loop.clock, tasks: tasks, counters: counters)
    uploads = UploadService(
      shared.uploadEnvironment, reactor: number, clock: loop.clock, tasks: tasks, persister: persister,
      logger: logger, counters: counters)
    let (clock, tasks) = (loop.clock, tasks)
    certificateSchedule =
      number == 0 ? shared.keeper.map { CertificateSchedule($0, clock: clock, tasks: tasks) } : nil
    deflater = Deflater(level: 1)
    compressor = CatchUpCompressor(deflater)
    mailbox = Mailbox(waking: loop, capacity: 100_000)
    ended = EndedSessions(keepSeconds: shared.limits.endedKeepSeconds)
    sweepAt = .now() + Self.sweepInterval
    sweepSessionsAt = .now()
    diskLookAt = .now()
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe loop.asUnownedSerialExecutor()
  }

  /// Starts the thread. The listeners are this reactor's own; the kernel spreads connections over all reactors'.
  nonisolated func start(plain: Listener?, secure: Listener?) throws(SystemError) {
    if let plain { try loop.register(plain.descriptor, token: Self.plainToken) }
    if let secure { try loop.register(secure.descriptor, token: Self.secureToken) }
    // Given away in the first turn: the listeners close when the reactor lets go of them.
    let listeners = Guarded<(plain: Listener?, secure: Listener?)?>((plain, secure))
    try loop.start { events, jobsBegan in
      let given = listeners.withLock { $0.take() }
      return self.assumeIsolated { reactor in
        if let given {
          reactor.connectComponents()
          reactor.acceptor.listen(plain: given.plain, secure: given.secure)
        }
        return reactor.turn(events, jobsBegan)
      }
    }
  }

  /// Has components report to the sessions of this reactor.
  private func connectComponents() {
    connectHooks()
    io.didCloseReserved = { [unowned acceptor] in acceptor.releaseReserved($0) }
    reader.answerToPlainText = { [self] in answerToPlainText($0) }
    acceptor.makeHandler = { [self] in makeHTTP($0) }
    acceptor.refusalBytes = { [self] in refusalBytes($0) }
    persister.didReturn = { [self] stored in
      guard !stored.isRemoved, let hosted = sessions[stored.session.id] else { return }
      // A session tells its members with the next entries, or at its deadline: a turn of its own costs more than the write.
      if hosted.session.needsTurn { touch(hosted) }
      schedule(hosted)
    }
    persister.didStore = { [unowned compactor] stored in compactor.compactIfUseful(stored) }
    persister.didLoseOwnership = { [unowned self] stored in dropLostSession(stored.session.id) }
    compactor.didFinish = { [unowned self] stored in
      if let hosted = sessions[stored.session.id] { touch(hosted) }
    }
    uploads.perform = { [unowned self] effect, key in perform(effect, over: key) }
    uploads.didChange = { [unowned self] id in
      if let hosted = sessions[id] { touch(hosted) }
    }
  }

  static let plainToken = UInt64.max - 1
  static let secureToken = UInt64.max - 2

  /// The time of the present iteration of the loop: before its jobs, then before its turn.
  var now: MonotonicTime { clock.now }
  /// The same time, as sessions read it.

  // MARK: - A turn

  private func turn(_ events: [ReadyEvent], _ jobsBegan: MonotonicTime?) -> MonotonicTime? {
    let began = now
    counters.values.turns += 1
    budget.reset()
    mailbox.drain { receive($0) }
    for event in events { handle(event, isOnlyEvent: events.count == 1) }
    reader.readWaiting()
    passDeadlines()
    sweepIfDue()
    endSessionTurns()
    persister.storeIfDue()
    flushSessions()
    io.continueWriting()
    io.closeBroken()
    publishIfDue()
    startTasks()
    let end = MonotonicTime.now()
    load.turned(jobsBegan: jobsBegan, from: began, to: end, yielding: io.readQueue.takeExpensiveTime())
    counters.values.turnTimes.count(end - (jobsBegan ?? began))
    return nextDeadline()
  }

  /// Runs the work that components started in this turn or in the jobs before it.
  private func startTasks() {
    for work in tasks.takeAll() { Task { await run(work) } }
  }

  private func run(_ work: LoopTasks.Work) async {
    await work()
    // After the last turn no other call starts what this work started.
    startTasks()
  }

  /// Who drains tells every turn: there may be no other.
  private func publishIfDue() {
    hasUnpublished = true
    if shared.isDraining || publishedAt + Self.publishInterval <= now { publish() }
  }

  /// Tells what it counts, for whoever shows it.
  func publish() {
    publishedAt = now
    hasUnpublished = false
    shared.board.publish(counters.values, reactor: number)
  }

  private func receive(_ mail: Mail) {
    switch mail {
    case .adopt(let transfer): adopt(transfer)
    case .drain: drain()
    case .stop: stop()
    case .probe: shared.answerProbes(of: number)
    case .endSlowUpload(let evicted): uploads.endSlowUpload(evicted)
    case .sessionLost(let id): dropLostSession(id)
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

  private func nextDeadline() -> MonotonicTime? {
    guard flushing.isEmpty, dirty.isEmpty, io.readQueue.isEmpty, io.writeQueue.isEmpty else {
      return .distantPast
    }
    var next: MonotonicTime?
    func consider(_ time: MonotonicTime?) {
      guard let time else { return }
      next = min(next ?? time, time)
    }
    if io.table.count > 0 || logger.hasOmittedLines { consider(sweepAt) }
    if hasUnpublished { consider(publishedAt + Self.publishInterval) }
    consider(deadlines.earliest)
    consider(acceptor.nextDeadline)
    consider(draining?.nextDeadline(connections: io.table.count))
    consider(heldUntil)
    consider(persister.nextDeadline)
    if number == 0, shared.sweeper != nil { consider(sweepSessionsAt) }
    if number == 0, draining == nil {
      consider(diskLookAt)
      consider(certificateSchedule?.nextDeadline)
    }
    return next
  }

  /// The longest body that the API takes: a payload of 16 KiB, however it is escaped.
  static let apiBodyBytes = 131_072
}
