internal import FoundationEssentials
internal import Networking
internal import Primitives
internal import SessionCore
internal import Storage
internal import Wire

/// Stores the records of a reactor's sessions in batches. A batch contains the new records of all sessions in one shard of the
/// store.
///
/// The batches of a shard are at least 100 ms apart, unless a caller waits until its records are stored. Only one batch of a
/// shard is in flight at a time, so that the records of each session are stored in their order.
final class Persister {
  /// The values and components that the persisters of all reactors share.
  struct Environment: Sendable {
    let store: any SessionStore
    let unsaved: UnsavedBytes
    let ledger: SessionLedger
    let disk: DiskMonitor
    let clock: GatewayClock
    /// The name of the period since the last end of the gateway without a clean stop. If a session's log was closed in this
    /// period, the session continues in the same epoch when it is loaded.
    let generation: String
    let log: Log
    /// The maximum number of stored bytes of a session's history; 0 if no history is kept.
    var historyBytes = 0
  }

  /// The time from the first unsaved entry to the batch that stores the entry, so that later entries can be stored in the same
  /// batch.
  private static let storeInterval = Duration.milliseconds(50)
  /// The minimum time between two batches of a shard, unless a caller waits. It limits the rate of `committed` messages. In a
  /// measurement at 60,000 entries a second, doubling this rate cost 4 % of the CPU.
  private static let batchInterval = Duration.milliseconds(100)
  /// The time from a failed batch to the next attempt.
  private static let retryInterval = Duration.seconds(1)
  /// When a session's unsaved bytes have grown by this number, they are added to the gateway's gauge immediately. Smaller growth
  /// is added when a batch returns. Large growth does not wait for a batch, because no batch returns while the disk hangs.
  private static let countedStep = 65_536
  /// The number of unsaved bytes above which a session's next batch follows the previous one without a pause.
  private static let backlogBytes = 262_144
  /// The time after which a client may repeat an entry that was refused because the data folder was full.
  private static let dataRetryMs: UInt64 = 5000

  /// The sessions of a shard that wait for the shard's next batch.
  private final class Shard {
    let number: Int
    let queue = TurnList<StoredSession>()
    /// The time of the next batch; nil when no session is in the queue.
    var storeAt: MonotonicTime?
    var lastBatchAt = MonotonicTime.distantPast
    var isInFlight = false

    init(number: Int) {
      self.number = number
    }
  }

  /// Called for each session of a batch when the outcome of the batch is known, even if the records were not stored.
  var didReturn: (StoredSession) -> Void = { _ in }
  /// Called after `didReturn` if the records were stored.
  var didStore: (StoredSession) -> Void = { _ in }
  /// Called when the store refused records of a session because this gateway does not own the session any more.
  var didLoseOwnership: (StoredSession) -> Void = { _ in }

  let environment: Environment
  /// The sessions that refuse new data.
  private var refusingSessions: [StoredSession] = []
  private let reactor: Int
  private let clock: LoopClock
  private let tasks: LoopTasks
  private let counters: ReactorCounters
  private let shards: [Shard]

  init(
    _ environment: Environment, reactor: Int, clock: LoopClock, tasks: LoopTasks, counters: ReactorCounters
  ) {
    self.environment = environment
    self.reactor = reactor
    self.clock = clock
    self.tasks = tasks
    self.counters = counters
    shards = (0..<environment.store.shardCount).map { Shard(number: $0) }
  }

  private var now: MonotonicTime { clock.now }

  /// The time of the next batch: the earliest among the shards without a batch in flight. Nil if none of these shards has a
  /// queued session.
  var nextDeadline: MonotonicTime? {
    var next: MonotonicTime?
    for shard in shards where !shard.isInFlight {
      if let storeAt = shard.storeAt { next = min(next ?? storeAt, storeAt) }
    }
    return next
  }

  // MARK: - Requests

  /// Queues a session's unsaved records for the next regular batch of its shard. `unsavedBytes` are the bytes of its log that are
  /// not on disk.
  func storeSoon(_ stored: StoredSession, unsavedBytes: Int) {
    let shard = shard(of: stored)
    enqueue(stored, in: shard, at: usualTime(of: shard))
    if unsavedBytes - stored.countedUnsaved >= Self.countedStep { countUnsaved(stored) }
  }

  /// Queues a session's unsaved entries for a batch that is written as soon as no other batch of the shard is in flight.
  func storeAtOnce(_ stored: StoredSession) {
    guard stored.session.hasUnsaved else { return }
    enqueue(stored, at: .distantPast)
  }

