internal import HTTP
internal import SessionCore
internal import Storage
internal import Synchronization
internal import Networking
internal import Platform
internal import Primitives
internal import Wire

/// The state that all reactors of a gateway share: constant settings, counters with limits, and the stores.
///
/// The code that handles an entry does not access this state.
final class SharedState: Sendable {
  let configuration: GatewayConfiguration
  let log: Log
  let files: StaticFiles
  let board: MetricsBoard
  let proxyWarnings: ProxyWarnings
  let certificates: TLSServerContextHolder?
  let keeper: CertificateKeeper?
  /// The folder that the gateway writes to.
  let data: DataFolder
  let disk: DiskMonitor
  let gauge: DiskGauge
  let memory: SessionMemory
  let fileThreads: FileThreads
  let sessionFiles: SessionFiles
  let uploads: UploadTable
  let verdicts = ContentVerdicts()
  let verifier: ContentVerifier
  let store: any SessionStore
  let attachments: any AttachmentStore
  /// `byStore` if sessions are written to the store, `inMemory` if they are only in memory.
  let saving: Saving
  /// The component that removes expired sessions from the store; nil when sessions are in memory only.
  let sweeper: SessionSweeper?
  let removal: RemovalGate
  let ledger: SessionLedger
  let pseudonyms: AddressPseudonyms
  /// The name of the present generation of the data folder. A new generation begins when the gateway starts after a stop that was
  /// not clean. A session whose log was closed in the present generation keeps its epoch.
  let generation: String
  /// The identity of the data folder. A copy of the folder has a different identity.
  let folder: String
  let startedAt: WallTime
  let metrics: MetricsRenderer

  private let reactors = Guarded<[Reactor]>([])
  let connectionCounts: ConnectionCounts
  private let loads: SessionPlacement.Loads
  let persistence: Persister.Environment
  private let watchdog: LoopWatchdog
  private let drainProgress: DrainProgress
  private let loaders: [SessionLoader]
  private let loaderTurn = Atomic<UInt>(0)
  let stopState = StopState()
  private let creations: Guarded<SessionCreationLimiter>
  private let historyRequests = Guarded(ClientRateLimiter(HistoryRoutes.rate))
  private let historyTails = HistoryTailSlots()
  private let endpoints = Guarded(Endpoints())

  init(
    configuration: GatewayConfiguration, log: Log, files: StaticFiles, keeper: CertificateKeeper?,
    data: DataFolder, fileThreads: FileThreads, store: any SessionStore, attachments: any AttachmentStore,
    generation: String, clock: GatewayClock, pseudonyms: AddressPseudonyms
  ) {
    self.configuration = configuration
    self.log = log
    self.files = files
    self.keeper = keeper
    certificates = keeper?.holder
    self.data = data
    self.fileThreads = fileThreads
    self.store = store
    self.attachments = attachments
    let saving: Saving = configuration.durability == .memory ? .inMemory : .byStore
    self.saving = saving
    self.generation = generation
    let folder = data.identity()
    self.folder = folder
    disk = DiskMonitor(reserve: configuration.limits.diskReserveBytes) { () throws(StorageError) in
      try data.freeBytes()
    }
    // The first measurement is done here, before the first request, so that no reactor has to wait for it.
    disk.measure(now: .now())
    gauge = DiskGauge(disk, on: fileThreads.disk)
    memory = SessionMemory(limit: configuration.limits.memoryBytes)
    loaders = fileThreads.loaders.map {
      SessionLoader(
        store, attachments, on: $0, limits: configuration.limits, generation: generation, folder: folder,
        clock: clock, log: log)
    }
    let removal = RemovalGate(clock, limits: configuration.limits, now: .now())
    self.removal = removal
    let ledger = SessionLedger(limits: configuration.limits, removal: removal, isLoaded: saving == .inMemory)
    self.ledger = ledger
    self.pseudonyms = pseudonyms
    persistence = Persister.Environment(
      store: store, unsaved: UnsavedBytes(limit: configuration.limits.unsavedBytes), ledger: ledger,
      disk: disk,
      clock: clock, generation: generation, log: log, historyBytes: configuration.limits.historyBytes)
    sweeper =
      saving == .inMemory
      ? nil
      : SessionSweeper(
        store, attachments, on: fileThreads.sweeping, limits: configuration.limits, removal: removal,
        ledger: ledger)
    sessionFiles = SessionFiles(attachments, on: fileThreads.ordered)
    uploads = UploadTable(limits: configuration.limits)
    verifier = ContentVerifier(attachments, on: fileThreads.verifying, notingIn: verdicts)
    board = MetricsBoard(reactors: configuration.reactors)
    proxyWarnings = ProxyWarnings(configuration, log: log)
    connectionCounts = ConnectionCounts(
      limits: configuration.limits, isBehindProxy: configuration.trustedProxies > 0)
    loads = SessionPlacement.Loads(reactors: configuration.reactors)
    metrics = MetricsRenderer(on: fileThreads.observing)
    creations = Guarded(
      SessionCreationLimiter(perMinute: configuration.limits.sessionsPerAddressPerMinute))
    drainProgress = DrainProgress(reactors: configuration.reactors)
    watchdog = LoopWatchdog(loops: configuration.reactors)
    startedAt = .now()
  }

