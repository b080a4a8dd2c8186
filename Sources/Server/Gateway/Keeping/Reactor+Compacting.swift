internal import Primitives
internal import SessionCore
internal import Storage
internal import Platform

/// Logs that hold mostly what is superseded are written anew, in the background: nobody waits for it.
extension Reactor {
  /// How many logs of a reactor are written anew at a time: others ask again with their next batch.
  private static let compactionsAtOnce = 2
  /// How long after a failure it is tried again.
  private static let compactionPause = Duration.seconds(30)

  /// Begins to write a session's log anew, if that would make it much shorter.
  func compactIfUseful(_ hosted: Hosted) {
    guard let store = shared.store, compacting < Self.compactionsAtOnce, !hosted.saving.isCompacting,
      hosted.saving.last == .open,
      !hosted.isRemoved,
      hosted.session.shouldCompact(logBytes: hosted.saving.logBytes),
      hosted.saving.compactAgainAt.map({ $0 <= now }) ?? true
    else { return }
    hosted.saving.isCompacting = true
    compacting += 1
    hosted.tasksInHand += 1
    Task {
      do throws(StorageError) {
        try await compact(hosted, store)
      } catch {
        await store.abandonCompaction(hosted.session.id)
        shared.log(
          .warning, "log not compacted", ["session": .session(hosted.session.id), "reason": "\(error)"])
        hosted.saving.compactAgainAt = .now() + Self.compactionPause
      }
      hosted.saving.isCompacting = false
      compacting -= 1
      done(with: hosted)
    }
  }

  private func compact(_ hosted: Hosted, _ store: SessionStore) async throws(StorageError) {
    let id = hosted.session.id
    let before = hosted.saving.logBytes
    let plan = hosted.session.beginCompaction()
    try await store.beginCompaction(id, plan.head, through: plan.through)
    var after: UInt64 = 0
    // A slice a turn: what is retained may be much, and drawing goes on meanwhile.
    while !hosted.isRemoved,
      let slice = hosted.session.compactionSlice(after: after, through: plan.through)
    {
      after = slice.last
      try await store.addToCompaction(id, [slice.record])
    }
    // A slice leaves out what died meanwhile: what it died of has to be on the disk before the old log goes.
    guard !hosted.isRemoved, await saved(hosted), !hosted.isRemoved else {
      await store.abandonCompaction(id)
      return
    }
    let length = try await store.finishCompaction(id)
    hosted.saving.logBytes = length
    reportBytes(of: hosted)
    counters.values.compactions += 1
    shared.log(
      .debug, "log compacted",
      ["session": .session(id), "before": .number(before), "bytes": .number(length)])
  }
}
