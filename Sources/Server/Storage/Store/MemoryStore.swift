internal import FoundationEssentials
internal import Glibc
package import Platform
internal import Primitives
package import SessionCore
package import Wire

/// A store in the memory of this process. Its sessions end with the process.
///
/// The store contains each appended record, so that sessions can be released, read and adopted again. A gateway with
/// `--durability memory` appends no records: its sessions are in memory already, stay there until they end, and are never read
/// back. For such a gateway, the store contains only the ids of the sessions, so that no entry is in memory twice.
///
/// Several stores may share their sessions, like the gateways of a cluster. Each of these stores has an address.
package actor MemoryStore: SessionStore {
  /// The sessions of one or more stores. Any thread may use them.
  final class SharedSessions: Sendable {
    private let sessions: Guarded<[SessionID: StoredRecords]> = Guarded([:])

    func withLock<Result: Sendable>(_ body: (inout [SessionID: StoredRecords]) -> Result) -> Result {
      sessions.withLock { body(&$0) }
    }
  }

  /// The records, the history and the owner of a session.
  struct StoredRecords: Sendable {
    private(set) var records: [SessionRecord]
    /// The bytes of each piece of the session's history.
    var history: [HistoryPiece: [UInt8]] = [:]
    /// The owner; nil while no store owns the session.
    var owner: String?
    /// A number that changes with each append and compaction.
    private(set) var revision: UInt64 = 0
    /// The number of the owner's last append.
    var lastAppend: UInt64?
    private(set) var modified: Date
    /// The sum of the bytes of all record bodies.
    private(set) var byteCount: Int

    init(_ records: [SessionRecord], owner: String) {
      self.records = records
      self.owner = owner
      modified = .now
      byteCount = Self.byteCount(of: records)
    }

    mutating func append(_ added: [SessionRecord]) {
      records += added
      revision += 1
      modified = .now
      byteCount += Self.byteCount(of: added)
    }

    mutating func replace(with new: [SessionRecord]) {
      records = []
      byteCount = 0
      append(new)
    }

    private static func byteCount(of records: [SessionRecord]) -> Int {
      records.reduce(0) { $0 + $1.body.count }
    }
  }

  /// A compaction in progress.
  private struct Compaction {
    var plan: CompactionPlan
    var slices: [SessionRecord] = []
  }

  let address: String
  nonisolated let shared: SharedSessions
  private let attachments: any AttachmentStore
  private let executor: BlockingExecutor
  private var compactions: [SessionID: Compaction] = [:]
  private nonisolated let lossHandler: Guarded<(@Sendable (SessionID) -> Void)?> = Guarded(nil)

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Creates an empty store.
  ///
  /// - Parameters:
  ///   - attachments: the store of the attachments of the sessions.
  ///   - executor: the executor on which the new store runs.
  package init(attachments: any AttachmentStore, on executor: BlockingExecutor) {
    self.init(address: "", sharing: SharedSessions(), attachments, executor)
  }

  /// Creates another store of the same sessions.
  ///
  /// - Parameters:
  ///   - other: a store that shares its sessions.
  ///   - address: the address of the new store; the other stores return it from `adopt`.
  package init(sharing other: MemoryStore, address: String) {
    self.init(address: address, sharing: other.shared, other.attachments, other.executor)
  }

  private init(
    address: String, sharing shared: SharedSessions, _ attachments: any AttachmentStore,
    _ executor: BlockingExecutor
  ) {
    self.address = address
    self.shared = shared
    self.attachments = attachments
    self.executor = executor
  }

  // MARK: - Ownership

  package func create(_ id: SessionID, _ records: [SessionRecord]) throws(StorageError) {
    let isNew = shared.withLock { sessions in
      guard sessions[id] == nil else { return false }
      sessions[id] = StoredRecords(records, owner: address)
      return true
    }
    guard isNew else { throw StorageError(.makeSession, code: EEXIST) }
  }

  package func adopt(
    _ id: SessionID, _ position: LogPosition, _ records: [SessionRecord]
  ) throws(StorageError) -> Adoption {
    let result: Result<Adoption, StorageError> = shared.withLock { sessions in
      guard var session = sessions[id] else { return .failure(StorageError(.openLog, code: ENOENT)) }
      if let owner = session.owner, owner != address { return .success(.ownedElsewhere(address: owner)) }
      guard session.owner == nil, position.value as? UInt64 == session.revision else {
        return .failure(StorageError(.openLog, code: ESTALE))
      }
      session.owner = address
      session.lastAppend = nil
      if !records.isEmpty { session.append(records) }
      sessions[id] = session
      return .success(.adopted(byteCount: session.byteCount))
    }
    return try result.get()
  }

  package func release(_ id: SessionID) {
    compactions[id] = nil
    shared.withLock { sessions in
      if sessions[id]?.owner == address { sessions[id]?.owner = nil }
    }
  }

  package func remove(_ id: SessionID) throws(StorageError) {
    release(id)
    shared.withLock { $0[id] = nil }
    try attachments.removeAll(of: id)
  }

  package nonisolated func setLossHandler(_ handler: @escaping @Sendable (SessionID) -> Void) {
    lossHandler.withLock { $0 = handler }
  }

  /// Takes the ownership of all sessions away from this store, and reports the loss of each. The other stores may then adopt
  /// them.
  package func loseSessions() {
    let lost = shared.withLock { sessions in
      let lost = sessions.filter { $0.value.owner == address }.map(\.key)
      for id in lost { sessions[id]?.owner = nil }
      return lost
    }
    let handler = lossHandler.withLock { $0 }
    for id in lost {
      compactions[id] = nil
      handler?(id)
    }
  }

  // MARK: - Appending

  package nonisolated var shardCount: Int { 1 }

  package nonisolated func shard(of id: SessionID) -> Int { 0 }

  package func append(_ batch: [LogAppend]) -> BatchOutcome {
    let start = MonotonicTime.now()
    let outcomes = shared.withLock { sessions in
      batch.map { append -> AppendOutcome in
        guard sessions[append.id]?.owner == address else { return .fenced }
        if sessions[append.id]?.lastAppend != append.number {
          sessions[append.id]?.append(append.records)
          sessions[append.id]?.lastAppend = append.number
        }
        return .stored(byteCount: sessions[append.id]?.byteCount ?? 0)
      }
    }
    return BatchOutcome(outcomes, duration: .now() - start)
  }

  package func syncAll() {}

  package func recordCleanStop(_ generation: String) {}

  // MARK: - Compacting

  package func beginCompaction(_ id: SessionID, _ plan: CompactionPlan) throws(StorageError) {
    guard shared.withLock({ $0[id]?.owner }) == address else {
      throw StorageError(.compactLog, code: ENOENT)
    }
    compactions[id] = Compaction(plan: plan)
  }

  package func addToCompaction(_ id: SessionID, _ records: [SessionRecord]) throws(StorageError) {
    guard compactions[id] != nil else { throw StorageError(.compactLog, code: ECANCELED) }
    compactions[id]?.slices += records
  }

  package func finishCompaction(_ id: SessionID) throws(StorageError) -> Int {
    guard let compaction = compactions.removeValue(forKey: id) else {
      throw StorageError(.compactLog, code: ECANCELED)
    }
    let result: Result<Int, StorageError> = shared.withLock { sessions in
      guard var session = sessions[id], session.owner == address else {
        return .failure(StorageError(.compactLog, code: ECANCELED))
      }
      do throws(RecordError) {
        session.replace(with: try compaction.plan.records(compaction.slices, copying: session.records))
      } catch {
        return .failure(StorageError(.compactLog, code: EBADMSG))
      }
      sessions[id] = session
      return .success(session.byteCount)
    }
    return try result.get()
  }

  package func abandonCompaction(_ id: SessionID) {
    compactions[id] = nil
  }

  // MARK: - Reading

  package nonisolated func readRecords(
    of id: SessionID, _ body: (UInt8, Span<UInt8>) throws(RecordError) -> Void, lost: (Int) -> Void
  ) throws(StorageError) -> LogReading {
    let session = try find(id)
    do throws(RecordError) {
      for record in session.records { try body(record.kind.rawValue, record.body.span) }
    } catch {
      throw .record(error)
    }
    return LogReading(
      position: LogPosition(session.revision), byteCount: session.byteCount, changed: session.modified)
  }

  package nonisolated func summary(of id: SessionID) throws(StorageError) -> LogSummary {
    let session = try find(id)
    return LogSummary(
      last: session.records.last.map { ($0.kind.rawValue, $0.body) }, modified: session.modified,
      byteCount: session.byteCount)
  }

  package nonisolated func header(of id: SessionID) throws(StorageError) -> [UInt8]? {
    try find(id).records.first { $0.kind == .session }?.body
  }

  package nonisolated func byteCount(of id: SessionID) throws(StorageError) -> Int? {
    shared.withLock { $0[id]?.byteCount }
  }

  package nonisolated func holdsSession(_ id: SessionID) throws(StorageError) -> Bool {
    shared.withLock { $0[id] != nil }
  }

  package nonisolated func keepsDamage(of id: SessionID) -> Bool { false }

  package nonisolated func sessions() throws(StorageError) -> [SessionID] {
    shared.withLock { Array($0.keys) }
  }

  nonisolated func find(_ id: SessionID) throws(StorageError) -> StoredRecords {
    guard let session = shared.withLock({ $0[id] }) else {
      throw StorageError(.openLog, code: ENOENT)
    }
    return session
  }
}
