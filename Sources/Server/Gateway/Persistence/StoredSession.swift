internal import FoundationEssentials
internal import Primitives
internal import SessionCore
internal import Storage
internal import Wire

/// A session of a reactor, with its log's state: the length, the last record, and the records that wait to be stored.
///
/// `Persister` and `Compactor` change this state. The owner of the session sets `isRemoved` and `isFlushing`.
class StoredSession {
  /// The last record of a session's log.
  enum LastRecord: Equatable {
    /// Any record except `closed` and `end`: the session is in use.
    case open
    /// The `closed` record, which states that the whole session is stored. More records follow if the session is used again.
    case closed
    /// The `end` record. No record follows it.
    case end
  }

  /// A final record that is to be written.
  final class FinalRecord {
    enum Kind {
      case closed
      /// The end of the session. The value is the participant that ended it, if any.
      case end(by: ParticipantNumber?)
    }

    let kind: Kind
    fileprivate var waiters: [CheckedContinuation<Bool, Never>] = []

    fileprivate init(_ kind: Kind) {
      self.kind = kind
    }
  }

  /// A caller that waits until the records up to a sequence are stored.
  fileprivate struct Waiter {
    let sequence: UInt64
    let continuation: CheckedContinuation<Bool, Never>
  }

  /// The records of a session in one batch, with the callers that wait for them.
  struct Batch {
    let stored: StoredSession
    /// The number of this batch among all batches of the session.
    let number: UInt64
    let records: [SessionRecord]
    let unsaved: Unsaved?
    fileprivate let finalRecord: FinalRecord?
    fileprivate let waiters: [StoredSession.Waiter]
  }

  /// The maximum time for which a batch is postponed. While a session sends the entries of a turn to its members, its batch is
  /// postponed, so that the members do not wait. Without this limit, a session that sends entries in every turn might never be
  /// saved.
  private static let longestPostponement = Duration.milliseconds(100)

  final let id: SessionID
  /// True when the session is in a store on disk.
  final let isByStore: Bool
  final var session: Session
  /// True when the session has ended, expired or been unloaded. No more records are written for it, and the gauges no longer
  /// include it.
  final var isRemoved = false
  /// True while the entries of the session's last turn are being sent to the participants. Entries that arrive during this time
  /// belong to a later batch.
  final var isFlushing = false
  /// The time at which a batch was first postponed because the session was flushing; nil if no batch is postponed.
  final private var postponedSince: MonotonicTime?
  /// The length of the log in bytes.
  final var logBytes = 0
  /// True while `Persister` has the session in its list of sessions that refuse new data.
  final var isListedAsRefusing = false
  /// True while the log is being compacted.
  final var isCompacting = false
  /// The earliest time of the next compaction after a failed one; nil if none has failed.
  final var compactAgainAt: MonotonicTime?
  /// The extent of the session's history.
  final var history = HistoryExtent(byteCount: 0, through: 0)
  /// True if the history may have entries that the log does not have. The history is then neither extended nor served.
  final var hasUnusableHistory = false
  /// The earliest time at which a client's request may extend the history after a failed extension; nil if the last extension
  /// succeeded.
  final var extendHistoryAgainAt: MonotonicTime?
  /// True while the session is in the queue for the next batch.
  final var isQueued = false
  /// True while the session refuses new entries because the data folder is full.
  final var isRefusingData = false
  /// The unsaved bytes of the session that are included in the gauge of the gateway.
  final var countedUnsaved = 0
  final private(set) var lastRecord = LastRecord.open
  /// True while a batch with records of this session is being written.
  final private(set) var isInFlight = false
  /// The batch for which the store reported neither success nor failure; nil if there is none. The same batch is sent to the
  /// store again.
  final private var unanswered: Batch?
  final private var batchCount: UInt64 = 0
  final private var waiters: [Waiter] = []
  final private var finalRecord: FinalRecord?

  init(_ session: consuming Session) {
    id = session.id
    isByStore = session.isByStore
    self.session = session
  }

  /// True when the log ends with `closed` and no record is left to write. A session that is only in memory has no log to close.
  final var isClosed: Bool {
    !session.isByStore || lastRecord == .closed && !session.hasUnsaved && !isInFlight
  }

  /// True while a final record is requested and not yet stored.
  final var hasFinalRecord: Bool { finalRecord != nil }

  /// True when a caller waits for records of this session.
  final var hasWaiters: Bool { finalRecord != nil || !waiters.isEmpty }

  /// True when there is a record to write.
  final var hasRecords: Bool { session.hasUnsaved || hasWaiters }

  /// Waits until all present entries are stored. Returns false if storing them fails.
  final func wait(queueing: () -> Void) async -> Bool {
    await withCheckedContinuation { continuation in
      waiters.append(Waiter(sequence: session.sequence, continuation: continuation))
      queueing()
    }
  }

  /// Records that a batch is postponed, because the session is flushing.
  final func postponeBatch(now: MonotonicTime) {
    if postponedSince == nil { postponedSince = now }
  }

  /// Returns true if the session's batch has been postponed for at least a tenth of a second. The session must then not flush in
  /// this turn, so that the batch can be stored. If the batch is postponed again, the time is measured anew.
  final func takeOverdueBatch(now: MonotonicTime) -> Bool {
    guard let since = postponedSince, now - since >= Self.longestPostponement else { return false }
    postponedSince = nil
    return true
  }

