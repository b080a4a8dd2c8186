internal import FoundationEssentials
internal import SessionCore
internal import Storage
internal import Transport
internal import Wire

/// What sessions hold goes to the disk: of all that something was said to, in one batch every few milliseconds.
///
/// One batch of a reactor is under way at a time, so that a log is written in the order of its session.
extension Reactor {
  /// How long what was said may wait to be written together with more.
  private static let saveInterval = Duration.milliseconds(50)
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
    guard shared.store != nil, hosted.session.hasUnsaved, !hosted.saving.isSealed else { return }
    queueSave(hosted, at: now + Self.saveInterval)
  }

  /// Waits until everything that the session holds by now is on the disk.
  ///
  /// - Returns: whether it is; not when the disk does not take it.
  func saved(_ hosted: Hosted) async -> Bool {
    guard shared.store != nil else { return true }
    guard hosted.session.hasUnsaved || hosted.saving.isInFlight else { return true }
    return await nextSave(of: hosted)
  }

  /// Writes the last record of a log, behind everything else.
  ///
  /// - Returns: whether it is on the disk, and the last one: something that was said meanwhile goes behind `closed`, and nowhere
  ///   behind `end`.
  func seal(_ hosted: Hosted, with closing: SavingState.Closing) async -> Bool {
    guard shared.store != nil else { return true }
    hosted.saving.closing = closing
    let isSaved = await nextSave(of: hosted)
    if !isSaved { hosted.saving.closing = nil }
    return isSaved && hosted.saving.isSealed
  }

  /// Has what a session holds written with the next batch.
  func saveAtOnce(_ hosted: Hosted) {
    guard shared.store != nil, hosted.session.hasUnsaved, !hosted.saving.isSealed else { return }
    queueSave(hosted, at: .distantPast)
  }

  /// Has the last record of a session written with the next batch.
  func prepareToClose(_ hosted: Hosted) {
    guard shared.store != nil, !hosted.saving.isSealed else { return }
    hosted.saving.closing = .closed
    queueSave(hosted, at: .distantPast)
  }

  private func nextSave(of hosted: Hosted) async -> Bool {
    await withCheckedContinuation { continuation in
      hosted.saving.waiters.append(
        SavingState.Waiter(sequence: hosted.session.sequence, continuation: continuation))
      queueSave(hosted, at: .distantPast)
      loop.wake()
    }
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
    Task {
      finishSaving(items, await store.append(appends))
    }
  }

  /// What one session gives to the batch.
  private func nextItem(of hosted: Hosted) -> (SavingItem, [SessionRecord])? {
    let session = hosted.session
    let unsaved = session.takeUnsaved()
    var records = unsaved?.records ?? []
    let reached = unsaved?.sequence ?? session.sequence
    let closing = closing(of: hosted, behind: unsaved)
    if let closing { records.append(record(of: closing, session)) }
    var waiters: [SavingState.Waiter] = []
    if closing != nil || hosted.saving.closing == nil {
      waiters = hosted.saving.waiters.filter { $0.sequence <= reached }
      hosted.saving.waiters.removeAll { $0.sequence <= reached }
    }
    guard !records.isEmpty else {
      // Nothing was left to be written.
      for waiter in waiters { waiter.continuation.resume(returning: true) }
      return nil
    }
    if closing != nil { hosted.saving.isSealed = true }
    hosted.saving.isInFlight = true
    return (SavingItem(hosted: hosted, unsaved: unsaved, closing: closing, waiters: waiters), records)
  }

  /// The last record, if it is its turn: `closed` says that all else is on the disk, and is written when it is.
  private func closing(of hosted: Hosted, behind unsaved: Unsaved?) -> SavingState.Closing? {
    switch hosted.saving.closing {
    case .closed: unsaved == nil ? .closed : nil
    case .end(let number):
      (unsaved?.sequence ?? hosted.session.sequence) == hosted.session.sequence ? .end(number) : nil
    case nil: nil
    }
  }

  /// Made as late as can be: it tells how things stand when it is written.
  private func record(of closing: SavingState.Closing, _ session: Session) -> SessionRecord {
    switch closing {
    case .closed: session.closedRecord(generation: shared.generation, date: .now)
    case .end(let number): session.endRecord(by: number, date: .now)
    }
  }

  private func finishSaving(_ items: [SavingItem], _ outcomes: [LogOutcome]) {
    now = .now()
    isSaving = false
    var failure: StorageError?
    for (item, outcome) in zip(items, outcomes) {
      item.hosted.saving.isInFlight = false
      switch outcome.result {
      case .success(let length): didSave(item, length)
      case .failure(let error):
        failure = error
        didNotSave(item, error)
      }
    }
    noteDisk(failure)
    counters.saves += 1
    loop.wake()
  }

  private func didSave(_ item: SavingItem, _ length: Int) {
    let hosted = item.hosted
    hosted.saving.logBytes = length
    if let unsaved = item.unsaved {
      hosted.session.didSave(unsaved, now: instant)
      counters.savedBytes += UInt64(unsaved.byteCount)
    }
    if item.closing != nil { hosted.saving.closing = nil }
    // What was said while the last record was written goes behind it: then it is not the last one.
    if case .closed = item.closing, hosted.session.hasUnsaved { hosted.saving.isSealed = false }
    countUnsaved(hosted)
    for waiter in item.waiters { waiter.continuation.resume(returning: true) }
    afterSaving(hosted)
    if hosted.session.hasUnsaved || hosted.saving.closing != nil, !hosted.saving.isSealed {
      queueSave(hosted, at: hosted.saving.waiters.isEmpty ? now + Self.saveInterval : now)
    }
    compactIfUseful(hosted)
  }

  private func didNotSave(_ item: SavingItem, _ error: StorageError) {
    let hosted = item.hosted
    counters.saveFailures += 1
    if let unsaved = item.unsaved {
      hosted.session.didNotSave(unsaved, isFull: error.isFull, now: instant)
    }
    if item.closing != nil {
      hosted.saving.closing = nil
      hosted.saving.isSealed = false
    }
    countUnsaved(hosted)
    for waiter in item.waiters + hosted.saving.waiters { waiter.continuation.resume(returning: false) }
    hosted.saving.waiters = []
    afterSaving(hosted)
    if !hosted.isRemoved { queueSave(hosted, at: now + Self.retryInterval) }
  }

  private func afterSaving(_ hosted: Hosted) {
    guard !hosted.isRemoved else { return }
    touch(hosted)
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

  /// Says in the log when the disk begins to fail, and when it is well again.
  private func noteDisk(_ failure: StorageError?) {
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
