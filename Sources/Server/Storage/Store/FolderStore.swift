internal import Glibc
package import SessionCore
package import Platform
internal import Primitives
package import Wire

/// When what was written counts as kept.
package enum Durability: Sendable {
  /// When the kernel has it: it outlives the process.
  case process
  /// When the disk has it: it outlives a power cut.
  case full
}

/// Records to be written to one session's log.
package struct LogAppend: Sendable {
  /// Which session.
  package var id: SessionID
  /// What to write, in this order.
  package var records: [SessionRecord]

  /// Records for a log.
  package init(id: SessionID, records: [SessionRecord]) {
    self.id = id
    self.records = records
  }
}

/// What came of a `LogAppend`.
package struct LogOutcome: Sendable {
  /// Which session.
  package var id: SessionID
  /// The log's length in bytes, when all records are kept; else why none is.
  package var result: Result<Int, StorageError>
}

/// What came of a batch of appends.
package struct BatchOutcome: Sendable {
  /// What came of each, in their order.
  package var logs: [LogOutcome]
  /// How long the disk took for all of them.
  package var writing: Duration
}

/// Keeps what sessions say in a log each: appends, and says when that is safe.
///
/// It runs on its own executor, whose thread its calls block: each for one write a log and, with `full`, one sync. What may
/// take longer is done elsewhere, or in pieces between which others come.
package actor FolderStore {
  /// How many logs are kept open unless somebody says otherwise.
  package static let defaultOpenFiles = 512

  let disk: any SessionDisk
  let durability: Durability
  /// Logs that are written to, by session.
  var logs: [SessionID: OpenLog] = [:]
  var compactions: [SessionID: Compaction] = [:]
  /// Memory that records are put together in.
  var room: [UInt8] = []
  private let executor: BlockingExecutor
  private var files: OpenFiles

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// A store over a disk.
  ///
  /// - Parameters:
  ///   - disk: where the files are; nobody else writes there.
  ///   - executor: whose thread the calls block.
  ///   - durability: when what was written counts as kept.
  ///   - openFiles: how many logs are kept open, at least 1; more are closed and opened again as they are used.
  package init(
    _ disk: any SessionDisk, on executor: BlockingExecutor, durability: Durability,
    openFiles: Int = defaultOpenFiles
  ) {
    self.disk = disk
    self.executor = executor
    self.durability = durability
    files = OpenFiles(limit: openFiles)
  }

  /// Makes a session whose log holds these records, which are kept when this returns.
  ///
  /// - Throws: `StorageError`; nothing is then left of it. EEXIST when there is a session of that id.
  package func create(_ id: SessionID, _ records: [SessionRecord]) throws(StorageError) {
    guard logs[id] == nil else { throw StorageError(.makeSession, code: EEXIST) }
    let log: OpenLog
    do throws(StorageError) {
      log = try make(id, records)
    } catch {
      // What went wrong first is what is told; what is left goes with the next start.
      try? disk.discardMadeSession(id)
      throw error
    }
    do throws(StorageError) {
      try disk.placeSession(id)
      if durability == .full { try disk.syncSessions() }
    } catch {
      // As above.
      try? disk.discardMadeSession(id)
      try? takeBack(log)
      throw error
    }
    logs[id] = log
    use(log)
  }

  /// Removes a session that could not be made wholly, if it is there and no other.
  private func takeBack(_ log: OpenLog) throws(StorageError) {
    let file = try disk.openFile(.current, of: log.id, toWrite: false)
    guard try file.information().length == log.end.length else { return }
    guard try LogTail.chain(of: file, at: log.end.length) == log.end.chain else { return }
    if try disk.setSessionAside(log.id) { try disk.removeSessionSetAside(log.id) }
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

  /// Writes records to the logs of sessions that were created or adopted: one write a log and, with `full`, one sync for
  /// all of them.
  ///
  /// - Returns: what came of each, in the order of the appends. Of those that failed nothing is left, so that they can be
  ///   tried again.
  package func append(_ appends: [LogAppend]) -> [LogOutcome] {
    var outcomes: [LogOutcome] = []
    outcomes.reserveCapacity(appends.count)
    var written: [(index: Int, log: OpenLog, before: OpenLog.Position)] = []
    for (index, append) in appends.enumerated() {
      do throws(StorageError) {
        let log = try openLog(append.id)
        let before = log.end
        if !append.records.isEmpty {
          try log.write(append.records, &room)
          written.append((index, log, before))
        }
        outcomes.append(LogOutcome(id: append.id, result: .success(log.end.length)))
      } catch {
        outcomes.append(LogOutcome(id: append.id, result: .failure(error)))
      }
    }
    guard durability == .full, !written.isEmpty else { return outcomes }
    do throws(StorageError) {
      try sync(written.map(\.log))
    } catch {
      // What a failed sync has lost is not known: only what is written anew is told by the next one.
      for (index, log, before) in written.reversed() {
        log.cut(back: before)
        outcomes[index].result = .failure(error)
      }
    }
    return outcomes
  }

  /// The same, with how long it took on the thread.
  package func write(_ appends: [LogAppend]) -> BatchOutcome {
    let began = MonotonicTime.now()
    let outcomes = append(appends)
    return BatchOutcome(logs: outcomes, writing: .now() - began)
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

  /// Opens a session's log behind the last record that `read` found, and appends records, which are kept when this returns.
  ///
  /// An incomplete last record is cut off. A damaged log is written anew without the damaged bytes. Lost bytes are kept beside it
  /// as `log.damaged-1` and so on.
  ///
  /// - Returns: the log's length in bytes.
  /// - Throws: `StorageError`: ESTALE if the log changed since it was read, EWOULDBLOCK while a command writes to a damaged log.
  package func adopt(
    _ id: SessionID, _ end: LogEnd, _ records: [SessionRecord]
  ) async throws(StorageError) -> Int {
    let file = try disk.openFile(.current, of: id, toWrite: true)
    // In a damaged log the last CRC itself may be damaged: `writeAnew` reads the whole log again.
    let chain = end.skipped.isEmpty ? try LogTail.chain(of: file, at: end.offset) : end.chain
    guard try file.information().length == end.length, chain == end.chain, logs[id] == nil else {
      throw StorageError(.openLog, code: ESTALE)
    }
    // Left by a crash while it was written.
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

  /// Replaces a damaged log with a log of the readable records and the records that open the session.
  ///
  /// Nothing has changed until the new log has the name. The damaged log is locked until then, so that no command writes to it.
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
        // Synced with every durability, because the log that it replaces is on the disk.
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

  /// Lets go of a session's log; a compaction of it is abandoned.
  package func release(_ id: SessionID) {
    abandonCompaction(id)
    guard let log = logs.removeValue(forKey: id) else { return }
    files.forget(log)
    log.close()
  }

  /// Removes a session with all its files; fine when there is none. It is gone at once; its files go elsewhere.
  package func remove(_ id: SessionID) async throws(StorageError) {
    release(id)
    guard try disk.setSessionAside(id) else { return }
    try await runDetached { [disk] () throws(StorageError) in try disk.removeSessionSetAside(id) }
  }

  /// Waits until everything that was written is on the disk.
  package func syncAll() async throws(StorageError) {
    try await runDetached { [disk] () throws(StorageError) in try disk.syncAll() }
  }

  /// The log of a session, with its file open.
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

  /// Does what may take long on a thread of its own.
  func runDetached(
    _ body: @escaping @Sendable () throws(StorageError) -> Void
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
        // Whoever stops the store meanwhile leaves nobody who could join it.
        try SystemThread(name: "store-long", body: run).detach()
      } catch {
        // Without a thread to spare, this one waits.
        run()
      }
    }
    try result.get()
  }
}

/// A log on its way to the store from the thread that wrote it.
private final class LogTransfer: Sendable {
  private let log: Guarded<(file: any SessionFile, end: OpenLog.Position, marks: LogMarks)?> = Guarded(nil)

  func set(_ file: any SessionFile, _ end: OpenLog.Position, _ marks: LogMarks) {
    log.withLock { $0 = (file, end, marks) }
  }

  func open(_ id: SessionID) -> OpenLog? {
    log.withLock { log in log.map { OpenLog(id, $0.file, end: $0.end, marks: $0.marks) } }
  }
}
