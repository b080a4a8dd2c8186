internal import Glibc
package import SessionCore
internal import Platform
package import Wire

/// A log is written anew when it holds mostly what no longer counts: first what stands for all entries up to a sequence, then
/// the records of the old log from there on. Appends go on meanwhile, to the old log, and are taken over with the rest.
///
/// Until the new log has taken the old one's place nothing has happened: whatever fails before, or ends the process, leaves
/// the old log as it is.
extension FolderStore {
  /// How often what came while the new log was brought to the disk is brought there too before the last of it is copied.
  private static let rounds = 4

  package func beginCompaction(_ id: SessionID, _ plan: CompactionPlan) throws(StorageError) {
    try beginCompaction(id, plan.head, through: plan.through)
  }

  /// Begins to write a log anew; what was begun before is abandoned.
  ///
  /// - Parameters:
  ///   - id: a session that was created or adopted.
  ///   - head: what is known of it now, entries apart.
  ///   - sequence: up to where `base` records will stand for the entries.
  /// - Throws: `StorageError`; no compaction is then under way.
  package func beginCompaction(
    _ id: SessionID, _ head: [SessionRecord], through sequence: UInt64
  ) throws(StorageError) {
    abandonCompaction(id)
    let log = try openLog(id)
    // A run that holds the next sequence, or comes before it; the head says what stands before that.
    let mark = log.marks.mark(before: sequence + 1)
    let start = mark.map { OpenLog.Position(length: $0.offset, chain: $0.chain) } ?? log.end
    do throws(StorageError) {
      // Left by a crash, or by a failure to remove it.
      try disk.removeFile(.next, of: id)
      let compaction = try Compaction(try disk.createFile(.next, of: id), start: start)
      try compaction.add(head)
      compactions[id] = compaction
    } catch {
      removeNext(id)
      throw error
    }
  }

  /// Writes `base` records behind the head and those before.
  ///
  /// - Throws: `StorageError`; ECANCELED when no compaction is under way. Afterwards none is.
  package func addToCompaction(_ id: SessionID, _ records: [SessionRecord]) throws(StorageError) {
    guard let compaction = compactions[id] else { throw StorageError(.compactLog, code: ECANCELED) }
    do throws(StorageError) {
      try compaction.add(records)
    } catch {
      abandonCompaction(id)
      throw error
    }
  }

  /// Copies what follows from the old log, brings the new one to the disk and puts it in the old one's place.
  ///
  /// - Returns: the new log's length in bytes.
  /// - Throws: `StorageError`; ECANCELED when it was abandoned meanwhile. The old log then goes on.
  package func finishCompaction(_ id: SessionID) async throws(StorageError) -> Int {
    guard let compaction = compactions[id] else { throw StorageError(.compactLog, code: ECANCELED) }
    do throws(StorageError) {
      for _ in 0..<Self.rounds {
        try await copyAlmostAll(id, compaction)
        let file = try compaction.open()
        // May take seconds, and nobody has to wait for it.
        try await runDetached { () throws(StorageError) in try file.sync() }
        if try current(id, compaction).end.length - compaction.copied.length <= Compaction.slice { break }
      }
      return try replace(id, compaction)
    } catch {
      if compactions[id] === compaction { abandonCompaction(id) }
      throw error
    }
  }

  /// Lets go of what was written anew; fine when nothing was.
  package func abandonCompaction(_ id: SessionID) {
    guard let compaction = compactions.removeValue(forKey: id) else { return }
    removeNext(id)
    close(DeferredClose(compaction.letGo()))
  }

  /// Copies all there is, and lets others come between the slices: what is left then came after it, and is as new as what
  /// `process` may lose.
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

  /// Without a pause: nothing is appended between the last copy and the new name.
  private func replace(_ id: SessionID, _ compaction: Compaction) throws(StorageError) -> Int {
    let log = try current(id, compaction)
    guard let old = log.file else { throw StorageError(.compactLog, code: EBADF) }
    while compaction.copied.length < log.end.length {
      try compaction.copySlice(of: old, to: log.end.length)
    }
    // What was told to be on the disk is on the disk before the file that holds it loses its name.
    let new = try compaction.open()
    if durability == .full { try new.sync() }
    do throws(StorageError) {
      try disk.replaceLog(of: id)
    } catch {
      // Not everything that is told to have failed has not happened.
      log.close(maybeReplacedBy: compaction.end, compaction.marks)
      throw error
    }
    compactions[id] = nil
    let replaced = log.replace(with: new, end: compaction.end, marks: compaction.marks)
    close(DeferredClose(replaced))
    // The new name is on the disk before the next append is told to be.
    log.hasNewName = true
    return log.end.length
  }

  /// The log, if this is still the compaction of it.
  private func current(_ id: SessionID, _ compaction: Compaction) throws(StorageError) -> OpenLog {
    guard compactions[id] === compaction else { throw StorageError(.compactLog, code: ECANCELED) }
    return try openLog(id)
  }

  /// Closes a file without a name. That gives back its room, which may take long.
  private func close(_ file: DeferredClose) {
    Task { try await runDetached { () throws(StorageError) in file.close() } }
  }

  private func removeNext(_ id: SessionID) {
    // What stays takes room until the session is opened or compacted next.
    try? disk.removeFile(.next, of: id)
  }
}

/// The last reference to a file, let go of where it is wanted and not where its last holder happens to go.
private final class DeferredClose: Sendable {
  private let file: Guarded<(any SessionFile)?>

  init(_ file: (any SessionFile)?) {
    self.file = Guarded(file)
  }

  func close() {
    // Closed when this goes, outside of the lock.
    _ = file.withLock { file in
      defer { file = nil }
      return file
    }
  }
}
