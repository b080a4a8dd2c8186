internal import Primitives
internal import SessionCore
internal import Storage
internal import Networking
internal import Platform
internal import Wire

/// The operations on unfinished uploads that `SessionTable` requires.
protocol SessionUploads: AnyObject {
  /// Called when an upload has changed the state of a session.
  var didChange: (SessionID) -> Void { get set }
  /// True after a drain has begun.
  var isStopping: Bool { get set }
  /// Removes the expired uploads of a session.
  func removeExpired(of host: SessionHost)
  /// Returns true while an upload of a session is in use, by a request or by the gateway. The session must then stay in memory.
  func isBusy(in host: SessionHost) -> Bool
  /// Ends all uploads of a session that is removed from memory.
  ///
  /// - Parameters:
  ///   - host: the session.
  ///   - keepsFiles: true to keep the files, so that the uploads can continue later. If false, the caller must call
  ///     `discardEnded` later.
  func endUploads(of host: SessionHost, keepsFiles: Bool)
  /// Discards the files of incomplete uploads that ended with their session.
  func discardEnded(of id: SessionID) async
  /// Restores the uploads of a session that was just loaded, so that their clients can continue them.
  func restore(_ uploads: [RestoredUpload], _ files: SessionLoader.Files, in host: SessionHost)
  /// Removes those stored files of a session to which no record refers.
  func removeOrphans(_ orphans: [StoredFile], of host: SessionHost)
}

/// The sessions of a reactor. The table loads sessions from the store, ends them, and unloads unused ones.
final class SessionTable {
  /// The values and components that the tables of all reactors share.
  struct Environment {
    let store: any SessionStore
    let files: SessionFiles
    let ledger: SessionLedger
    let memory: SessionMemory
    let removal: RemovalGate
    let stopState: StopState
    let limits: Limits
    /// Returns the loader that reads the next session. The gateway has several loaders.
    let nextLoader: () -> SessionLoader
    /// The sweeper of stored sessions; nil when sessions are in memory only.
    let sweeper: SessionSweeper?
    let log: Log
  }

  /// The exclusive right to load, unload or remove a session. The end of the lease's scope releases the right.
  struct Lease: ~Copyable {
    fileprivate let table: SessionTable
    fileprivate let id: SessionID

    deinit {
      for continuation in table.leased.removeValue(forKey: id) ?? [] { continuation.resume() }
    }
  }

  /// The outcome of a search for a session.
  enum Found {
    case open(SessionHost)
    /// The session has ended. Its attachments can still be read.
    case ended(SessionHost)
    /// The session does not exist, or cannot be loaded.
    case none(Refusal)
  }

  let environment: Environment
  let persister: Persister
  let broadcaster: Broadcaster
  let sockets: WebSocketService
  let uploads: any SessionUploads
  let compressor: CatchUpCompressor
  let history: HistoryExtender
  private let compactor: Compactor
  let tasks: LoopTasks
  let clock: LoopClock
  let counters: ReactorCounters
  /// The source of the random bytes for new ids and tokens.
  let random = RandomPool()
  /// The JSON of the gateway's limits, for the answers to `join`.
  let limitsJSON: [UInt8]
  private var hosts: [SessionID: SessionHost] = [:]
  /// The ids of sessions that ended or expired.
  var endedIDs: EndedSessions
  /// Ended sessions that are in memory while their attachments are read.
  var endedSessionCache: [SessionID: SessionHost] = [:]
  /// The leased sessions, each with the callers that wait for its lease.
  private var leased: [SessionID: [CheckedContinuation<Void, Never>]] = [:]
  private(set) var deadlines = DeadlineQueue<SessionID>() {
    didSet { nextDeadline = deadlines.earliest }
  }
  /// True when the gateway has begun to write the last records of its sessions. Deadlines, such as the end of a grace time, are
  /// then ignored, because handling a deadline could add a record after the last one.
  var isFinishing = false

  init(
    _ environment: Environment, persister: Persister, broadcaster: Broadcaster, sockets: WebSocketService,
    uploads: any SessionUploads, compressor: CatchUpCompressor, tasks: LoopTasks, clock: LoopClock,
    counters: ReactorCounters
  ) {
    self.environment = environment
    self.persister = persister
    self.broadcaster = broadcaster
    self.sockets = sockets
    self.uploads = uploads
    self.compressor = compressor
    self.tasks = tasks
    self.clock = clock
    self.counters = counters
    limitsJSON = WireJSON.encode(environment.limits)
    endedIDs = EndedSessions(keepSeconds: environment.limits.endedKeepSeconds)
    history = HistoryExtender(persister, clock: clock, counters: counters)
    compactor = Compactor(persister, history, clock: clock, tasks: tasks, counters: counters)
    persister.didReturn = { [unowned self] in batchReturned($0) }
    persister.didStore = { [unowned compactor] in compactor.compactIfUseful($0) }
    persister.didLoseOwnership = { [unowned self] in dropLost($0.session.id) }
    compactor.didFinish = { [unowned self] in touch($0.session.id) }
    uploads.didChange = { [unowned self] in touch($0) }
    broadcaster.schedule = { [unowned self] in schedule($0, $1) }
  }

  var log: Log { environment.log }
  var limits: Limits { environment.limits }
  /// True while the gateway stops. During the stop, no session is loaded or unloaded.
  var isDraining: Bool { environment.stopState.isDraining }
  var now: MonotonicTime { clock.now }

