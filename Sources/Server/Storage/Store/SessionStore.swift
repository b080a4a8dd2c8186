package import SessionCore
package import Wire

/// A store of sessions: the records of each session, in their order.
///
/// A session has one owner: the store that created or adopted it, until that store releases or removes it, or until another
/// gateway takes it over. Only the owner's appends are stored. All others are fenced.
///
/// The functions that read block the calling thread, and any thread may call them.
package protocol SessionStore: Sendable {
  // MARK: Ownership

  /// Creates a session with its first records, which are stored when this returns. This store owns it.
  ///
  /// - Throws: `StorageError`; nothing is then left of the session. EEXIST if there is a session with this id.
  func create(_ id: SessionID, _ records: [SessionRecord]) async throws(StorageError)

  /// Takes ownership of a session that was read, and appends records, which are stored when this returns.
  ///
  /// Lost bytes of a damaged session are kept for a recovery by hand.
  ///
  /// - Parameters:
  ///   - id: the session.
  ///   - position: the position in the result of reading the session.
  ///   - records: the records to append.
  /// - Returns: the outcome.
  /// - Throws: `StorageError`: ESTALE if the session changed since it was read, or is owned by this store already; EWOULDBLOCK
  ///   while a command writes to a damaged session.
  func adopt(
    _ id: SessionID, _ position: LogPosition, _ records: [SessionRecord]
  ) async throws(StorageError) -> Adoption

  /// Gives up the ownership of a session, and abandons its compaction.
  func release(_ id: SessionID) async

  /// Removes a session with its attachments. Succeeds if there is none.
  func remove(_ id: SessionID) async throws(StorageError)

  /// Sets the function to call, on any thread, for each session that another gateway took from this store.
  func setLossHandler(_ handler: @escaping @Sendable (SessionID) -> Void)

  // MARK: Appending

  /// The number of shards. Appends to sessions in different shards do not wait for each other.
  var shardCount: Int { get }

  /// Returns the shard of a session, from 0 to `shardCount - 1`.
  func shard(of id: SessionID) -> Int

  /// Appends records to sessions that this store owns. One batch of a shard may be in flight at a time.
  func append(_ batch: [LogAppend]) async -> BatchOutcome

  /// Waits until everything that was stored would survive a power cut.
  func syncAll() async throws(StorageError)

  /// Records, after `syncAll`, that this process stored all of its sessions completely.
  ///
  /// - Parameter generation: the time since the last stop that was not clean. A process that finds this record continues it.
  /// - Throws: `StorageError`; the next process then does not find the record.
  func recordCleanStop(_ generation: String) async throws(StorageError)

  // MARK: Compacting

  /// Begins to replace the records of a session by fewer ones. A compaction of the session in progress is abandoned.
  ///
  /// Appends continue during a compaction. It has no effect until `finishCompaction` returns.
  func beginCompaction(_ id: SessionID, _ plan: CompactionPlan) async throws(StorageError)

  /// Adds records of slices to a compaction.
  ///
  /// - Throws: `StorageError`; ECANCELED without a compaction in progress. There is none afterwards.
  func addToCompaction(_ id: SessionID, _ records: [SessionRecord]) async throws(StorageError)

  /// Replaces the records of a session: the result is that of `CompactionPlan.records`.
  ///
  /// - Returns: the size of the session's records in bytes.
  /// - Throws: `StorageError`; ECANCELED if the compaction was abandoned. The old records then stay.
  func finishCompaction(_ id: SessionID) async throws(StorageError) -> Int

  /// Ends a compaction without an effect. Does nothing without a compaction in progress.
  func abandonCompaction(_ id: SessionID) async

  // MARK: Reading

  /// Reads all readable records of a session.
  ///
  /// - Parameters:
  ///   - id: the session.
  ///   - body: receives the kind and body of each record, in their order.
  ///   - lost: receives the number of lost bytes, at their place in that order.
  /// - Returns: the position behind the last record, and the damage that was found.
  /// - Throws: `StorageError` if there is no such session, or its records cannot be used.
  func readRecords(
    of id: SessionID, _ body: (UInt8, Span<UInt8>) throws(RecordError) -> Void, lost: (Int) -> Void
  ) throws(StorageError) -> LogReading

  /// Returns the last record of a session and the size of all, without reading the others.
  ///
  /// - Throws: `StorageError` if there is no such session, or its records cannot be used.
  func summary(of id: SessionID) throws(StorageError) -> LogSummary

  /// Returns the body of the first `session` record of a session; nil if the first few records have none.
  ///
  /// - Throws: `StorageError` if there is no such session, or its records cannot be used.
  func header(of id: SessionID) throws(StorageError) -> [UInt8]?

  /// Returns the size of a session's records in bytes; nil if there is no such session.
  func byteCount(of id: SessionID) throws(StorageError) -> Int?

  /// Returns true if there is such a session, even one whose records are missing.
  func holdsSession(_ id: SessionID) throws(StorageError) -> Bool

  /// Returns true if lost bytes of a session are kept whose loss the operator has not accepted.
  func keepsDamage(of id: SessionID) -> Bool

  /// Returns the ids of all sessions, in no order.
  func sessions() throws(StorageError) -> [SessionID]
}

extension SessionStore {
  /// Reads the records of a session and restores the session.
  ///
  /// - Parameters:
  ///   - id: the session.
  ///   - restorer: a restorer without records.
  ///   - generation: the present generation of the store. With an empty one the session begins a new epoch.
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