  /// Waits until everything that the session contains now is stored.
  ///
  /// - Returns: false if the disk does not accept the records, or the session has ended.
  func waitUntilStored(_ stored: StoredSession) async -> Bool {
    guard stored.session.hasUnsaved || stored.isInFlight else { return true }
    return await stored.wait { enqueue(stored, at: .distantPast) }
  }

  /// Writes the last record of a log, after all other records.
  ///
  /// - Returns: true if the record was stored. Entries that arrive while a `closed` record is being written are stored after it.
  ///   No record follows an `end` record.
  func writeFinalRecord(_ kind: StoredSession.FinalRecord.Kind, of stored: StoredSession) async -> Bool {
    // A session that is only in memory has no records.
    guard stored.isByStore else { return true }
    return await stored.waitForFinalRecord(kind) { enqueue(stored, at: .distantPast) }
  }

  /// Requests the `closed` record for the next batch, and returns immediately.
  func writeClosedRecord(of stored: StoredSession) {
    guard stored.requestClosedRecord() else { return }
    enqueue(stored, at: .distantPast)
  }

  /// Returns the refusal for a request whose change could not be stored.
  func refusalOfUnstored(_ stored: StoredSession) -> Refusal {
    // No record is written after an `end` record. So after this record a change fails because the session has ended, even if the
    // session is not marked as removed yet.
    stored.isRemoved || stored.lastRecord == .end ? .ended : .notSaved
  }

  // MARK: - Batches

  private func shard(of stored: StoredSession) -> Shard {
    shards[shards.count == 1 ? 0 : environment.store.shard(of: stored.id)]
  }

  /// The time of a batch that no caller waits for.
  private func usualTime(of shard: Shard) -> MonotonicTime {
    max(now + Self.storeInterval, shard.lastBatchAt + Self.batchInterval)
  }

  private func enqueue(_ stored: StoredSession, at time: MonotonicTime) {
    enqueue(stored, in: shard(of: stored), at: time)
  }

  private func enqueue(_ stored: StoredSession, in shard: Shard, at time: MonotonicTime) {
    if !stored.isQueued {
      stored.isQueued = true
      shard.queue.append(stored)
    }
    shard.storeAt = min(shard.storeAt ?? time, time)
  }

  /// Passes the next batch of each shard to the store when its time has come.
  func storeIfDue() {
    for shard in shards { storeIfDue(shard) }
  }

  private func storeIfDue(_ shard: Shard) {
    guard let due = shard.storeAt, due <= now, !shard.isInFlight else { return }
    shard.storeAt = nil
    var batches: [StoredSession.Batch] = []
    shard.queue.serve { stored, _ in
      stored.isQueued = false
      if stored.isFlushing {
        stored.postponeBatch(now: now)
        enqueue(stored, in: shard, at: now)
      } else if let batch = stored.takeBatch(
        at: environment.historyBytes > 0 ? environment.clock.date : nil, { record($0, of: stored) })
      {
        batches.append(batch)
      }
      return true
    }
    guard !batches.isEmpty else { return }
    shard.isInFlight = true
    shard.lastBatchAt = now
    store(batches, of: shard)
  }

  private func store(_ batches: [StoredSession.Batch], of shard: Shard) {
    let appends = batches.map {
      LogAppend(id: $0.stored.id, number: $0.number, records: $0.records)
    }
    func append() async {
      batchReturned(batches, await environment.store.append(appends), shard)
    }
    tasks.start(append)
  }

  private func record(_ kind: StoredSession.FinalRecord.Kind, of stored: StoredSession) -> SessionRecord {
    let date = environment.clock.date
    return switch kind {
    case .closed: stored.session.closedRecord(generation: environment.generation, now: now, date: date)
    case .end(let number): stored.session.endRecord(by: number, date: date)
    }
  }

  private func batchReturned(_ batches: [StoredSession.Batch], _ outcome: BatchOutcome, _ shard: Shard) {
    shard.isInFlight = false
    counters.values.appendTimes.count(outcome.duration)
    var failure: StorageError?
    var hasOtherFailure = false
    for (batch, outcome) in zip(batches, outcome.outcomes) {
      switch outcome {
      case .stored(let byteCount):
        batch.stored.batchReturned()
        didStore(batch, byteCount)
      case .refused(let error):
        // Some errors do not mean that the disk fails, for example when another program changed the log.
        if error.isOfDisk { failure = error } else { hasOtherFailure = true }
        batch.stored.batchReturned()
        didFail(batch, error)
      case .fenced:
        hasOtherFailure = true
        batch.stored.batchReturned()
        didLose(batch)
      case .unknown(let error):
        failure = error
        counters.values.saveFailures += 1
        // It is unknown if the records of this batch were stored. So the batch is repeated, and the callers that wait for it
        // continue to wait.
        batch.stored.repeatLater(batch)
        enqueue(batch.stored, at: now + Self.retryInterval)
      }
    }
    if failure != nil || !hasOtherFailure { reportDisk(failure) }
    counters.values.saves += 1
  }

