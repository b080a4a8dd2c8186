internal import Glibc
internal import Platform
package import SessionCore
package import Wire

/// The history of a session: pieces in files beside its log, which are made from the runs of the log.
extension FolderStore {
  /// The niceness of the thread that extends a history.
  private static let niceness: CInt = 10

  package func extendHistory(
    _ id: SessionID, _ policy: HistoryPolicy
  ) async throws(StorageError) -> HistoryExtent {
    await historyWork.begin(id)
    defer { historyWork.end(id) }
    await historyWork.beginExtension()
    defer { historyWork.endExtension() }
    let log = try openLog(id)
    guard let file = log.file else { throw StorageError(.writeHistory, code: EBADF) }
    // Records that arrive from now on belong to the next extension.
    let source = HistorySource(file: file, end: log.end, marks: log.marks)
    let isSkipped = policy.isStateTooLarge || historyWork.isSkipped(id, retainedBytes: policy.retainedBytes)
    let extended = ThreadResult<HistorySource.Extension>()
    // With `full`, the log is on the disk already. Another sync could also consume an error that the sync of an append must report.
    let syncsLog = durability == .process
    try await runDetached(niceness: Self.niceness) { [disk] () throws(StorageError) in
      let files = HistoryFiles(of: id, on: disk)
      guard !isSkipped else {
        extended.set(HistorySource.Extension(extent: HistoryExtent(try files.pieces()), isTooLarge: false))
        return
      }
      do throws(StorageError) {
        extended.set(try source.extend(files, policy, syncsLog: syncsLog))
      } catch {
        // An error of `discard` is ignored: the next extension removes the file.
        try? files.discard()
        throw error
      }
    }
    guard let result = extended.result else { throw StorageError(.writeHistory, code: ECANCELED) }
    if result.isTooLarge { historyWork.skip(id, retainedBytes: policy.retainedBytes) }
    return result.extent
  }

  package func trimHistory(
    of id: SessionID, after sequence: UInt64
  ) async throws(StorageError) -> HistoryExtent {
    await historyWork.begin(id)
    defer { historyWork.end(id) }
    let files = HistoryFiles(of: id, on: disk)
    try files.discard()
    let pieces = try files.pieces()
    try files.remove(pieces.filter { $0.last > sequence })
    return HistoryExtent(pieces.filter { $0.last <= sequence })
  }

  package func historyTail(
    of id: SessionID, after sequence: UInt64, upTo limit: Int
  ) async throws(StorageError) -> [SessionRecord] {
    let log = try openLog(id)
    guard let file = log.file else { throw StorageError(.readHistory, code: EBADF) }
    let source = HistorySource(file: file, end: log.end, marks: log.marks)
    let tail = ThreadResult<[SessionRecord]>()
    try await runDetached { () throws(StorageError) in
      tail.set(try source.tail(after: sequence, upTo: limit))
    }
    return tail.result ?? []
  }

  nonisolated package func historyPieces(of id: SessionID) throws(StorageError) -> [HistoryPiece] {
    try disk.historyPieces(of: id).inOrder
  }

  nonisolated package func openHistory(
    _ piece: HistoryPiece, of id: SessionID
  ) throws(StorageError) -> HistoryPieceFile {
    try HistoryFiles(of: id, on: disk).file(of: piece)
  }
}

/// The locks and queues for changes of the histories of a store's sessions. Not `Sendable`: only one store uses it.
final class HistoryWork {
  /// The maximum number of concurrent extensions. Each one needs a thread, and memory for the keys of a session.
  private static let concurrentExtensions = 2

  /// The number of extensions in progress, and the callers that wait until an extension ends.
  private var extensions = 0
  private var queue: [CheckedContinuation<Void, Never>] = []
  /// The sessions whose history is being changed, each with the callers that wait until they may change it.
  private var waiters: [SessionID: [CheckedContinuation<Void, Never>]] = [:]
  /// The sessions whose state did not fit into their history, and the retained bytes at that time.
  private var skipped: [SessionID: Int] = [:]

  /// Waits until no other caller changes the history of a session.
  func begin(_ id: SessionID) async {
    while waiters[id] != nil {
      await withCheckedContinuation { waiters[id, default: []].append($0) }
    }
    waiters[id] = []
  }

  /// Ends the change that began with `begin`.
  func end(_ id: SessionID) {
    for continuation in waiters.removeValue(forKey: id) ?? [] { continuation.resume() }
  }

  /// Waits until fewer than `concurrentExtensions` histories are being extended.
  func beginExtension() async {
    guard extensions == Self.concurrentExtensions else {
      extensions += 1
      return
    }
    await withCheckedContinuation { queue.append($0) }
  }