  /// Waits until a final record is stored. Returns false if storing it fails.
  final func waitForFinalRecord(_ kind: FinalRecord.Kind, queueing: () -> Void) async -> Bool {
    // One caller may unload the session while another caller ends it. So this caller waits until the earlier final record is
    // written.
    while let earlier = finalRecord {
      _ = await withCheckedContinuation { earlier.waiters.append($0) }
    }
    guard lastRecord != .end, !isRemoved else { return false }
    let record = FinalRecord(kind)
    finalRecord = record
    return await withCheckedContinuation { continuation in
      record.waiters.append(continuation)
      queueing()
    }
  }

  /// Requests the record `closed`, without waiting for it.
  ///
  /// - Returns: false if a final record is requested already, or the log ends with `closed`.
  final func requestClosedRecord() -> Bool {
    guard finalRecord == nil, !isClosed else { return false }
    finalRecord = FinalRecord(.closed)
    return true
  }

  /// Removes and returns the records for the next batch.
  ///
  /// - Parameters:
  ///   - date: the present time, which is written after the entries; nil to write no time.
  ///   - makeFinalRecord: creates a final record. This closure is called after the other records were taken, because a final
  ///     record describes the session at that time.
  /// - Returns: the batch; a batch with an unknown outcome is returned again, unchanged. Nil if there is no record to write; in
  ///   this case, the waiting callers are resumed.
  final func takeBatch(
    at date: Date?, _ makeFinalRecord: (FinalRecord.Kind) -> SessionRecord
  ) -> Batch? {
    postponedSince = nil
    guard lastRecord != .end, !isRemoved else {
      // The session has ended or has been removed. So the records for which callers wait are never written, and the callers get
      // `false`.
      resumeAll(returning: false)
      return nil
    }
    if let unanswered { return unanswered }
    let unsaved = session.takeUnsaved(at: date)
    let reached = unsaved?.sequence ?? session.sequence
    var records = unsaved?.records ?? []
    let final = dueFinalRecord(behind: unsaved)
    if let final { records.append(makeFinalRecord(final.kind)) }
    // If a session has more unsaved bytes than fit into one batch, the callers that wait for its records are resumed by a later
    // batch.
    let isWhole = (unsaved?.byteCount ?? 0) < SessionRecord.runBytes
    let reachedWaiters = waiters.filter { isWhole && $0.sequence <= reached }
    waiters.removeAll { isWhole && $0.sequence <= reached }
    guard !records.isEmpty else {
      for waiter in reachedWaiters { waiter.continuation.resume(returning: true) }
      return nil
    }
    lastRecord = .open
    isInFlight = true
    batchCount += 1
    return Batch(
      stored: self, number: batchCount, records: records, unsaved: unsaved, finalRecord: final,
      waiters: reachedWaiters)
  }

  /// Returns the requested final record if the next batch must contain it; otherwise nil. The batch must contain a `closed`
  /// record if no other record is unsaved. It must contain an `end` record if it contains all other unsaved records.
  final private func dueFinalRecord(behind unsaved: Unsaved?) -> FinalRecord? {
    guard let finalRecord else { return nil }
    switch finalRecord.kind {
    case .closed: return unsaved == nil ? finalRecord : nil
    case .end: return (unsaved?.sequence ?? session.sequence) == session.sequence ? finalRecord : nil
    }
  }

  /// Records that the outcome of a batch is known.
  final func batchReturned() {
    isInFlight = false
    unanswered = nil
  }

  /// Remembers a batch with an unknown outcome, so that `takeBatch` returns this batch again.
  final func repeatLater(_ batch: Batch) {
    unanswered = batch
  }

  /// Records that the final record of a batch is stored, if the batch has one.
  final func didStoreFinalRecord(of batch: Batch) {
    guard let final = batch.finalRecord else { return }
    switch final.kind {
    case .closed: lastRecord = .closed
    case .end: lastRecord = .end
    }
    resume(final, returning: true)
  }

  /// Resumes the callers that wait for a batch, after it was stored.
  final func resumeWaiters(of batch: Batch) {
    for waiter in batch.waiters { waiter.continuation.resume(returning: true) }
  }

  /// Drops the requested final record, which could not be stored. Resumes the callers that wait for this record, with `false`.
  final func dropFinalRecord() {
    if let finalRecord { resume(finalRecord, returning: false) }
  }

  /// Resumes the callers that wait for a failed batch, and all callers that wait for later batches.
  final func resumeFailed(_ batch: Batch) {
    let all = batch.waiters + waiters
    waiters = []
    for waiter in all { waiter.continuation.resume(returning: false) }
  }

  final private func resumeAll(returning isStored: Bool) {
    let all = (unanswered?.waiters ?? []) + waiters
    unanswered = nil
    waiters = []
    for waiter in all { waiter.continuation.resume(returning: isStored) }
    if let finalRecord { resume(finalRecord, returning: isStored) }
  }

  final private func resume(_ record: FinalRecord, returning isStored: Bool) {
    finalRecord = nil
    for waiter in record.waiters { waiter.resume(returning: isStored) }
    record.waiters = []
  }
}
