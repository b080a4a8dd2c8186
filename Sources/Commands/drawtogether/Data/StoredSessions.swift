internal import Dispatch
internal import FoundationEssentials
internal import Gateway
internal import Primitives
internal import SessionCore
internal import Storage
internal import Platform
internal import Wire

/// The sessions in a data folder. The folder is not locked, so a gateway may use it at the same time. A function writes only if
/// its comment says so.
final class StoredSessions {
  private let folder: String
  private let executor: BlockingExecutor
  let data: DataFolder
  let store: FolderStore

  /// Opens a data folder.
  convenience init(in folder: String) throws(CommandError) {
    let data: DataFolder
    do throws(DataFolderError) {
      data = try DataFolder(beside: folder)
    } catch {
      throw .folder(error)
    }
    try self.init(holding: data, folder)
  }

  /// Creates an object for the sessions of a data folder that is already open.
  init(holding data: DataFolder, _ folder: String) throws(CommandError) {
    self.folder = folder
    self.data = data
    do throws(SystemError) {
      executor = try BlockingExecutor(name: "store")
    } catch {
      throw .system(error)
    }
    store = FolderStore(FolderDisk(data), on: executor, durability: .full)
  }

  deinit {
    executor.stop()
    executor.join()
  }

  /// Returns all sessions, ordered by id.
  func all() throws(CommandError) -> [SessionID] {
    try CommandError.converting(try store.sessions()).sorted { ($0.high, $0.low) < ($1.high, $1.low) }
  }

  /// Returns the only session whose id begins with the prefix.
  func one(_ prefix: SessionPrefix) throws(CommandError) -> SessionID {
    let found = try all().filter(prefix.matches)
    guard let first = found.first else { throw .noSession(prefix, folder: folder) }
    guard found.count == 1 else { throw .ambiguous(prefix, found) }
    return first
  }

  /// Opens the log of a session.
  func log(of id: SessionID) throws(CommandError) -> LogSnapshot {
    do throws(StorageError) {
      return try store.log(of: id)
    } catch {
      throw try isGone(id, error) ? .gone(id) : .log(id, error)
    }
  }

  /// Returns true if a log cannot be read because its session was removed; false if the session exists without a log.
  func isGone(_ id: SessionID, _ error: StorageError) throws(CommandError) -> Bool {
    guard error.isMissing else { return false }
    return try !all().contains(id)
  }

  /// Returns the files of a session's uploads and attachments.
  func files(of id: SessionID) throws(CommandError) -> [StoredFile] {
    try CommandError.converting(try store.files(of: id))
  }

  /// Returns true if the log of a session contains damaged bytes.
  func isDamaged(_ id: SessionID) throws(CommandError) -> Bool {
    let log = try log(of: id)
    return try CommandError.converting(ofLog: id, try log.read { _, _ in }).isDamaged
  }

  /// Removes damaged bytes from the log of a session. This process must have locked the data folder.
  func removeDamage(_ id: SessionID) throws(CommandError) {
    let (reading, records) = try load(id)
    guard reading.isDamaged else { return }
    try adopt(id, reading.position, records)
  }

  /// Loads a session.
  ///
  /// - Returns: the result of reading its log, and the records that must be appended because other records are lost.
  private func load(
    _ id: SessionID
  ) throws(CommandError) -> (reading: LogReading, records: [SessionRecord]) {
    let restorer = SessionRestorer(
      id: id, limits: Limits(), digest: { _ in TokenDigest(high: 0, low: 0) },
      now: MonotonicTime(nanoseconds: 0),
      date: .now)
    do throws(StorageError) {
      let loaded = try store.load(
        id, by: restorer, generation: "", freshEpoch: .freshEpoch, folder: data.identity())
      return (loaded.reading, loaded.reading.hasLosses ? loaded.restored.recordsAfterLoss() : [])
    } catch {
      throw .log(id, error)
    }
  }

  private func adopt(
    _ id: SessionID, _ position: LogPosition, _ records: [SessionRecord]
  ) throws(CommandError) {
    try Self.wait { [store] () async throws(StorageError) in
      _ = try await store.adopt(id, position, records)
      await store.release(id)
    }
  }

  /// Accepts the loss of records of a session, so that `verify` no longer reports the loss. Renames files.
  ///
  /// - Returns: the number of damaged bytes that were removed from the session's log.
  func acceptLoss(of id: SessionID) throws(CommandError) -> Int {
    let damage = try CommandError.converting(try store.damage(of: id))
    for (name, _) in damage { try CommandError.converting(try store.accept(name, of: id)) }
    return damage.reduce(0) { $0 + $1.length }
  }

  /// Ends a session. This process must have locked the data folder.
  func end(_ id: SessionID) throws(CommandError) {
    let last = try CommandError.converting(ofLog: id, try store.lastRecord(of: id))
    guard last?.kind != SessionRecord.Kind.end.rawValue else { throw .alreadyEnded(id) }
    let (reading, records) = try load(id)
    try adopt(id, reading.position, records + [EndRecord(at: .now, by: nil).encoded])
  }

  /// Removes a session. This process must have locked the data folder.
  func remove(_ id: SessionID) throws(CommandError) {
    try Self.wait { [store] () async throws(StorageError) in try await store.remove(id) }
  }

  /// Runs an asynchronous operation of the store and waits for it.
  private static func wait(
    _ body: @escaping @Sendable () async throws(StorageError) -> Void
  ) throws(CommandError) {
    let outcome = Guarded<StorageError?>(nil)
    let done = DispatchSemaphore(value: 0)
    Task {
      do throws(StorageError) {
        try await body()
      } catch {
        outcome.withLock { $0 = error }
      }
      done.signal()
    }
    done.wait()
    if let error = outcome.withLock({ $0 }) { throw .storage(error) }
  }

  /// Undoes the end of a session. Appends to its log.
  ///
  /// - Throws: `CommandError` if the session has not ended, no longer exists, or its log cannot be written.
  func restore(_ id: SessionID) throws(CommandError) {
    let isRestored: Bool
    do throws(StorageError) {
      isRestored = try store.append(RestoredRecord(at: .now).encoded, toClosed: id) { last in
        last.kind == SessionRecord.Kind.end.rawValue
      }
    } catch {
      throw try isGone(id, error) ? .gone(id) : .log(id, error)
    }
    guard isRestored else { throw .notEnded(id) }
    // The session may have expired before the append. Then the record is in a removed log, and this call throws `gone`.
    _ = try log(of: id)
  }
}
