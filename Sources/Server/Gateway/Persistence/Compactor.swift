internal import SessionCore
internal import Networking
internal import Primitives
internal import Storage

/// Rewrites logs that consist mostly of superseded records, in the background.
final class Compactor {
  /// The maximum number of logs that one reactor compacts at the same time. If this number is reached, another session that needs
  /// compaction is checked again after its next batch.
  private static let concurrentCompactions = 2
  /// The minimum time between a failed compaction of a session and the next attempt.
  private static let retryInterval = Duration.seconds(30)

  /// Called when a compaction has ended.
  var didFinish: (StoredSession) -> Void = { _ in }

  private let persister: Persister
  private let history: HistoryExtender
  private let clock: LoopClock
  private let tasks: LoopTasks
  private let counters: ReactorCounters
  private var running = 0

  init(
    _ persister: Persister, _ history: HistoryExtender, clock: LoopClock, tasks: LoopTasks,
    counters: ReactorCounters
  ) {
    self.persister = persister
    self.history = history
    self.clock = clock
    self.tasks = tasks
    self.counters = counters
  }

  /// Begins to compact a session's log, if the log would become much shorter.
  func compactIfUseful(_ stored: StoredSession) {
    let store = persister.environment.store
    guard running < Self.concurrentCompactions, !stored.isCompacting,
      stored.lastRecord == .open, !stored.isRemoved,
      stored.session.shouldCompact(logBytes: stored.logBytes),
      stored.compactAgainAt.map({ $0 <= clock.now }) ?? true
    else { return }
    stored.isCompacting = true
    running += 1
    func compact() async {
      do throws(StorageError) {
        try await self.compact(stored, store)
      } catch {
        await store.abandonCompaction(stored.id)
        persister.environment.log(
          .warning, "log not compacted", ["session": .session(stored.id), "reason": "\(error)"])
        stored.compactAgainAt = clock.now + Self.retryInterval
      }
      stored.isCompacting = false
      running -= 1
      didFinish(stored)
    }
    tasks.start(compact)
  }

  private func compact(_ stored: StoredSession, _ store: any SessionStore) async throws(StorageError) {
    let before = stored.logBytes
    await history.extendBeforeCompaction(stored)
    guard !stored.isRemoved else { return }
    let plan = stored.session.beginCompaction()
    // The compaction may drop entries that arrived during the extension. The history must have these, too.
    if plan.through > stored.history.through { await history.extendAgain(stored) }
    guard !stored.isRemoved else { return }
    try await store.beginCompaction(stored.id, plan)
    var after: UInt64 = 0
    // A session may have many retained entries, so each iteration writes only one slice of them. Between two slices, the reactor
    // continues to serve the participants.
    while !stored.isRemoved, let slice = stored.session.compactionSlice(after: after, through: plan.through) {
      after = slice.last
      try await store.addToCompaction(stored.id, [slice.record])
    }
    // A slice omits entries that were superseded after the compaction began. The entries that supersede them must be stored
    // before the old log is removed.
    guard !stored.isRemoved, await persister.waitUntilStored(stored), !stored.isRemoved else {
      await store.abandonCompaction(stored.id)
      return
    }
    let byteCount = try await store.finishCompaction(stored.id)
    persister.setLogBytes(byteCount, of: stored)
    counters.values.compactions += 1
    persister.environment.log(
      .debug, "log compacted",
      ["session": .session(stored.id), "before": .number(before), "bytes": .number(byteCount)])
  }
}
