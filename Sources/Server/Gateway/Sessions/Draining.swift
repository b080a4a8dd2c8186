internal import Primitives
internal import SessionCore
internal import Storage
internal import Networking
internal import Platform
internal import Wire

/// Stops a reactor cleanly: stores all entries, closes the sockets in batches, and finally writes each session's last record.
///
/// Every time limit is measured from the request to drain, so the gateway stops within 8 s, even if some steps have not finished.
final class Draining {
  /// The values and components that the `Draining` objects of all reactors share.
  struct Environment {
    let store: any SessionStore
    let generation: String
    let log: Log
    let progress: DrainProgress
    /// Wakes the loops of all reactors.
    let wakeReactors: () -> Void
    /// Stops all reactors.
    let stopReactors: () -> Void
  }

  /// The maximum time for storing all entries, before sockets are closed.
  private static let saveTime = Duration.seconds(2)
  /// The time after which the drain no longer waits for open sockets.
  private static let closeTime = Duration.milliseconds(4500)
  /// The time after which the drain no longer waits for the last records and the sync after them.
  private static let finishTime = Duration.milliseconds(7300)
  /// The number of sockets that the drain closes in one batch, and the time between two batches.
  private static let socketsPerBatch = 128
  private static let batchInterval = Duration.milliseconds(20)
  /// The maximum number of `closed` records that the drain writes for a session. `closed` must be the last record of the log, so
  /// it is written again if another record follows it.
  private static let closingRounds = 8

  private let environment: Environment
  private let io: ConnectionIO
  private let sessions: SessionTable
  private let broadcaster: Broadcaster
  private let persister: Persister
  private let tasks: LoopTasks
  private let clock: LoopClock
  /// The time of the request to drain; nil before the request.
  private var began: MonotonicTime?
  /// The time at which the next batch of sockets is closed.
  private var nextBatch = MonotonicTime.distantPast
  private var hasSentAllCloses = false
  private var isReadyToFinish = false
  private var isFinishing: Bool {
    get { sessions.isFinishing }
    set { sessions.isFinishing = newValue }
  }

  init(
    _ environment: Environment, _ io: ConnectionIO, _ sessions: SessionTable, tasks: LoopTasks,
    clock: LoopClock
  ) {
    self.environment = environment
    self.io = io
    self.sessions = sessions
    broadcaster = sessions.broadcaster
    persister = sessions.persister
    self.tasks = tasks
    self.clock = clock
  }

  private var now: MonotonicTime { clock.now }
  private var closeDeadline: MonotonicTime { (began ?? now) + Self.closeTime }

  /// True after the request to drain.
  var hasBegun: Bool { began != nil }

  /// The next time at which the drain has work to do; nil before the request to drain.
  var nextDeadline: MonotonicTime? {
    guard let began else { return nil }
    if isFinishing { return began + Self.finishTime }
    // This reactor is ready, and waits for the other reactors. The last reactor that becomes ready wakes the loops of all
    // reactors.
    if isReadyToFinish { return closeDeadline }
    // No connection is open, so the next step of the drain runs in the next turn, without a wait.
    if io.table.count == 0 { return .distantPast }
    return min(nextBatch, closeDeadline)
  }

  /// Begins the drain: closes each HTTP connection after its present request, and stores all entries.
  ///
  /// The gateway still accepts new connections, so that health checks get the answer that the gateway is not ready.
  func begin() {
    guard began == nil else { return }
    began = now
    nextBatch = now + Self.saveTime
    sessions.uploads.isStopping = true
    for connection in io.table.rows { connection?.handler?.drain() }
    func save() async {
      await storeAll()
      nextBatch = .distantPast
    }
    tasks.start(save)
  }

  /// Performs the steps that are due.
  ///
  /// - Returns: true when the maximum time for the drain is over. The reactor then has to stop.
  func performDueSteps() -> Bool {
    guard let began else { return false }
    guard !isFinishing else { return began + Self.finishTime <= now }
    if nextBatch <= now { closeSockets() }
    guard io.table.count == 0 || closeDeadline <= now || hasSentAllCloses && isQuiet else { return false }
    if !isReadyToFinish {
      isReadyToFinish = true
      if environment.progress.reportReady() { environment.wakeReactors() }
    }
    guard environment.progress.areAllReadyToFinish || closeDeadline <= now else { return false }
    isFinishing = true
    // Uploads are interrupted before the last records are written, because an interrupted upload changes its session.
    for connection in io.table.rows {
      if let connection, let handler = connection.handler, handler.isUploading { io.close(connection) }
    }
    tasks.start(finish)
    return false
  }

  private func closeSockets() {
    var left = Self.socketsPerBatch
    var isDone = true
    for socket in sessions.sockets.sockets where !socket.isClosing {
      guard left > 0 else {
        isDone = false
        break
      }
      left -= 1
      socket.disconnect(.restarting(retryAfterMs: sessions.sockets.restartDelayMs()))
    }
    hasSentAllCloses = isDone
    nextBatch = now + Self.batchInterval
  }

  /// True when every connection is idle: it waits for a request. A connection without a handler is not idle. It lingers until
  /// its last answer has arrived.
  private var isQuiet: Bool {
    io.table.rows.allSatisfy { connection in
      guard let connection else { return true }
      return connection.handler?.isQuiet ?? false
    }
  }

  private func storeAll() async {
    let all = sessions.all
    for host in all {
      broadcaster.endTurnAtOnce(of: host)
      persister.storeAtOnce(host)
    }
    for host in all { _ = await persister.waitUntilStored(host) }
  }

  // MARK: - Finishing

  private func finish() async {
    let isClean = await closeSessions()
    guard let isClean = environment.progress.reportFinished(isClean: isClean) else { return }
    await leaveMark(isClean: isClean)
    environment.stopReactors()
  }

  /// Writes the last record of every session.
  ///
  /// - Returns: true when the last records of all sessions are on the disk.
  private func closeSessions() async -> Bool {
    // Loads in progress finish first, so that the loaded sessions are closed too.
    await sessions.waitForLeases()
    let all = sessions.all
    for host in all { host.session.removeWaiting() }
    // Work in progress may write a record after `closed`. Then `closed` is not the last record, and is written again.
    for _ in 0..<Self.closingRounds where all.contains(where: { !isSealed($0) }) {
      let open = all.filter { !isSealed($0) }
      for host in open {
        host.session.endTurn(now: now)
        persister.writeClosedRecord(of: host)
      }
      for host in open where !isSealed(host) { _ = await sessions.close(host) }
    }
    return all.allSatisfy(isSealed)
  }

  /// True for a session that is completely on the disk with `closed` as its last record, and for an ended session.
  private func isSealed(_ host: SessionHost) -> Bool {
    host.isRemoved || host.lastRecord == .end || host.isClosed && host.session.isAtRest
  }

  /// Records a clean stop in the store, if the sessions of all reactors are on the disk. Otherwise logs an error.
  private func leaveMark(isClean: Bool) async {
    // If the last record of any session is missing, the next process must not treat this stop as clean.
    guard isClean else {
      environment.log(.error, "stop not clean", ["reason": "some sessions could not be written to the disk"])
      return
    }
    do throws(StorageError) {
      try await environment.store.syncAll()
      try await environment.store.recordCleanStop(environment.generation)
    } catch {
      environment.log(.error, "stop not clean", ["reason": "\(error)"])
    }
  }
}