  var limits: Limits { configuration.limits }

  /// The values and components that the upload services of all reactors share.
  var uploadEnvironment: UploadService.Environment {
    UploadService.Environment(
      limits: limits, table: uploads, verdicts: verdicts, files: sessionFiles, log: log,
      droppedBodyBytes: Router.bodyBytes
    ) { [unowned self] name, session in
      UploadFileActor(
        name, of: session, in: attachments, on: fileThreads.nextTransfer(),
        diskReserve: UInt64(limits.diskReserveBytes))
    }
  }

  /// The values and components that the HTTP services of all reactors share.
  var httpEnvironment: HTTPService.Environment {
    HTTPService.Environment(
      configuration: configuration, log: log, files: files, proxyWarnings: proxyWarnings,
      networkLinks: NetworkLinks(
        configuration, endpoints: { [unowned self] in boundEndpoints },
        certificate: { [certificates] in certificates?.current }),
      downloads: DownloadService.Environment(
        limits: limits, attachments: attachments, verdicts: verdicts, verifier: verifier, log: log,
        nextThread: { [fileThreads] in fileThreads.nextTransfer() }),
      history: HistoryRoutes.Environment(
        store: store, tails: historyTails, log: log,
        nextThread: { [fileThreads] in fileThreads.nextTransfer() },
        admit: { [unowned self] address, cost, now in
          historyRequests.withLock { $0.admit(address, cost: cost, at: now) }
        }),
      monitoring: MonitoringRoutes.Environment(
        access: MetricsAccess(configuration), board: board, renderer: metrics, startedAt: startedAt,
        stopState: stopState,
        status: { [unowned self] in status(now: $0) },
        hangingReactors: { [unowned self] in hangingReactors(seenBy: $0, now: $1) }),
      stopState: stopState,
      endpoints: { [unowned self] in boundEndpoints },
      loads: loads,
      owner: { [unowned self] in owner(of: $0).number },
      handOver: { [unowned self] transfer, reactor in
        reactors.withLock { $0[reactor] }.mailbox.enqueue(.adopt(transfer))
      },
      evict: { [unowned self] in evict($0) })
  }

  /// The values and components that the `SessionCreation` objects of all reactors share.
  var creationEnvironment: SessionCreation.Environment {
    SessionCreation.Environment(
      limits: limits, store: store, saving: saving, folder: folder, disk: disk, ledger: ledger,
      sweeper: sweeper, clock: removal.clock, pseudonyms: pseudonyms, log: log,
      owner: { [unowned self] in owner(of: $0).number },
      admit: { [unowned self] address, now in creations.withLock { $0.admit(address, at: now) } })
  }