  /// Ends an extension. The caller that has waited longest then begins its extension.
  func endExtension() {
    if queue.isEmpty { extensions -= 1 } else { queue.removeFirst().resume() }
  }

  /// Records that the state of a session does not fit into its history.
  func skip(_ id: SessionID, retainedBytes: Int) {
    skipped[id] = retainedBytes
  }

  /// Returns true if the state of a session did not fit into its history, and has not become smaller.
  func isSkipped(_ id: SessionID, retainedBytes: Int) -> Bool {
    guard let before = skipped[id] else { return false }
    return retainedBytes >= before
  }

  /// Forgets that the state of a session did not fit. The store calls this function when it releases the session.
  func forget(_ id: SessionID) {
    skipped[id] = nil
  }
}

/// The part of a log from which a history is extended: the records before `end`.
struct HistorySource: Sendable {
  /// The result of an extension.
  struct Extension: Sendable {
    let extent: HistoryExtent
    /// True if the limit of the history has room for no piece at all.
    let isTooLarge: Bool
  }

  let file: any SessionFile
  let end: OpenLog.Position
  let marks: LogMarks

  /// Extends a history with the runs of this log. If `syncsLog` is true, the log is synced first. Without this sync, the log could
  /// lack entries of the history after a power cut, and the newest pieces would be removed when the session is opened.
  func extend(
    _ files: HistoryFiles, _ policy: HistoryPolicy, syncsLog: Bool
  ) throws(StorageError) -> Extension {
    var builder: HistoryBuilder
    do throws(StorageError) {
      builder = try HistoryBuilder(files, policy)
    } catch {
      try Self.removeIfDamaged(error, files)
      throw error
    }
    let present = Extension(extent: HistoryExtent(builder.pieces), isTooLarge: false)
    guard let first = marks.marks.first else { return present }
    // If the log has dropped entries that the history lacks, the history starts over with the log's `base` records.
    let isContiguous = first.sequence <= builder.through + 1
    let start = isContiguous ? marks.mark(before: builder.through + 1) ?? first : nil
    let offset = start?.offset ?? LogFormat.firstRecord.count
    // If the log has dropped entries, the history is extended in any case: it is unusable without the state in the `base` records.
    guard !isContiguous || end.length - offset >= policy.minimumBytes else { return present }
    if syncsLog { try file.sync() }
    var reader = LogReader(
      file, from: offset, chain: start?.chain ?? LogFormat.firstChain, to: end.length)
    do throws(StorageError) {
      while case .record(let kind, let body) = try next(&reader) {
        try builder.apply(SessionRecord.Kind(rawValue: kind), reader.buffer.span.extracting(body))
      }
      try builder.finish()
    } catch {
      try Self.removeIfDamaged(error, files)
      throw error
    }
    return Extension(extent: HistoryExtent(builder.pieces), isTooLarge: builder.pieces.isEmpty)
  }

  /// Returns the runs with entries after a sequence, each with the record of its time, up to about `limit` bytes.
  func tail(after sequence: UInt64, upTo limit: Int) throws(StorageError) -> [SessionRecord] {
    guard let start = marks.mark(before: sequence + 1) ?? marks.marks.first else { return [] }
    var reader = LogReader(file, from: start.offset, chain: start.chain, to: end.length)
    var records: [SessionRecord] = []
    var byteCount = 0
    while case .record(let number, let body) = try next(&reader) {
      guard let kind = SessionRecord.Kind(rawValue: number) else { continue }
      switch kind {
      case .run:
        guard byteCount < limit else { return records }
        let last: UInt64?
        do throws(RecordError) {
          last = try RunFrames.lastSequence(in: reader.buffer.span.extracting(body))
        } catch {
          throw .record(error)
        }
        guard let last, last > sequence else { continue }
      case .time:
        guard records.last?.kind == .run else { continue }
      default: continue
      }
      records.append(SessionRecord(kind: kind, body: Array(reader.buffer[body])))
      byteCount += body.count
    }
    return records
  }

  private func next(_ reader: inout LogReader) throws(StorageError) -> LogReader.Step {
    let step = try reader.next()
    if case .damage = step { throw StorageError(.readLog, code: EBADMSG) }
    return step
  }

  /// Removes a history if an error shows that one of its pieces is damaged. The next extension then begins a new history.
  private static func removeIfDamaged(_ error: StorageError, _ files: HistoryFiles) throws(StorageError) {
    guard case .failed(.readHistory, code: EBADMSG) = error else { return }
    try files.remove(try files.pieces().inOrder)
  }
}