  private func didStore(_ batch: StoredSession.Batch, _ byteCount: Int) {
    let stored = batch.stored
    setLogBytes(byteCount, of: stored)
    if let unsaved = batch.unsaved {
      stored.session.didSave(unsaved, now: now)
      counters.values.savedBytes += UInt64(unsaved.byteCount)
    }
    stored.didStoreFinalRecord(of: batch)
    countUnsaved(stored)
    stored.resumeWaiters(of: batch)
    didReturn(stored)
    if stored.hasRecords {
      let isUrgent = stored.hasWaiters || stored.session.unsavedBytes > Self.backlogBytes
      enqueue(stored, at: isUrgent ? now : usualTime(of: shard(of: stored)))
    }
    didStore(stored)
  }

  private func didFail(_ batch: StoredSession.Batch, _ error: StorageError) {
    let stored = batch.stored
    counters.values.saveFailures += 1
    if let unsaved = batch.unsaved {
      stored.session.didNotSave(unsaved, isFull: error.isFull, now: now)
    }
    stored.dropFinalRecord()
    countUnsaved(stored)
    stored.resumeFailed(batch)
    didReturn(stored)
    if !stored.isRemoved { enqueue(stored, at: now + Self.retryInterval) }
  }

  private func didLose(_ batch: StoredSession.Batch) {
    let stored = batch.stored
    counters.values.saveFailures += 1
    stored.dropFinalRecord()
    stored.resumeFailed(batch)
    didReturn(stored)
    if !stored.isRemoved { didLoseOwnership(stored) }
  }

  // MARK: - Bytes

  /// Sets the length of a session's log.
  func setLogBytes(_ bytes: Int, of stored: StoredSession) {
    stored.logBytes = bytes
    reportBytes(of: stored)
  }

  /// Updates a session's share of the gateway's gauge of unsaved bytes. While the gauge is over its limit, a session with unsaved
  /// bytes refuses new entries.
  func countUnsaved(_ stored: StoredSession) {
    let bytes = stored.isRemoved ? 0 : stored.session.unsavedBytes
    let isOverLimit = environment.unsaved.add(bytes - stored.countedUnsaved)
    stored.countedUnsaved = bytes
    stored.session.refusesGrowth = bytes > 0 && isOverLimit
  }

  /// Reports to the ledger how many bytes a session uses in the data folder. While the folder is full, the session refuses new
  /// entries.
  func reportBytes(of stored: StoredSession) {
    defer { listIfRefusing(stored) }
    guard !stored.isRemoved else { return }
    let (logBytes, historyBytes) = (stored.logBytes, stored.history.byteCount)
    var refusal = environment.ledger.report(
      stored.id, logBytes: logBytes, attachmentBytes: stored.session.attachmentBytes + historyBytes)
    // The entries of a session that is only in memory are not in the data folder. So a full data folder does not matter for such
    // a session.
    guard stored.isByStore, refusal != nil || stored.isRefusingData else { return }
    refusal?.retryAfterMs = Self.dataRetryMs
    stored.isRefusingData = refusal != nil
    stored.session.dataRefusal = refusal
  }

  /// Reports to the ledger the bytes of each session that refuses new data. If other sessions have become smaller or were
  /// removed, the data folder may have room now. The reported sessions then accept new data again.
  func reportRefusingSessions() {
    let sessions = refusingSessions
    refusingSessions = []
    for stored in sessions {
      stored.isListedAsRefusing = false
      reportBytes(of: stored)
    }
  }

  private func listIfRefusing(_ stored: StoredSession) {
    guard stored.isRefusingData, !stored.isRemoved, !stored.isListedAsRefusing else { return }
    stored.isListedAsRefusing = true
    refusingSessions.append(stored)
  }

  /// Informs the disk monitor about the result of a write. Logs when the disk begins to fail and when it works again.
  func reportDisk(_ failure: StorageError?) {
    switch environment.disk.recordBatch(failure: failure, of: reactor, now: now) {
    case .failing:
      guard let failure else { break }
      environment.log(.error, "sessions not saved", ["reason": "\(failure)"])
    case .recovered:
      environment.log(.info, "sessions saved again")
    case .unchanged:
      break
    }
  }
}