  // MARK: - Table

  /// The session with the given id; nil if the session is not in memory or has ended.
  subscript(id: SessionID) -> SessionHost? { hosts[id] }
  /// True while no session is in memory.
  private(set) var isEmpty = true

  /// All sessions in memory that have not ended.
  var all: [SessionHost] { Array(hosts.values) }

  /// Adds a created or loaded session. After this call, the caller must report the session's bytes and schedule the session.
  func insert(_ host: SessionHost) {
    hosts[host.id] = host
    isEmpty = false
    counters.values.sessions += 1
  }

  /// Removes a session from the table and from all gauges.
  func remove(_ host: SessionHost) {
    guard hosts.removeValue(forKey: host.id) != nil else { return }
    isEmpty = hosts.isEmpty
    broadcaster.countOut(host)
    host.isRemoved = true
    environment.ledger.update(host.id) { $0.isOpen = false }
    persister.countUnsaved(host)
    counters.values.sessions -= 1
  }

  /// Waits until no other caller has the lease of a session, and takes the lease.
  func lease(_ id: SessionID) async -> Lease {
    while leased[id] != nil { await waitForLease(of: id) }
    leased[id] = []
    return Lease(table: self, id: id)
  }

  func isLeased(_ id: SessionID) -> Bool { leased[id] != nil }

  /// Waits until the current lease of a session is released. Returns immediately if the session is not leased.
  func waitForLease(of id: SessionID) async {
    await withCheckedContinuation { continuation in
      if leased[id] == nil {
        continuation.resume()
      } else {
        leased[id]?.append(continuation)
      }
    }
  }

  /// Waits until no session is leased.
  func waitForLeases() async {
    while let id = leased.keys.first { await waitForLease(of: id) }
  }

  // MARK: - Turns

  /// Marks a session as changed, unless it has been removed from the table.
  func touch(_ host: SessionHost) {
    guard !host.isRemoved else { return }
    broadcaster.touch(host)
  }

  /// Marks a session as changed, if it is in memory.
  func touch(_ id: SessionID) {
    if let host = hosts[id] { broadcaster.touch(host) }
  }

  /// Handles the store's answer to a batch of records. The answer may be a failure. If the session has only commits to announce,
  /// no turn is started for the commits, because a separate turn would cost more than writing the batch. The commits are
  /// announced with the next entries, or at the session's deadline.
  private func batchReturned(_ stored: StoredSession) {
    guard !stored.isRemoved, let host = stored as? SessionHost else { return }
    if host.session.needsTurn { broadcaster.touch(host) }
    schedule(host)
  }

  /// Records that an asynchronous task of a session has finished.
  func finishTask(of host: SessionHost) {
    host.tasksInHand -= 1
    touch(host)
  }

  // MARK: - Deadlines

  /// The earliest deadline among all sessions; nil if there is none. This is a stored copy of `deadlines.earliest`, because each
  /// turn reads the value.
  private(set) var nextDeadline: MonotonicTime?

  /// Schedules the earliest deadline of a session.
  func schedule(_ live: LiveSession) {
    schedule(live, live.session.deadlines)
  }

  private func schedule(_ live: LiveSession, _ deadlines: SessionDeadlines) {
    guard !live.isRemoved, let host = live as? SessionHost else { return }
    var next = deadlines.next ?? .distantFuture
    if let time = expiryDeadline(of: host, deadlines) { next = min(next, time) }
    if let time = idleDeadline(of: host, deadlines) { next = min(next, time) }
    if let time = host.presenceDue { next = min(next, time) }
    guard next < host.scheduledAt ?? .distantFuture else { return }
    if let later = host.scheduledAt { host.laterDeadlines.append(later) }
    host.scheduledAt = next
    self.deadlines.insert(host.id, at: next)
  }

  func setDeadline(of id: SessionID, _ time: MonotonicTime) {
    deadlines.insert(id, at: time)
  }

  /// Handles the sessions whose deadlines have passed.
  func passDeadlines() {
    while let due = nextDeadline, due <= now, let id = deadlines.popDue(at: now) {
      guard let host = hosts[id] else {
        forgetIfIdle(id)
        continue
      }
      if host.scheduledAt.map({ $0 <= now }) ?? false { host.scheduledAt = host.laterDeadlines.popLast() }
      if isFinishing { continue }
      host.session.tick(now: now)
      uploads.removeExpired(of: host)
      let deadlines = host.session.deadlines
      if let expiry = expiryDeadline(of: host, deadlines), expiry <= now {
        expire(host)
        continue
      }
      unloadIfIdle(host, deadlines)
      // Usually this deadline is the time at which a `committed` message was to be sent, and the message has already been sent
      // together with entries. A turn of the session would send nothing, but would cost as much as sending an entry to all
      // members.
      if host.session.needsTurn(now: now) || host.presenceDue.map({ $0 <= now }) ?? false {
        broadcaster.touch(host)
      } else {
        // Every deadline of the session that has passed is handled by now, so the next deadline is in the future. If the next
        // deadline were in the past, this loop would never end.
        schedule(host, deadlines)
      }
    }
  }

  /// Frees memory of idle sessions, and lets sessions accept data again when there is room. Called twice a second.
  func sweep() {
    persister.reportRefusingSessions()
    broadcaster.sweep()
  }
}
