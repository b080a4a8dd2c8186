internal import Networking
internal import FoundationEssentials
internal import SessionCore
internal import Storage
internal import Platform
internal import Primitives
internal import Wire

/// What sessions hold goes to the disk: of all that something was said to, in one batch every few milliseconds.
///
/// One batch of a reactor is under way at a time, so that a log is written in the order of its session.
extension Reactor {
  /// How long what was said may wait to be written together with more.
  private static let saveInterval = Duration.milliseconds(50)
  /// How long after a batch the next one is made, unless somebody waits for it: `committed` is told as often at most, and writing
  /// twice as often cost 4 % of the CPU at 60,000 entries a second.
  private static let batchInterval = Duration.milliseconds(100)
  /// How long after a write that failed the next one is tried.
  private static let retryInterval = Duration.seconds(1)

  /// A session that a batch is made of, and what of it the batch holds.
  struct SavingItem {
    let hosted: Hosted
    let unsaved: Unsaved?
    let closing: SavingState.Closing?
    let waiters: [SavingState.Waiter]
  }

  /// Has what a session holds written soon, if there is something.
  func saveSoon(_ hosted: Hosted) {
    guard shared.store != nil, hosted.session.hasUnsaved else { return }
    queueSave(hosted, at: max(now + Self.saveInterval, batchedAt + Self.batchInterval))
    // A disk that hangs lets nothing come back from where it is counted else.
    if hosted.session.unsavedBytes - hosted.saving.countedUnsaved >= Self.countedStep { countUnsaved(hosted) }
  }

  private static let countedStep = 65_536
  /// From so many bytes on a session waits for no interval.
  private static let backlogBytes = 262_144

  /// Has what a session holds written with the next batch.
  func saveAtOnce(_ hosted: Hosted) {
    guard shared.store != nil, hosted.session.hasUnsaved else { return }
    queueSave(hosted, at: .distantPast)
  }

  /// Waits until everything that the session holds by now is on the disk.
  ///
  /// - Returns: whether it is; not when the disk does not take it, or the session is over.
  func saved(_ hosted: Hosted) async -> Bool {
    guard shared.store != nil else { return true }
    guard hosted.session.hasUnsaved || hosted.saving.isInFlight else { return true }
    return await withCheckedContinuation { continuation in
      hosted.saving.waiters.append(
        SavingState.Waiter(sequence: hosted.session.sequence, continuation: continuation))
      queueSave(hosted, at: .distantPast)
    }
  }

  /// What somebody is told for whom `saved` was not true: behind the end of a session nothing is written, and for a moment it
  /// is on the disk before all know of it.
  func notSaved(of hosted: Hosted) -> Refusal {
    hosted.isRemoved || hosted.saving.last == .end ? .ended : .notSaved
  }

  /// Writes the last record of a log, behind everything else.
  ///
  /// - Returns: whether it is on the disk. What is said meanwhile goes behind `closed`, and nowhere behind `end`.
  func seal(_ hosted: Hosted, with kind: SavingState.Closing.Kind) async -> Bool {
    guard shared.store != nil else { return true }
    // One wish at a time: of somebody who puts it away while another ends it each has its own record.
    while let earlier = hosted.saving.closing {
      _ = await withCheckedContinuation { earlier.waiters.append($0) }
    }
    guard hosted.saving.last != .end, !hosted.isRemoved else { return false }
    let closing = SavingState.Closing(kind)
    hosted.saving.closing = closing
    return await withCheckedContinuation { continuation in
      closing.waiters.append(continuation)
      queueSave(hosted, at: .distantPast)
    }
  }

  /// Has the record that says that all of a session is there written with the next batch.
  func prepareToClose(_ hosted: Hosted) {
    guard shared.store != nil, hosted.saving.closing == nil, !hosted.isClosed else { return }
    hosted.saving.closing = SavingState.Closing(.closed)
    queueSave(hosted, at: .distantPast)
  }

  private func queueSave(_ hosted: Hosted, at time: MonotonicTime) {
    if !hosted.saving.isQueued {
      hosted.saving.isQueued = true
      saveQueue.append(hosted)
    }
    saveAt = min(saveAt ?? time, time)
  }

