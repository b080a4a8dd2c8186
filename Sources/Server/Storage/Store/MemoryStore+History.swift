internal import Glibc
package import SessionCore
package import Wire

/// The history of a session in memory.
extension MemoryStore {
  package func extendHistory(
    _ id: SessionID, _ policy: HistoryPolicy
  ) throws(StorageError) -> HistoryExtent {
    let session = try owned(id, for: .writeHistory)
    let history = MemoryHistory(session.history)
    guard !policy.isStateTooLarge else { return HistoryExtent(try history.pieces()) }
    var builder = try HistoryBuilder(history, policy)
    let through = builder.through
    // If the records have lost entries that the history lacks, the history starts over with the `base` records.
    let first = session.records.first { $0.kind == .run }.flatMap {
      LogMarks.firstSequence(ofRun: $0.body.span)
    }
    let isContiguous = first.map { $0 <= through + 1 } ?? true
    let byteCount = try Self.byteCount(of: session.records, after: through)
    guard !isContiguous || byteCount >= policy.minimumBytes else { return HistoryExtent(builder.pieces) }
    for record in session.records where record.kind != .base || !isContiguous {
      try builder.apply(record.kind, record.body.span)
    }
    try builder.finish()
    let contents = history.contents
    shared.withLock { sessions in
      if sessions[id] != nil { sessions[id]?.history = contents }
    }
    return HistoryExtent(builder.pieces)
  }

  package func trimHistory(of id: SessionID, after sequence: UInt64) throws(StorageError) -> HistoryExtent {
    let kept = shared.withLock { sessions in
      let kept = sessions[id]?.history.filter { $0.key.last <= sequence } ?? [:]
      sessions[id]?.history = kept
      return Array(kept.keys)
    }
    return HistoryExtent(kept)
  }

  package func historyTail(
    of id: SessionID, after sequence: UInt64, upTo limit: Int
  ) throws(StorageError) -> [SessionRecord] {
    var tail: [SessionRecord] = []
    var byteCount = 0
    for record in try owned(id, for: .readHistory).records {
      switch record.kind {
      case .run:
        guard byteCount < limit else { return tail }
        guard let last = try Self.lastSequence(of: record), last > sequence else { continue }
      case .time:
        guard tail.last?.kind == .run else { continue }
      default: continue
      }
      tail.append(record)
      byteCount += record.body.count
    }
    return tail
  }

  nonisolated package func historyPieces(of id: SessionID) throws(StorageError) -> [HistoryPiece] {
    Array(try find(id).history.keys).inOrder
  }

  nonisolated package func openHistory(
    _ piece: HistoryPiece, of id: SessionID
  ) throws(StorageError) -> HistoryPieceFile {
    try MemoryHistory(try find(id).history).file(of: piece)
  }

  private func owned(
    _ id: SessionID, for operation: StorageError.Operation
  ) throws(StorageError) -> StoredRecords {
    let session = try find(id)
    guard session.owner == address else { throw StorageError(operation, code: ENOENT) }
    return session
  }

  /// Returns the total size of the runs with entries after a sequence.
  private static func byteCount(
    of records: [SessionRecord], after sequence: UInt64
  ) throws(StorageError) -> Int {
    var byteCount = 0
    for record in records where record.kind == .run {
      if let last = try lastSequence(of: record), last > sequence { byteCount += record.body.count }
    }
    return byteCount
  }

  private static func lastSequence(of record: SessionRecord) throws(StorageError) -> UInt64? {
    do throws(RecordError) {
      return try RunFrames.lastSequence(in: record.body.span)
    } catch {
      throw .record(error)
    }
  }
}
