internal import Glibc
package import SessionCore
internal import Platform
package import Wire

/// The compaction of logs. The new log begins with records that replace all entries up to a sequence. Then it has the later
/// records of the old log. Records that arrive during the compaction are appended to the old log, and are copied to the new log
/// too. If the compaction fails, or the process ends before the rename, the old log stays unchanged.
extension FolderStore {
  /// The maximum number of syncs of the new log before its last part is copied. During each sync, more records are appended to
  /// the old log. Without this maximum, a busy session might never finish its compaction.
  private static let rounds = 4

  package func beginCompaction(_ id: SessionID, _ plan: CompactionPlan) throws(StorageError) {
    try beginCompaction(id, plan.head, through: plan.through)
  }

  /// Begins a new log. A compaction in progress is abandoned.
  ///
  /// - Parameters:
  ///   - id: a session that this store owns.
  ///   - head: the records of the session's present state, without entries.
  ///   - sequence: the last sequence that the `base` records cover.
  /// - Throws: `StorageError`; then no compaction is in progress.
  package func beginCompaction(
    _ id: SessionID, _ head: [SessionRecord], through sequence: UInt64
  ) throws(StorageError) {
    abandonCompaction(id)
    let log = try openLog(id)
    // The copy starts at the run that contains the entry after `sequence`, or at an earlier run. The head and the `base` records
    // replace all records before this run.
    let mark = log.marks.mark(before: sequence + 1)
    let start = mark.map { OpenLog.Position(length: $0.offset, chain: $0.chain) } ?? log.end
    do throws(StorageError) {
      // A crash or a failed removal may have left this file.
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
  /// - Throws: `StorageError`; ECANCELED without a compaction in progress. An error ends the compaction.
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
  /// - Throws: `StorageError`; ECANCELED if the compaction was abandoned. After an error, the store continues with the old log.
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

  /// Abandons the new log. Succeeds if there is no compaction.
  package func abandonCompaction(_ id: SessionID) {
    guard let compaction = compactions.removeValue(forKey: id) else { return }
    removeNext(id)
    close(DeferredClose(compaction.abandon()))
  }

  /// Copies all records that exist now, and lets other calls run between the slices. Records that are appended later need no sync
  /// if the durability is `process`: they are so recent that a power cut may lose them anyway.
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

  /// Replaces the old log without a suspension point, so that no records are appended between the last copy and the rename.
  private func replace(_ id: SessionID, _ compaction: Compaction) throws(StorageError) -> Int {
    let log = try current(id, compaction)
    guard let old = log.file else { throw StorageError(.compactLog, code: EBADF) }
    while compaction.copied.length < log.end.length {
      try compaction.copySlice(of: old, to: log.end.length)
    }
    // Records that were reported as stored must be on the disk in the new file before the rename removes the old file.
    let new = try compaction.open()
    if durability == .full { try new.sync() }
    do throws(StorageError) {
      try disk.replaceLog(of: id)
    } catch {
      // A rename that reported a failure may have been performed.
      log.close(maybeReplacedBy: compaction.end, compaction.marks)
      throw error
    }
    compactions[id] = nil
    let replaced = log.replace(with: new, end: compaction.end, marks: compaction.marks)
    close(DeferredClose(replaced))
    // The next sync of the log also writes the name of the new file to the disk.
    log.hasNewName = true
    return log.end.length
  }

  /// Returns the log of a session. Throws ECANCELED if `compaction` is no longer the compaction in progress.
  private func current(_ id: SessionID, _ compaction: Compaction) throws(StorageError) -> OpenLog {
    guard compactions[id] === compaction else { throw StorageError(.compactLog, code: ECANCELED) }
    return try openLog(id)
  }

  /// Closes a removed file on another thread, because the file system may need a long time to free the file's space.
  private func close(_ file: DeferredClose) {
    Task { try await runDetached { () throws(StorageError) in file.close() } }
  }

  private func removeNext(_ id: SessionID) {
    // A file that could not be removed uses space until the next opening or compaction.
    try? disk.removeFile(.next, of: id)
  }
}

/// The last reference to a file, used to close the file on a chosen thread.
private final class DeferredClose: Sendable {
  private let file: Guarded<(any SessionFile)?>

  init(_ file: (any SessionFile)?) {
    self.file = Guarded(file)
  }

  func close() {
    // The reference is moved out of `file`, so that the file is closed after the lock is released.
    _ = file.withLock { file in
      defer { file = nil }
      return file
    }
  }
}