  /// Hands the next batch to the storage thread, when its time has come.
  func saveIfDue() {
    guard let due = saveAt, due <= now, !isSaving, let store = shared.store else { return }
    saveAt = nil
    let queue = saveQueue
    saveQueue = []
    var items: [SavingItem] = []
    var appends: [LogAppend] = []
    for hosted in queue {
      hosted.saving.isQueued = false
      guard !hosted.isFlushing else {
        // What arrived since its last turn is for the next one.
        queueSave(hosted, at: now)
        continue
      }
      guard let (item, records) = nextItem(of: hosted) else { continue }
      items.append(item)
      appends.append(LogAppend(id: hosted.session.id, records: records))
    }
    guard !items.isEmpty else { return }
    isSaving = true
    batchedAt = now
    Task {
      finishSaving(items, await store.write(appends))
    }
  }

  /// What one session gives to the batch.
  private func nextItem(of hosted: Hosted) -> (SavingItem, [SessionRecord])? {
    let session = hosted.session
    guard hosted.saving.last != .end, !hosted.isRemoved else {
      // Nothing is written behind the end.
      giveUp(hosted)
      return nil
    }
    let unsaved = session.takeUnsaved()
    let reached = unsaved?.sequence ?? session.sequence
    var records = unsaved?.records ?? []
    let closing = closing(of: hosted, behind: unsaved)
    if let closing { records.append(record(of: closing, session)) }
    // Of more than one batch holds, nobody knows what is left for the next one.
    let isWhole = (unsaved?.byteCount ?? 0) < SessionRecord.runBytes
    let waiters = hosted.saving.waiters.filter { isWhole && $0.sequence <= reached }
    hosted.saving.waiters.removeAll { isWhole && $0.sequence <= reached }
    guard !records.isEmpty else {
      // Nothing was left to be written.
      for waiter in waiters { waiter.continuation.resume(returning: true) }
      return nil
    }
    hosted.saving.last = .open
    hosted.saving.isInFlight = true
    return (SavingItem(hosted: hosted, unsaved: unsaved, closing: closing, waiters: waiters), records)
  }

  /// Nobody waits any more for what is not going to be written.
  private func giveUp(_ hosted: Hosted) {
    let waiters = hosted.saving.waiters
    let closing = hosted.saving.closing
    hosted.saving.waiters = []
    hosted.saving.closing = nil
    for waiter in waiters { waiter.continuation.resume(returning: false) }
    for waiter in closing?.waiters ?? [] { waiter.resume(returning: false) }
  }

  /// The last record, if it is its turn: `closed` says that all else is on the disk, and is written when it is.
  private func closing(of hosted: Hosted, behind unsaved: Unsaved?) -> SavingState.Closing? {
    guard let closing = hosted.saving.closing else { return nil }
    switch closing.kind {
    case .closed:
      return unsaved == nil ? closing : nil
    case .end:
      return (unsaved?.sequence ?? hosted.session.sequence) == hosted.session.sequence ? closing : nil
    }
  }

  /// Made as late as can be: it tells how things stand when it is written.
  private func record(of closing: SavingState.Closing, _ session: Session) -> SessionRecord {
    let date = shared.removal.clock.date
    return switch closing.kind {
    case .closed: session.closedRecord(generation: shared.generation, now: instant, date: date)
    case .end(let number): session.endRecord(by: number, date: date)
    }
  }

  private func finishSaving(_ items: [SavingItem], _ batch: BatchOutcome) {
    isSaving = false
    counters.values.appendTimes.count(batch.writing)
    var failure: StorageError?
    var hasOther = false
    for (item, outcome) in zip(items, batch.logs) {
      item.hosted.saving.isInFlight = false
      switch outcome.result {
      case .success(let length): didSave(item, length)
      case .failure(let error):
        // One log that is not as it was left says nothing about the disk.
        if error.isOfDisk { failure = error } else { hasOther = true }
        didNotSave(item, error)
      }
    }
    if failure != nil || !hasOther { noteDisk(failure) }
    counters.values.saves += 1
  }

