internal import Glibc
package import SessionCore
package import Wire

/// Functions that read logs, on any thread. Other code and other processes may write to the logs at the same time.
extension FolderStore {
  /// Opens a session's log for reading in its present state.
  /// - Throws: `StorageError` if there is no log.
  nonisolated package func log(of id: SessionID) throws(StorageError) -> LogSnapshot {
    try LogSnapshot(try disk.openFile(.current, of: id, toWrite: false))
  }

  /// Reads all readable records of a session's log, including records after damaged bytes.
  ///
  /// - Parameters:
  ///   - id: the session.
  ///   - body: receives the kind and body of each record in their order, except the store's own first record.
  /// - Returns: the end of the last complete record, and the damage before and after it.
  /// - Throws: `StorageError` if there is no log or it cannot be used. A log that ends within its first record is valid and has
  ///   no records.
  nonisolated package func read(
    _ id: SessionID, _ body: (UInt8, Span<UInt8>) throws(RecordError) -> Void
  ) throws(StorageError) -> LogEnd {
    try log(of: id).read { (record, bytes) throws(RecordError) in try body(record.kind, bytes) }
  }

  nonisolated package func readRecords(
    of id: SessionID, _ body: (UInt8, Span<UInt8>) throws(RecordError) -> Void, lost: (Int) -> Void
  ) throws(StorageError) -> LogReading {
    LogReading(
      try log(of: id).read(
        { (record, bytes) throws(RecordError) in try body(record.kind, bytes) }, skipped: lost))
  }

  nonisolated package func summary(of id: SessionID) throws(StorageError) -> LogSummary {
    let log = try log(of: id)
    let last = try log.last()
    return LogSummary(
      last: last.map { ($0.kind, $0.body) }, modified: log.modified, byteCount: log.length)
  }

  nonisolated package func header(of id: SessionID) throws(StorageError) -> [UInt8]? {
    try log(of: id).first(.session)
  }

  /// Finds the last record of a log from the end of the file, and reads no other records.
  /// - Returns: nil if the log has no records, or the last one is incomplete.
  /// - Throws: `StorageError` if there is no log or it cannot be used.
  nonisolated package func lastRecord(of id: SessionID) throws(StorageError) -> LastRecord? {
    try log(of: id).last()
  }

  /// Appends a record to the log of a session that is not open. A command calls this while a gateway has locked the folder. The
  /// record is on the disk when this function returns.
  ///
  /// - Parameters:
  ///   - record: the record to write.
  ///   - id: a session whose log the gateway does not write to.
  ///   - isWanted: receives the last record; returns true if the new record is to be written. The log is locked during this call,
  ///     so no other call of `append` can add a record.
  /// - Returns: true when the record was written.
  /// - Throws: `StorageError` without writing: EWOULDBLOCK while another process appends to the log or replaces it, ESTALE if
  ///   another process has just replaced the log.
  nonisolated package func append(
    _ record: SessionRecord, toClosed id: SessionID, if isWanted: (LastRecord) -> Bool
  ) throws(StorageError) -> Bool {
    let file = try disk.openFile(.current, of: id, toWrite: true)
    try file.lock()
    // Another process may have replaced the log file before this process locked it. The opened file and the present file then
    // have different times of the last change.
    guard try disk.openFile(.current, of: id, toWrite: false).information() == file.information() else {
      throw StorageError(.openLog, code: ESTALE)
    }
    // The last record is read under the lock. Before this process had the lock, another process may have appended records, so a
    // last record that was read earlier may be outdated.
    let kept = try LogSnapshot(file)
    guard let tail = try kept.tail() else { throw StorageError(.writeLog, code: EBADMSG) }
    guard isWanted(kept.record(tail)) else { return false }
    let end = OpenLog.Position(length: kept.length, chain: tail.chain)
    let log = OpenLog(id, file, end: end, marks: LogMarks())
    var room: [UInt8] = []
    do throws(StorageError) {
      try log.write([record], &room)
      try file.sync()
      return true
    } catch {
      log.cut(back: end)
      throw error
    }
  }

  nonisolated package func byteCount(of id: SessionID) throws(StorageError) -> Int? {
    do throws(StorageError) {
      return try disk.openFile(.current, of: id, toWrite: false).information().length
    } catch {
      guard error.isMissing else { throw error }
      return nil
    }
  }

  /// Returns the names and lengths of the files with a log's damaged bytes. Omits files whose loss the operator has accepted.
  nonisolated package func damage(of id: SessionID) throws(StorageError) -> [(name: LogName, length: Int)] {
    var found: [(name: LogName, length: Int)] = []
    for number in 1...CorruptTail.most {
      do throws(StorageError) {
        let name = LogName.damaged(number)
        found.append((name, try disk.openFile(name, of: id, toWrite: false).information().length))
      } catch {
        guard error.isMissing else { throw error }
      }
    }
    return found
  }

  /// Accepts the loss of damaged bytes: renames the files that contain them. The change is on the disk when this function
  /// returns.
  nonisolated package func accept(_ name: LogName, of id: SessionID) throws(StorageError) {
    let damaged = try disk.openFile(name, of: id, toWrite: false)
    try CorruptTail.keep([0..<damaged.information().length], of: damaged, id, disk, as: LogName.accepted)
    try disk.syncNames(of: id)
    try disk.removeFile(name, of: id)
    try disk.syncNames(of: id)
  }

  nonisolated package func keepsDamage(of id: SessionID) -> Bool {
    // If the folder cannot be read, the function assumes that damaged bytes exist.
    do throws(StorageError) {
      return try !damage(of: id).isEmpty
    } catch {
      return true
    }
  }

  nonisolated package func holdsSession(_ id: SessionID) throws(StorageError) -> Bool {
    try disk.holdsSession(id)
  }

  nonisolated package func sessions() throws(StorageError) -> [SessionID] {
    try disk.sessions()
  }

  /// Returns the uploads and contents of a session in any order.
  nonisolated package func files(of id: SessionID) throws(StorageError) -> [StoredFile] {
    try disk.files(of: id)
  }
}

extension LogReading {
  /// Creates the result of reading a log.
  fileprivate init(_ end: LogEnd) {
    self.init(position: LogPosition(end), byteCount: end.length, changed: end.changed)
    faults = end.skipped.map { LogFault($0.isLost ? .lost : .repaired, $0.range) }
    if let damage = end.damage {
      faults.append(LogFault(damage == .torn ? .torn : .broken, end.offset..<end.length))
    }
  }
}
