internal import Glibc
package import SessionCore
package import Wire

/// What is read of logs: on any thread, beside what is written and beside another process.
extension SessionStore {
  /// Reads a session's log up to the first record that fails its check.
  ///
  /// - Parameters:
  ///   - id: the session.
  ///   - body: is given each record's kind and body, in their order, the store's own first record left out.
  /// - Returns: where the last whole record ends, and what is wrong behind it.
  /// - Throws: `LogError` when there is no log or it cannot be used. A log that ends within its first record has no records,
  ///   and is no error.
  nonisolated package func read(
    _ id: SessionID, _ body: (UInt8, Span<UInt8>) throws(RecordError) -> Void
  ) throws(LogError) -> LogEnd {
    let (file, length) = try open(id)
    var end = LogEnd(offset: 0, chain: 0, length: length, marks: LogMarks(), damage: nil)
    guard try checkStart(of: file, length) else {
      end.damage = .torn
      return end
    }
    var reader = LogReader(file, from: LogFormat.firstRecord.count, chain: LogFormat.firstChain, to: length)
    while true {
      let (offset, chain) = (reader.offset, reader.chain)
      switch try Self.step(&reader) {
      case .record(let kind, let range):
        let record = reader.buffer.span.extracting(range)
        end.marks.note(kind, record, at: offset, chain: chain)
        do throws(RecordError) {
          try body(kind, record)
        } catch {
          throw .record(error)
        }
      case .end:
        (end.offset, end.chain) = (offset, chain)
        return end
      case .damage(let damage):
        (end.offset, end.chain, end.damage) = (offset, chain, damage)
        return end
      }
    }
  }

  /// The last record of a log, found from the file's end without reading the rest.
  ///
  /// - Returns: `nil` when the log does not end with a whole record, or holds none.
  /// - Throws: `LogError` when there is no log or it cannot be used.
  nonisolated package func lastRecord(of id: SessionID) throws(LogError) -> LastRecord? {
    let (file, length) = try open(id)
    guard try checkStart(of: file, length) else { return nil }
    return try last(of: file, length)?.record
  }

  /// Writes a record behind the last one of a session that nobody has open, from a process beside the one that keeps the
  /// folder; on the disk when this returns.
  ///
  /// - Parameters:
  ///   - record: what to write.
  ///   - id: a session whose log the other process does not write to.
  ///   - isWanted: whether to write, given the last record. While this is asked, nobody else who calls this comes between.
  /// - Returns: whether it was written.
  /// - Throws: `LogError`; nothing is then written. EWOULDBLOCK when somebody else does the same.
  nonisolated package func append(
    _ record: SessionRecord, toClosed id: SessionID, if isWanted: (LastRecord) -> Bool
  ) throws(LogError) -> Bool {
    let (file, length) = try open(id, toWrite: true)
    do throws(StorageError) {
      try file.lock()
    } catch {
      throw .file(error)
    }
    guard try checkStart(of: file, length), let last = try last(of: file, length) else {
      throw .file(StorageError(.writeLog, code: EBADMSG))
    }
    guard isWanted(last.record) else { return false }
    let end = OpenLog.Position(length: length, chain: last.chain)
    let log = OpenLog(id, file, end: end, marks: LogMarks())
    var room: [UInt8] = []
    do throws(StorageError) {
      try log.write([record], &room)
      try file.sync()
      return true
    } catch {
      log.cut(back: end)
      throw .file(error)
    }
  }

  /// How long the log of a session is in bytes; `nil` when there is none.
  nonisolated package func logLength(of id: SessionID) throws(StorageError) -> Int? {
    do throws(StorageError) {
      return try disk.openFile(.current, of: id, toWrite: false).information().length
    } catch {
      guard error.isMissing else { throw error }
      return nil
    }
  }

  /// The sessions on the disk, in no order.
  nonisolated package func sessions() throws(StorageError) -> [SessionID] {
    try disk.sessions()
  }

  /// What there is of a session's uploads and attachments, in no order.
  nonisolated package func files(of id: SessionID) throws(StorageError) -> [StoredFile] {
    try disk.files(of: id)
  }

  private nonisolated func open(
    _ id: SessionID, toWrite isWriting: Bool = false
  ) throws(LogError) -> (any SessionFile, length: Int) {
    do throws(StorageError) {
      let file = try disk.openFile(.current, of: id, toWrite: isWriting)
      return (file, try file.information().length)
    } catch {
      throw .file(error)
    }
  }

  /// The last record of a log, and its CRC.
  private nonisolated func last(
    of file: any SessionFile, _ length: Int
  ) throws(LogError) -> (record: LastRecord, chain: UInt32)? {
    do throws(StorageError) {
      guard let last = try LogTail.last(of: file, length: length), last.offset > 0 else { return nil }
      let modified = try file.information().modified
      return (LastRecord(kind: last.kind, body: last.body, modified: modified, length: length), last.chain)
    } catch {
      throw .file(error)
    }
  }

  /// Looks at the first record, whose frame is the same in every version.
  ///
  /// - Returns: false when the file ends within it.
  private nonisolated func checkStart(of file: any SessionFile, _ length: Int) throws(LogError) -> Bool {
    let expected = LogFormat.firstRecord
    var bytes = [UInt8](repeating: 0, count: min(length, expected.count))
    do throws(StorageError) {
      guard try file.read(into: &bytes, at: 0, count: bytes.count, from: 0) == bytes.count else {
        throw StorageError.shorter
      }
    } catch {
      throw .file(error)
    }
    if bytes == expected { return true }
    if bytes.count < expected.count, expected.starts(with: bytes) { return false }
    var reader = LogReader(file, from: 0, chain: 0, to: length)
    guard case .record(LogFormat.formatKind, let body) = try Self.step(&reader),
      body.count >= LogFormat.magic.count + 4,
      reader.buffer[body].starts(with: LogFormat.magic)
    else { throw .damagedStart }
    let version = reader.buffer.span.uint32(at: body.lowerBound + LogFormat.magic.count)
    guard version > LogFormat.version else { throw .damagedStart }
    throw .newerVersion(found: version, known: LogFormat.version)
  }

  private nonisolated static func step(_ reader: inout LogReader) throws(LogError) -> LogReader.Step {
    do throws(StorageError) {
      return try reader.next()
    } catch {
      throw .file(error)
    }
  }
}
