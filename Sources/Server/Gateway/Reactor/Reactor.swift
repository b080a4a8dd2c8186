internal import HTTP
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

  // Listeners, while it accepts.
  var plainListener: Listener?
  var secureListener: Listener?
  var acceptAgainAt: MonotonicTime?
  var handshakes = HandshakeTable(capacity: handshakeLimit)
  let budget = TurnBudget()
  /// When the log was told last that the disk is nearly full.
  var diskWarnedAt: MonotonicTime?

  let connections: ConnectionTable
  var reserved: ReservedConnections

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
  /// Who has brought something: people who draw, and everybody else.
  let webSocketReadQueue = FairQueue<Connection.Key>()
  let httpReadQueue = FairQueue<Connection.Key>()
  /// The sockets of both lines whose input costs much more than its length.
  var expensive = ExpensiveInput()
  /// The turn has no other event.
  var isOnlyEvent = false
  /// Until when the socket that is read may be.
  var shareEnd = MonotonicTime.distantPast
  /// Who can be sent more: those who take what is live, or an answer, and those who are caught up.
  let liveWriteQueue = FairQueue<Connection.Key>()
  let bulkWriteQueue = FairQueue<Connection.Key>()
  /// Sockets that broke while something was sent to them.
  var connectionsToClose: [Connection.Key] = []
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

  // Buffers that all connections share.
  var receiveBuffer = [UInt8](repeating: 0, count: 131_072)
  var plaintext: [UInt8] = []
  var ciphertext: [UInt8] = []
  var joined: [UInt8] = []
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
    connections = ConnectionTable { descriptor, token throws(SystemError) in
      try loop.register(descriptor, token: token)
    }
    counters = ReactorCounters()
    logger = GatewayLogger(shared.log, counters: counters, clock: loop.clock)
    dataRefusalLog = DataRefusalLog(shared.log)
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
    reserved = ReservedConnections(reactors: shared.configuration.reactors)
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
          (reactor.plainListener, reactor.secureListener) = given
          reactor.connectComponents()
        }
        return reactor.turn(events, jobsBegan)
      }
    }
  }

  /// Has components report to the sessions of this reactor.
  private func connectComponents() {
    persister.didReturn = { [unowned self] stored in
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
    isOnlyEvent = events.count == 1
    for event in events { handle(event) }
    readWaiting()
    passDeadlines()
    sweepIfDue()
    endSessionTurns()
    persister.storeIfDue()
    continueFlushing()
    closeBrokenConnections()
    publishIfDue()
    startTasks()
    let end = MonotonicTime.now()
    load.turned(jobsBegan: jobsBegan, from: began, to: end, yielding: expensive.takeTimeOfTurn())
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

  private func handle(_ event: ReadyEvent) {
    switch event.token {
    case Self.plainToken:
      acceptPlain()
    case Self.secureToken:
      acceptSecure()
    default:
      guard let connection = connections[token: event.token] else { return }
      if event.isWritable { becameWritable(connection) }
      guard connections.isOpen(connection) else { return }
      if event.isReadable || event.hasHungUp { readable(connection, hasHungUp: event.hasHungUp) }
    }
  }

  private func nextDeadline() -> MonotonicTime? {
    guard flushing.isEmpty, dirty.isEmpty, webSocketReadQueue.isEmpty, httpReadQueue.isEmpty,
      expensive.waiting.isEmpty, liveWriteQueue.isEmpty, bulkWriteQueue.isEmpty
    else { return .distantPast }
    var next: MonotonicTime?
    func consider(_ time: MonotonicTime?) {
      guard let time else { return }
      next = min(next ?? time, time)
    }
    if connections.count > 0 || logger.hasOmittedLines { consider(sweepAt) }
    if hasUnpublished { consider(publishedAt + Self.publishInterval) }
    consider(deadlines.earliest)
    consider(acceptAgainAt)
    consider(draining?.nextDeadline(connections: connections.count))
    consider(heldUntil)
    consider(persister.nextDeadline)
    if number == 0, shared.sweeper != nil { consider(sweepSessionsAt) }
    if number == 0, draining == nil {
      consider(diskLookAt)
      consider(certificateSchedule?.nextDeadline)
    }
    return next
  }

  // MARK: - Connections

  /// Adds a connection to the table.
  ///
  /// - Returns: nil if the system had no resources for it.
  func admit(
    _ descriptor: consuming OwnedDescriptor, peer: SocketAddress, tls: TLSConnection?,
    http: HTTPConversation? = nil, isReserved: Bool = false
  ) -> Connection? {
    let connection: Connection
    do throws(SystemError) {
      connection = try connections.admit(descriptor) { key, descriptor in
        Connection(
          key: key, descriptor: descriptor, peer: peer, tls: tls,
          state: .http(http ?? HTTPConversation(limits: requestLimits)),
          deadline: now + .seconds(shared.limits.headSeconds), isReserved: isReserved)
      }
    } catch {
      logger.log(.connectionNotTaken(.error, error))
      return nil
    }
    counters.values.openHTTPSockets += 1
    if tls != nil { counters.values.openTLSSockets += 1 }
    return connection
  }

  /// Removes a connection from the table.
  func forget(_ connection: Connection) {
    guard connections.forget(connection) else { return }
    releaseInflater(of: connection)
    countOut(connection)
    switch connection.state {
    case .webSocket: counters.values.openWebSockets -= 1
    case .http, .lingering: counters.values.openHTTPSockets -= 1
    }
    if connection.isSecure { counters.values.openTLSSockets -= 1 }
  }

  private var requestLimits: RequestLimits {
    var limits = RequestLimits()
    limits.headBytes = shared.limits.headBytes
    limits.requestLineBytes = limits.headBytes / 4
    limits.fieldBytes = limits.headBytes
    limits.bodyBytes = Self.apiBodyBytes
    return limits
  }

  /// The longest body that the API takes: a payload of 16 KiB, however it is escaped.
  static let apiBodyBytes = 131_072
}
