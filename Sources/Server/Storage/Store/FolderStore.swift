internal import Glibc
package import SessionCore
package import Platform
internal import Primitives
package import Wire

/// The failure that stored records survive.
package enum Durability: Sendable {
  /// Stored records survive the end of the process, because they are in the kernel's cache. A power cut can lose them.
  case process
  /// Stored records survive a power cut, because they are on the disk.
  case full
}

/// A store of sessions in a folder, with a log file for each session.
///
/// A call blocks the thread of the executor for one write per log and, with `full`, one sync. Longer work runs on a thread of its
/// own, or in pieces with other calls between them. The folder's lock excludes other gateways, so that no other gateway can take
/// over a session.
package actor FolderStore: SessionStore {
  /// The default number of logs that are kept open.
  package static let defaultOpenFiles = 512

  let disk: any SessionDisk
  let durability: Durability
  /// The logs of the sessions that this store owns.
  var logs: [SessionID: OpenLog] = [:]
  var compactions: [SessionID: Compaction] = [:]
  let historyWork = HistoryWork()
  /// A buffer for the bytes of records.
  var room: [UInt8] = []
  private let executor: BlockingExecutor
  private var files: OpenFiles

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Creates a store over a disk.
  ///
  /// - Parameters:
  ///   - disk: the disk with the files. No other code writes to it.
  ///   - executor: the executor whose thread the calls block.
  ///   - durability: the kind of failure that stored records survive.
  ///   - openFiles: the number of logs that are kept open, at least 1. Other logs are closed, and opened again when they are
  ///     used.
  package init(
    _ disk: any SessionDisk, on executor: BlockingExecutor, durability: Durability,
    openFiles: Int = defaultOpenFiles
  ) {
    self.disk = disk
    self.executor = executor
    self.durability = durability
    files = OpenFiles(limit: openFiles)
  }

  package nonisolated var shardCount: Int { 1 }

  package nonisolated func shard(of id: SessionID) -> Int { 0 }

  package nonisolated func setLossHandler(_ handler: @escaping @Sendable (SessionID) -> Void) {}

  package func create(_ id: SessionID, _ records: [SessionRecord]) throws(StorageError) {
    guard logs[id] == nil else { throw StorageError(.makeSession, code: EEXIST) }
    let log: OpenLog
    do throws(StorageError) {
      log = try make(id, records)
    } catch {
      // Only the first error is reported. The next start removes the remaining files.
      try? disk.discardMadeSession(id)
      throw error
    }
    do throws(StorageError) {
      try disk.placeSession(id)
      if durability == .full { try disk.syncSessions() }
    } catch {
      // Only the first error is reported.
      try? disk.discardMadeSession(id)
      try? undoCreation(log)
      throw error
    }
    logs[id] = log
    use(log)
  }

  /// Removes a session whose creation failed, unless another session has its id.
  private func undoCreation(_ log: OpenLog) throws(StorageError) {
    let file = try disk.openFile(.current, of: log.id, toWrite: false)
    guard try file.information().length == log.end.length else { return }
    guard try LogTail.chain(of: file, at: log.end.length) == log.end.chain else { return }
    if try disk.moveSessionAway(log.id) { try disk.removeMovedSession(log.id) }
  }

  private func make(_ id: SessionID, _ records: [SessionRecord]) throws(StorageError) -> OpenLog {
    let file = try disk.makeSession(id)
    let log = OpenLog(id, file, end: try LogFormat.begin(file), marks: LogMarks())
    try log.write(records, &room)
    if durability == .full {
      try file.sync()
      try disk.syncMadeSession(id)
    }
    return log
  }

  /// Appends records: one write per log and, with `full`, one sync for all of them.
  package func append(_ batch: [LogAppend]) -> BatchOutcome {
    let start = MonotonicTime.now()
    var outcomes: [AppendOutcome] = []
    outcomes.reserveCapacity(batch.count)
    var written: [(index: Int, log: OpenLog, before: OpenLog.Position)] = []
    for (index, append) in batch.enumerated() {
      guard logs[append.id] != nil else {
        outcomes.append(.fenced)
        continue
      }
      do throws(StorageError) {
        let log = try openLog(append.id)
        let before = log.end
        if !append.records.isEmpty, log.lastAppend != append.number {
          try log.write(append.records, &room)
          written.append((index, log, before))
        }
        outcomes.append(.stored(byteCount: log.end.length))
      } catch {
        outcomes.append(.refused(error))
      }
    }
    if durability == .full, !written.isEmpty {
      do throws(StorageError) {
        try sync(written.map(\.log))
      } catch {
        // After a failed sync, it is unknown which bytes are lost, and another sync would not report their loss again. So all
        // records of this batch are removed.
        for (index, log, before) in written.reversed() {
          log.cut(back: before)
          outcomes[index] = .refused(error)
        }
        written = []
      }
    }
    for (index, log, _) in written { log.lastAppend = batch[index].number }
    return BatchOutcome(outcomes, duration: .now() - start)
  }

  private func sync(_ logs: [OpenLog]) throws(StorageError) {
    if logs.count == 1, let log = logs.first, let file = log.file {
      try file.sync()
      if log.hasNewName { try disk.syncNames(of: log.id) }
    } else {
      try disk.syncAll()
    }
    for log in logs { log.hasNewName = false }
  }

  package func adopt(
    _ id: SessionID, _ position: LogPosition, _ records: [SessionRecord]
  ) async throws(StorageError) -> Adoption {
    guard let end = position.value as? LogEnd else { throw StorageError(.openLog, code: EINVAL) }
    return .adopted(byteCount: try await adopt(id, end, records))
  }

  /// Opens a session's log for writing at the end of the last record that `read` found, and appends records. The records are
  /// stored when this function returns.
  ///
  /// An incomplete last record is cut off. A damaged log is replaced by a new log without the damaged bytes. Lost bytes are
  /// stored next to the log in `log.damaged-1` and so on.
  ///
  /// - Returns: the log's length in bytes.
  /// - Throws: `StorageError`: ESTALE if the log has changed after it was read, EWOULDBLOCK while a command writes to a damaged
  ///   log.
  package func adopt(
    _ id: SessionID, _ end: LogEnd, _ records: [SessionRecord]
  ) async throws(StorageError) -> Int {
    let file = try disk.openFile(.current, of: id, toWrite: true)
    // In a damaged log, the last CRC may be damaged too, so it is not compared here. `writeAnew` reads the whole log again.
    let chain = end.skipped.isEmpty ? try LogTail.chain(of: file, at: end.offset) : end.chain
    guard try file.information().length == end.length, chain == end.chain, logs[id] == nil else {
      throw StorageError(.openLog, code: ESTALE)
    }
    // A crash during a compaction may have left this file.
    try disk.removeFile(.next, of: id)
    let log: OpenLog
    if end.isDamaged {
      log = try await writeAnew(id, file, end, records)
    } else {
      log = OpenLog(
        id, file, end: OpenLog.Position(length: end.offset, chain: end.chain), marks: end.marks)
      if end.length > end.offset { try file.truncate(to: end.offset) }
      try log.write(records, &room)
    }
    if durability == .full {
      log.hasNewName = true
      try sync([log])
    }
    logs[id] = log
    use(log)
    return log.end.length
  }

  /// Replaces a damaged log with a new log. The new log contains the readable records of the damaged log, followed by `records`.
  ///
  /// The damaged log stays unchanged until the new log is renamed over it. The damaged log is locked first, so that no command
  /// writes to it during the copy.
  private func writeAnew(
    _ id: SessionID, _ damaged: any SessionFile, _ end: LogEnd, _ records: [SessionRecord]
  ) async throws(StorageError) -> OpenLog {
    try damaged.lock()
    defer { damaged.unlock() }
    guard try damaged.information().length == end.length else { throw StorageError(.openLog, code: ESTALE) }
    let whole = LogTransfer()
    do throws(StorageError) {
      try await runDetached { [disk] () throws(StorageError) in
        let copy = try Compaction(
          try disk.createFile(.next, of: id), start: OpenLog.Position(length: 0, chain: 0))
        try copy.copyReadable(of: damaged, expecting: end)
        try copy.add(records)
        let file = try copy.open()
        // Even with `process` durability, the new log is synced before it replaces the old log. Otherwise, a power cut could lose
        // records that were already on the disk in the old log.
        try file.sync()
        if !end.lost.isEmpty {
          try CorruptTail.keep(end.lost, of: damaged, id, disk)
        }
        whole.set(file, copy.end, copy.marks)
      }
      guard logs[id] == nil, let log = whole.open(id) else { throw StorageError(.openLog, code: ESTALE) }
      try disk.replaceLog(of: id)
      return log
    } catch {
      // Only the first error is reported. The next opening removes a `log.new` that is left.
      try? disk.removeFile(.next, of: id)
      throw error
    }
  }

  package func release(_ id: SessionID) {
    abandonCompaction(id)
    historyWork.forget(id)
    guard let log = logs.removeValue(forKey: id) else { return }
    files.forget(log)
    log.close()
  }

  /// Removes a session with all its files. The session is removed from the store immediately; then another thread deletes the
  /// files.
  package func remove(_ id: SessionID) async throws(StorageError) {
    release(id)
    guard try disk.moveSessionAway(id) else { return }
    try await runDetached { [disk] () throws(StorageError) in try disk.removeMovedSession(id) }
  }

  package func syncAll() async throws(StorageError) {
    try await runDetached { [disk] () throws(StorageError) in try disk.syncAll() }
  }

  package func recordCleanStop(_ generation: String) throws(StorageError) {
    try disk.recordCleanStop(generation)
  }

  /// Returns the log of a session, and opens its file if the file is closed.
  func openLog(_ id: SessionID) throws(StorageError) -> OpenLog {
    guard let log = logs[id] else { throw StorageError(.openLog, code: ENOENT) }
    if log.file == nil {
      do throws(StorageError) {
        try log.open(with: disk)
      } catch {
        guard error.isOutOfDescriptors, files.closeSome() else { throw error }
        try log.open(with: disk)
      }
    }
    use(log)
    return log
  }

  private func use(_ log: OpenLog) {
    files.use(log)
  }

  /// Runs work on a new thread, because the work may take a long time. The thread has a lower priority if `niceness` is above 0.
  func runDetached(
    niceness: CInt = 0, _ body: @escaping @Sendable () throws(StorageError) -> Void
  ) async throws(StorageError) {
    let result: Result<Void, StorageError> = await withCheckedContinuation { continuation in
      let run = { @Sendable () in
        do throws(StorageError) {
          try body()
          continuation.resume(returning: .success(()))
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
      do throws(SystemError) {
        // The thread is detached: if the store were stopped before the thread ends, no code could join the thread.
        let thread = try SystemThread(name: "store-long") {
          if niceness > 0 { SystemThread.prepare(niceness: niceness) }
          run()
        }
        thread.detach()
      } catch {
        // If no thread can be created, this thread does the work.
        run()
      }
    }
    try result.get()
  }
}

/// Transfers a log to the store from the thread that wrote it.
private final class LogTransfer: Sendable {
  private let log: Guarded<(file: any SessionFile, end: OpenLog.Position, marks: LogMarks)?> = Guarded(nil)

  func set(_ file: any SessionFile, _ end: OpenLog.Position, _ marks: LogMarks) {
    log.withLock { $0 = (file, end, marks) }
  }

  func open(_ id: SessionID) -> OpenLog? {
    log.withLock { log in log.map { OpenLog(id, $0.file, end: $0.end, marks: $0.marks) } }
  }
}