  private func didSave(_ item: SavingItem, _ length: Int) {
    let hosted = item.hosted
    hosted.saving.logBytes = length
    reportBytes(of: hosted)
    if let unsaved = item.unsaved {
      hosted.session.didSave(unsaved, now: instant)
      counters.values.savedBytes += UInt64(unsaved.byteCount)
    }
    if let closing = item.closing { finish(closing, of: hosted, isSaved: true) }
    countUnsaved(hosted)
    for waiter in item.waiters { waiter.continuation.resume(returning: true) }
    afterSaving(hosted)
    if hosted.session.hasUnsaved || hosted.saving.closing != nil || !hosted.saving.waiters.isEmpty {
      let isWaitedFor =
        hosted.saving.closing != nil || !hosted.saving.waiters.isEmpty
        || hosted.session.unsavedBytes > Self.backlogBytes
      queueSave(hosted, at: isWaitedFor ? now : max(now + Self.saveInterval, batchedAt + Self.batchInterval))
    }
    compactIfUseful(hosted)
  }

  private func didNotSave(_ item: SavingItem, _ error: StorageError) {
    let hosted = item.hosted
    counters.values.saveFailures += 1
    if let unsaved = item.unsaved {
      hosted.session.didNotSave(unsaved, isFull: error.isFull, now: instant)
    }
    if let closing = hosted.saving.closing { finish(closing, of: hosted, isSaved: false) }
    countUnsaved(hosted)
    let waiters = item.waiters + hosted.saving.waiters
    hosted.saving.waiters = []
    for waiter in waiters { waiter.continuation.resume(returning: false) }
    afterSaving(hosted)
    if !hosted.isRemoved { queueSave(hosted, at: now + Self.retryInterval) }
  }

  private func finish(_ closing: SavingState.Closing, of hosted: Hosted, isSaved: Bool) {
    hosted.saving.closing = nil
    if isSaved {
      switch closing.kind {
      case .closed: hosted.saving.last = .closed
      case .end: hosted.saving.last = .end
      }
    }
    for waiter in closing.waiters { waiter.resume(returning: isSaved) }
  }

  private func afterSaving(_ hosted: Hosted) {
    guard !hosted.isRemoved else { return }
    // What is to be told of it rides along with entries, or waits for its deadline: a turn of its own costs more than the write.
    if hosted.session.needsTurn { touch(hosted) }
    schedule(hosted)
  }

  /// Keeps the count of what all sessions hold that is not on the disk, and stops those from growing that hold some when it
  /// is too much.
  func countUnsaved(_ hosted: Hosted) {
    let held = hosted.isRemoved ? 0 : hosted.session.unsavedBytes
    let total = shared.holdUnsaved(held - hosted.saving.countedUnsaved)
    hosted.saving.countedUnsaved = held
    hosted.session.refusesGrowth = held > 0 && total > shared.limits.unsavedBytes
  }

  /// Reports what a session takes of the data folder, and stops it from growing while that is full.
  func reportBytes(of hosted: Hosted) {
    guard !hosted.isRemoved else { return }
    let id = hosted.session.id
    let (logBytes, attachmentBytes) = (hosted.saving.logBytes, hosted.session.attachmentBytes)
    shared.ledger.update(id) { account in
      account.isOpen = true
      account.logBytes = logBytes
      account.attachmentBytes = attachmentBytes
    }
    // Without a store entries are never on the disk.
    guard shared.store != nil else { return }
    hosted.session.dataRefusal = shared.ledger.refusalOfGrowth(of: id).map { refusal in
      var refusal = refusal
      refusal.retryAfterMs = Self.dataRetryMs
      return refusal
    }
  }

  /// The pause after which an entry that found no room may come again.
  private static let dataRetryMs: UInt64 = 5000

  /// Says in the log when the disk begins to fail, and when it is well again.
  func noteDisk(_ failure: StorageError?) {
    switch shared.disk.note(failure, of: number, now: now) {
    case .failing:
      guard let failure else { break }
      shared.log(.error, "sessions not saved", ["reason": "\(failure)"])
    case .well:
      shared.log(.info, "sessions saved again")
    case .same:
      break
    }
  }
}
