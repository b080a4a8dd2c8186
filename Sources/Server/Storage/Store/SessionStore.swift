package import SessionCore
package import Wire

/// A store of sessions: the records of each session, in their order.
///
/// A session has one owner: the store that created or adopted the session. The ownership ends when that store releases or removes
/// the session, or when another gateway takes it over. Only the owner's appends are stored. Appends of other stores are rejected
/// as fenced.
///
/// The functions that read block the calling thread, and any thread may call them.
package protocol SessionStore: Sendable {
  // MARK: Ownership

  /// Creates a session with its first records, which are stored when this function returns. This store owns the new session.
  ///
  /// - Throws: `StorageError`; then no part of the session is left. EEXIST if there is a session with this id.
  func create(_ id: SessionID, _ records: [SessionRecord]) async throws(StorageError)

  /// Takes ownership of a session after reading it, and appends records. The records are stored when this function returns.
  ///
  /// Lost bytes of a damaged session are stored separately, so that a person can recover them.
  ///
  /// - Parameters:
  ///   - id: the session.
  ///   - position: the position in the result of reading the session.
  ///   - records: the records to append.
  /// - Returns: the outcome.
  /// - Throws: `StorageError`: ESTALE if the session has changed after it was read, or if this store already owns the session;
  ///   EWOULDBLOCK while a command writes to a damaged session.
  func adopt(
    _ id: SessionID, _ position: LogPosition, _ records: [SessionRecord]
  ) async throws(StorageError) -> Adoption

  /// Gives up the ownership of a session, and abandons its compaction.
  func release(_ id: SessionID) async

  /// Removes a session with its attachments. Succeeds if there is no such session.
  func remove(_ id: SessionID) async throws(StorageError)

  /// Sets the function to call for each session that another gateway took from this store. The store may call
  /// the function on any thread.
  func setLossHandler(_ handler: @escaping @Sendable (SessionID) -> Void)

  // MARK: Appending

  /// The number of shards. Appends to sessions in different shards do not wait for each other.
  var shardCount: Int { get }

  /// Returns the shard of a session, from 0 to `shardCount - 1`.
  func shard(of id: SessionID) -> Int

  /// Appends records to sessions that this store owns. One batch of a shard may be in flight at a time.
  func append(_ batch: [LogAppend]) async -> BatchOutcome

  /// Waits until everything that is stored now would survive a power cut.
  func syncAll() async throws(StorageError)

  /// Records, after `syncAll`, that this process stored all of its sessions completely.
  ///
  /// - Parameter generation: the name of the period since the last stop that was not clean. A process that finds this record
  ///   continues the generation.
  /// - Throws: `StorageError`; the next process then does not find the record.
  func recordCleanStop(_ generation: String) async throws(StorageError)

  // MARK: Compacting

  /// Begins a compaction, which replaces the records of a session by fewer ones. Abandons an earlier compaction of the session.
  ///
  /// Appends continue during a compaction. The compaction has no effect until `finishCompaction` returns.
  func beginCompaction(_ id: SessionID, _ plan: CompactionPlan) async throws(StorageError)

  /// Adds records to a compaction. Each record contains one slice of the session's retained entries.
  ///
  /// - Throws: `StorageError`; ECANCELED if no compaction is in progress. An error ends the compaction.
  func addToCompaction(_ id: SessionID, _ records: [SessionRecord]) async throws(StorageError)

  /// Replaces the records of a session by the result of `CompactionPlan.records`.
  ///
  /// - Returns: the size of the session's records in bytes.
  /// - Throws: `StorageError`; ECANCELED if the compaction was abandoned. The old records then stay.
  func finishCompaction(_ id: SessionID) async throws(StorageError) -> Int

  /// Abandons a compaction. Does nothing if there is none in progress.
  func abandonCompaction(_ id: SessionID) async

  // MARK: History

  /// Copies entries from the records of a session to its history, if the history lacks them. Then removes the oldest pieces until
  /// the history is within the limits of the policy.
  ///
  /// The caller extends the history before a compaction, so that the history has all entries that the compaction drops. Only one
  /// extension of a session is in progress at a time; further calls wait.
  ///
  /// - Parameters:
  ///   - id: a session that this store owns.
  ///   - policy: the rules.
  /// - Returns: the extent of the history.
  /// - Throws: `StorageError`. The history then lacks entries; a later extension can add them.
  func extendHistory(_ id: SessionID, _ policy: HistoryPolicy) async throws(StorageError) -> HistoryExtent

  /// Removes all pieces of a session's history with entries after a sequence; 0 removes the whole history. The caller passes the
  /// last sequence of the records after `adopt`, because after a power cut, the history may have entries that the records do not
  /// have.
  ///
  /// - Returns: the extent of the remaining history.
  @discardableResult
  func trimHistory(of id: SessionID, after sequence: UInt64) async throws(StorageError) -> HistoryExtent

  /// Returns the runs with entries after a sequence, each followed by the record of its time, up to about `limit` bytes. This store
  /// must own the session.
  func historyTail(
    of id: SessionID, after sequence: UInt64, upTo limit: Int
  ) async throws(StorageError) -> [SessionRecord]

  /// Returns the pieces of a session's history in rising sequence.
  ///
  /// - Throws: `StorageError` if there is no such session.
  func historyPieces(of id: SessionID) throws(StorageError) -> [HistoryPiece]

  /// Opens a piece of a session's history for reading.
  ///
  /// - Throws: `StorageError`; ENOENT if there is no such piece, EBADMSG if the piece is damaged.
  func openHistory(_ piece: HistoryPiece, of id: SessionID) throws(StorageError) -> HistoryPieceFile

  // MARK: Reading

  /// Reads all readable records of a session.
  ///
  /// - Parameters:
  ///   - id: the session.
  ///   - body: receives the kind and body of each record, in their order.
  ///   - lost: receives the number of lost bytes, before `body` receives the record that follows these bytes.
  /// - Returns: the position after the last record, and the damage that was found.
  /// - Throws: `StorageError` if there is no such session, or its records cannot be used.
  func readRecords(
    of id: SessionID, _ body: (UInt8, Span<UInt8>) throws(RecordError) -> Void, lost: (Int) -> Void
  ) throws(StorageError) -> LogReading

  /// Returns the last record of a session and the size of all records. Reads only the last record.
  ///
  /// - Throws: `StorageError` if there is no such session, or its records cannot be used.
  func summary(of id: SessionID) throws(StorageError) -> LogSummary

  /// Returns the body of the first `session` record of a session; nil if the first few records are all of other kinds.
  ///
  /// - Throws: `StorageError` if there is no such session, or its records cannot be used.
  func header(of id: SessionID) throws(StorageError) -> [UInt8]?

  /// Returns the size of a session's records in bytes; nil if there is no such session.
  func byteCount(of id: SessionID) throws(StorageError) -> Int?

  /// Returns true if the store has a session with this id, even if the session's records are missing.
  func holdsSession(_ id: SessionID) throws(StorageError) -> Bool

  /// Returns true if the store keeps damaged bytes of a session, and the operator has not accepted the loss of these bytes.
  func keepsDamage(of id: SessionID) -> Bool

  /// Returns the ids of all sessions in any order.
  func sessions() throws(StorageError) -> [SessionID]
}

extension SessionStore {
  /// Reads the records of a session and restores the session.
  ///
  /// - Parameters:
  ///   - id: the session.
  ///   - restorer: a restorer without records.
  ///   - generation: the present generation of the store. If it is empty, the session begins a new epoch.
  ///   - freshEpoch: the name of the new epoch.
  ///   - folder: the identity of the data folder.
  /// - Returns: the session, and the result of reading its records.
  /// - Throws: `StorageError` if there is no such session, or its records cannot be used.
  package func load(
    _ id: SessionID, by restorer: consuming SessionRestorer, generation: String, freshEpoch: String,
    folder: String
  ) throws(StorageError) -> sending (restored: RestoredSession, reading: LogReading) {
    var restorer = restorer
    let reading = try readRecords(of: id) { (kind, body) throws(RecordError) in
      try restorer.apply(kind, body)
    } lost: {
      restorer.skip($0)
    }
    do throws(RecordError) {
      let restored = try restorer.finish(
        generation: generation, freshEpoch: freshEpoch, folder: folder, isWhole: reading.isWhole,
        lostTail: reading.lostTail, changed: reading.changed)
      return (restored, reading)
    } catch {
      throw .record(error)
    }
  }
}
