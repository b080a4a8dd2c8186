import Glibc
import Platform
import SessionCore
import Storage
import TestSupport
import Wire

/// A store in memory. A test chooses the outcomes of its appends and compactions.
final class ScriptedStore: SessionStore {
  /// The answer to one append.
  enum Answer: Sendable {
    /// The outcome is unknown; the records may be stored.
    case unknown(isStored: Bool)
  }

  private struct State {
    var appends: [LogAppend] = []
    var answer: Answer?
    var hangingShard: Int?
    var compactionsBegun: [SessionID] = []
    var compactionsAbandoned = 0
    var failsCompaction = false
    var holdsCompactions = false
    var holdsExtensions = false
  }

  let memory: MemoryStore
  let shardCount: Int
  private let state = Guarded(State())

  init(shardCount: Int = 1, attachments: MemoryAttachments = MemoryAttachments()) throws {
    memory = MemoryStore(attachments: attachments, on: try BlockingExecutor(name: "scripted"))
    self.shardCount = shardCount
  }

  /// All appends since the store was created.
  var appends: [LogAppend] { state.withLock { $0.appends } }

  /// Sets the answer to the next append of one session.
  func answerNext(_ answer: Answer) {
    state.withLock { $0.answer = answer }
  }

  /// Makes the batches of a shard wait until this function is called with another shard or nil.
  func hang(shard: Int?) {
    state.withLock { $0.hangingShard = shard }
  }

  /// The sessions whose compactions have begun, in their order.
  var compactionsBegun: [SessionID] { state.withLock { $0.compactionsBegun } }
  var compactionsAbandoned: Int { state.withLock { $0.compactionsAbandoned } }

  /// Determines whether compactions fail at their end.
  func failCompactions(_ fails: Bool) {
    state.withLock { $0.failsCompaction = fails }
  }

  /// Determines whether compactions wait at their beginning.
  func holdCompactions(_ holds: Bool) {
    state.withLock { $0.holdsCompactions = holds }
  }

  /// Makes extensions of histories wait at their end if `holds` is true.
  func holdExtensions(_ holds: Bool) {
    state.withLock { $0.holdsExtensions = holds }
  }

  func shard(of id: SessionID) -> Int { Int(id.low) % shardCount }

  func append(_ batch: [LogAppend]) async -> BatchOutcome {
    let answer = state.withLock { state in
      state.appends += batch
      defer { state.answer = nil }
      return state.answer
    }
    while let hanging = state.withLock({ $0.hangingShard }),
      batch.contains(where: { shard(of: $0.id) == hanging })
    {
      await Task.yield()
    }
    switch answer {
    case nil: return await memory.append(batch)
    case .unknown(let isStored):
      if isStored { _ = await memory.append(batch) }
      let error = StorageError(.writeLog, code: ETIMEDOUT)
      return BatchOutcome(batch.map { _ in .unknown(error) }, duration: .zero)
    }
  }

  func create(_ id: SessionID, _ records: [SessionRecord]) async throws(StorageError) {
    try await memory.create(id, records)
  }

  func adopt(
    _ id: SessionID, _ position: LogPosition, _ records: [SessionRecord]
  ) async throws(StorageError) -> Adoption {
    try await memory.adopt(id, position, records)
  }

  func release(_ id: SessionID) async { await memory.release(id) }

  func remove(_ id: SessionID) async throws(StorageError) { try await memory.remove(id) }

  func setLossHandler(_ handler: @escaping @Sendable (SessionID) -> Void) {
    memory.setLossHandler(handler)
  }

  func syncAll() async throws(StorageError) {}

  func recordCleanStop(_ generation: String) async throws(StorageError) {}

  func beginCompaction(_ id: SessionID, _ plan: CompactionPlan) async throws(StorageError) {
    state.withLock { $0.compactionsBegun.append(id) }
    while state.withLock({ $0.holdsCompactions }) { await Task.yield() }
    try await memory.beginCompaction(id, plan)
  }

  func addToCompaction(_ id: SessionID, _ records: [SessionRecord]) async throws(StorageError) {
    try await memory.addToCompaction(id, records)
  }

  func finishCompaction(_ id: SessionID) async throws(StorageError) -> Int {
    if state.withLock({ $0.failsCompaction }) { throw StorageError(.compactLog, code: EIO) }
    return try await memory.finishCompaction(id)
  }

  func abandonCompaction(_ id: SessionID) async {
    state.withLock { $0.compactionsAbandoned += 1 }
    await memory.abandonCompaction(id)
  }

  func extendHistory(_ id: SessionID, _ policy: HistoryPolicy) async throws(StorageError) -> HistoryExtent {
    let extent = try await memory.extendHistory(id, policy)
    while state.withLock({ $0.holdsExtensions }) { await Task.yield() }
    return extent
  }

  func trimHistory(of id: SessionID, after sequence: UInt64) async throws(StorageError) -> HistoryExtent {
    try await memory.trimHistory(of: id, after: sequence)
  }

  func historyTail(
    of id: SessionID, after sequence: UInt64, upTo limit: Int
  ) async throws(StorageError) -> [SessionRecord] {
    try await memory.historyTail(of: id, after: sequence, upTo: limit)
  }

  func historyPieces(of id: SessionID) throws(StorageError) -> [HistoryPiece] {
    try memory.historyPieces(of: id)
  }

  func openHistory(_ piece: HistoryPiece, of id: SessionID) throws(StorageError) -> HistoryPieceFile {
    try memory.openHistory(piece, of: id)
  }

  func readRecords(
    of id: SessionID, _ body: (UInt8, Span<UInt8>) throws(RecordError) -> Void, lost: (Int) -> Void
  ) throws(StorageError) -> LogReading {
    try memory.readRecords(of: id, body, lost: lost)
  }

  func summary(of id: SessionID) throws(StorageError) -> LogSummary { try memory.summary(of: id) }

  func header(of id: SessionID) throws(StorageError) -> [UInt8]? { try memory.header(of: id) }

  func byteCount(of id: SessionID) throws(StorageError) -> Int? { try memory.byteCount(of: id) }

  func holdsSession(_ id: SessionID) throws(StorageError) -> Bool { try memory.holdsSession(id) }

  func keepsDamage(of id: SessionID) -> Bool { memory.keepsDamage(of: id) }

  func sessions() throws(StorageError) -> [SessionID] { try memory.sessions() }
}
