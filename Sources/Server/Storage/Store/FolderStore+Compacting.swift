internal import Glibc
package import SessionCore
internal import Platform
package import Wire

/// Compactions: a new log begins with records that stand for all entries up to a sequence, followed by the records of
/// the old log from there on. Appends go to the old log meanwhile, and are copied with the rest.
/// A failure or the end of the process before the rename leaves the old log unchanged.
extension FolderStore {
  /// The most syncs of the new log before its last part is copied: records are appended to the old log during each
  /// sync.
  private static let rounds = 4

  package func beginCompaction(_ id: SessionID, _ plan: CompactionPlan) throws(StorageError) {
    try beginCompaction(id, plan.head, through: plan.through)
  }

  /// Begins a new log. A compaction in progress is abandoned.
  ///
  /// - Parameters:
  ///   - id: a session that this store owns.
  ///   - head: the records of its present state, except entries.
  ///   - sequence: the last sequence for which `base` records stand.
  /// - Throws: `StorageError`; there is then no compaction in progress.
  package func beginCompaction(
    _ id: SessionID, _ head: [SessionRecord], through sequence: UInt64
  ) throws(StorageError) {
    abandonCompaction(id)
    let log = try openLog(id)
    // A run that contains the next sequence, or begins before it; the head describes the state before that.
    let mark = log.marks.mark(before: sequence + 1)
    let start = mark.map { OpenLog.Position(length: $0.offset, chain: $0.chain) } ?? log.end
    do throws(StorageError) {
      // A crash or a failed removal may have left it.
      try disk.removeFile(.next, of: id)
      let compaction = try Compaction(try disk.createFile(.next, of: id), start: start)
      try compaction.add(head)
      compactions[id] = compaction
    } catch {
      removeNext(id)
      throw error
    }
  }

  /// Appends `base` records to the new log.
  /// - Throws: `StorageError`; ECANCELED without a compaction in progress. There is none afterwards.
  package func addToCompaction(_ id: SessionID, _ records: [SessionRecord]) throws(StorageError) {
    guard let compaction = compactions[id] else { throw StorageError(.compactLog, code: ECANCELED) }
    do throws(StorageError) {
      try compaction.add(records)
    } catch {
      abandonCompaction(id)
      throw error
    }
  }

  /// Copies the rest of the old log, syncs the new log, and replaces the old one.
  ///
  /// - Returns: the new log's length in bytes.
  /// - Throws: `StorageError`; ECANCELED if it was abandoned meanwhile. The old log then continues.
  package func finishCompaction(_ id: SessionID) async throws(StorageError) -> Int {
    guard let compaction = compactions[id] else { throw StorageError(.compactLog, code: ECANCELED) }
    do throws(StorageError) {
      for _ in 0..<Self.rounds {
        try await copyAlmostAll(id, compaction)
        let file = try compaction.open()
        // The sync may take seconds, so it does not block this store's thread.
        try await runDetached { () throws(StorageError) in try file.sync() }
        if try current(id, compaction).end.length - compaction.copied.length <= Compaction.slice { break }
      }
      return try replace(id, compaction)
    } catch {
      if compactions[id] === compaction { abandonCompaction(id) }
      throw error
    }
  }

  /// Abandons the new log. Succeeds if there is none.
  package func abandonCompaction(_ id: SessionID) {
    guard let compaction = compactions.removeValue(forKey: id) else { return }
    removeNext(id)
    close(DeferredClose(compaction.abandon()))
  }

  /// Copies all present records, with other calls between the slices. The rest was appended after this began, and is
  /// as new as records that `process` may lose.
  private func copyAlmostAll(_ id: SessionID, _ compaction: Compaction) async throws(StorageError) {
    while true {
      let log = try current(id, compaction)
      guard let old = log.file else { return }
      let isLast = log.end.length - compaction.copied.length <= Compaction.slice
      while compaction.copied.length < log.end.length {
        try compaction.copySlice(of: old, to: log.end.length)
        if !isLast { break }
      }
      if isLast { return }
      await Task.yield()
    }
  }

  /// Replaces the old log without a suspension, so that nothing is appended between the last copy and the rename.
  private func replace(_ id: SessionID, _ compaction: Compaction) throws(StorageError) -> Int {
    let log = try current(id, compaction)
    guard let old = log.file else { throw StorageError(.compactLog, code: EBADF) }
    while compaction.copied.length < log.end.length {
      try compaction.copySlice(of: old, to: log.end.length)
    }
    // Records that were reported as stored are on the disk before the old file loses its name.
    let new = try compaction.open()
    if durability == .full { try new.sync() }
    do throws(StorageError) {
      try disk.replaceLog(of: id)
    } catch {
      // A rename that reported a failure may have happened.
      log.close(maybeReplacedBy: compaction.end, compaction.marks)
      throw error
    }
    compactions[id] = nil
    let replaced = log.replace(with: new, end: compaction.end, marks: compaction.marks)
    close(DeferredClose(replaced))
    // The new name is synced with the next append.
    log.hasNewName = true
    return log.end.length
  }

  /// Returns the log, if this is still its compaction.
  private func current(_ id: SessionID, _ compaction: Compaction) throws(StorageError) -> OpenLog {
    guard compactions[id] === compaction else { throw StorageError(.compactLog, code: ECANCELED) }
    return try openLog(id)
  }

  /// Closes a file without a name. Freeing its room may take long.
  private func close(_ file: DeferredClose) {
    Task { try await runDetached { () throws(StorageError) in file.close() } }
  }

  private func removeNext(_ id: SessionID) {
    // A file that stays takes room until the next opening or compaction.
    try? disk.removeFile(.next, of: id)
  }
}

/// The last reference to a file, so that the file is closed on a chosen thread.
private final class DeferredClose: Sendable {
  private let file: Guarded<(any SessionFile)?>

  init(_ file: (any SessionFile)?) {
    self.file = Guarded(file)
  }

  func close() {
    // The file is closed behind the lock.
    _ = file.withLock { file in
      defer { file = nil }
      return file
    }
  }
}