  /// Returns the loader of the next session, in round-robin order.
  func nextLoader() -> SessionLoader {
    let number = loaderTurn.add(1, ordering: .relaxed).oldValue
    return loaders[Int(number % UInt(loaders.count))]
  }

  /// The values and components that the session tables of all reactors share.
  var sessionEnvironment: SessionTable.Environment {
    SessionTable.Environment(
      store: store, files: sessionFiles, ledger: ledger, memory: memory, removal: removal,
      stopState: stopState,
      limits: limits, nextLoader: { [unowned self] in nextLoader() }, sweeper: sweeper, log: log)
  }

  /// The values and components that the `Draining` objects of all reactors share.
  var drainEnvironment: Draining.Environment {
    Draining.Environment(
      store: store, generation: generation, log: log, progress: drainProgress,
      wakeReactors: { [unowned self] in
        for reactor in reactors.withLock({ $0 }) { reactor.loop.wake() }
      },
      stopReactors: { [unowned self] in stopReactors() })
  }

  /// Stops every reactor.
  func stopReactors() {
    for reactor in reactors.withLock({ $0 }) { _ = reactor.mailbox.enqueue(.stop) }
  }

  func setReactors(_ all: [Reactor]) {
    reactors.withLock { $0 = all }
  }

  /// Returns the reactor that owns a session. The session's id alone determines the reactor.
  func owner(of id: SessionID) -> Reactor {
    reactors.withLock { $0[Int(id.low % UInt64($0.count))] }
  }

  var isStopping: Bool { stopState.isStopping }
  var isDraining: Bool { stopState.isDraining }

  /// Finds the reactors that have not answered a probe in time, and sends a new probe to each reactor that answered. See
  /// `LoopWatchdog`.
  ///
  /// - Parameters:
  ///   - number: the reactor that runs the call; nil on other threads.
  ///   - now: the present time.
  /// - Returns: the numbers of the reactors that have not answered for ten seconds.
  func hangingReactors(seenBy number: Int?, now: MonotonicTime) -> [Int] {
    let reactors = reactors.withLock { $0 }
    guard !reactors.isEmpty else { return [] }
    return watchdog.hangingLoops(seenBy: number, at: now) { reactors[$0].mailbox.enqueue(.probe) }
  }

  /// Answers the probes that were sent to a reactor. The reactor itself calls this function in a turn of its loop.
  func answerProbes(of number: Int) {
    watchdog.answer(from: number)
  }

  /// Returns the refusal of requests that store new data; nil while such requests are accepted.
  func dataRefusal(now: MonotonicTime) -> Refusal? {
    disk.refusal(now: now) ?? ledger.refusalOfGrowth
  }

  /// Returns the present state of the gateway for the metrics.
  func status(now: MonotonicTime) -> GatewayStatus {
    var status = GatewayStatus()
    let disk = disk.figures
    status.isDraining = isStopping
    status.isReady = !isStopping
    status.refusesNewData = dataRefusal(now: now) != nil
    status.dataBytes = limits.dataBytes
    status.isDiskFailing = disk.isFailing
    status.freeBytes = disk.free
    status.reserveBytes = limits.diskReserveBytes
    status.unsavedBytes = persistence.unsaved.total
    status.memoryBytes = limits.memoryBytes
    status.connectionsLimit = limits.connections
    status.sessionsLimit = limits.sessions
    status.stored = saving == .inMemory ? nil : ledger.totals
    status.certificateEnds = certificates?.current.certificate.notAfter
    status.certificateReloadFailures = keeper?.reloadFailures
    status.loopBusySeconds = board.busySeconds
    status.logLinesLost = log.linesLost
    return status
  }

  var boundEndpoints: Endpoints {
    get { endpoints.withLock { $0 } }
    set { endpoints.withLock { $0 = newValue } }
  }

  /// Asks the reactor of a slow upload to end that upload, because another upload has been given its slot.
  /// - Returns: false if the reactor's mailbox is full.
  func evict(_ upload: UploadTable.Eviction) -> Bool {
    reactors.withLock { $0[upload.reactor] }.mailbox.enqueue(.endSlowUpload(upload))
  }
}
