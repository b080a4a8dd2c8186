internal import Dispatch
internal import FoundationEssentials
internal import Gateway
internal import Primitives
internal import SessionCore
internal import Storage
internal import Platform
internal import Wire

/// The sessions in a data folder, looked at beside the gateway that may have it: no lock is taken, and nothing is written but
/// by `restore` and by `repair`.
final class StoredSessions {
  private let folder: String
  private let executor: BlockingExecutor
  let data: DataFolder
  let store: SessionStore

  /// Looks into a data folder.
  convenience init(in folder: String) throws(DataCommandFailure) {
    let data: DataFolder
    do throws(DataFolderError) {
      data = try DataFolder(beside: folder)
    } catch {
      throw .folder(error)
    }
    try self.init(holding: data, folder)
  }

  /// The sessions of a folder that was opened.
  init(holding data: DataFolder, _ folder: String) throws(DataCommandFailure) {
    self.folder = folder
    self.data = data
    do throws(SystemError) {
      executor = try BlockingExecutor(name: "store")
    } catch {
      throw .thread(error)
    }
    store = SessionStore(FolderDisk(data), on: executor, durability: .full)
  }

  deinit {
    executor.stop()
    executor.join()
  }

  /// Every session, in the order of their ids.
  func all() throws(DataCommandFailure) -> [SessionID] {
    do throws(StorageError) {
      return try store.sessions().sorted { ($0.high, $0.low) < ($1.high, $1.low) }
    } catch {
      throw .storage(error)
    }
  }

  /// The one session whose id begins so.
  func one(_ prefix: SessionPrefix) throws(DataCommandFailure) -> SessionID {
    let found = try all().filter(prefix.matches)
    guard let first = found.first else { throw .noSession(prefix, folder: folder) }
    guard found.count == 1 else { throw .ambiguous(prefix, found) }
    return first
  }

  /// Opens the log of a session.
  func log(of id: SessionID) throws(DataCommandFailure) -> KeptLog {
    do throws(LogError) {
      return try store.log(of: id)
    } catch {
      throw try isGone(id, error) ? .gone(id) : .log(id, error)
    }
  }

  /// Whether a log could not be used because its session was removed; where it is only the log that is missing, that is
  /// another matter.
  func isGone(_ id: SessionID, _ error: LogError) throws(DataCommandFailure) -> Bool {
    guard error.isMissing else { return false }
    return try !all().contains(id)
  }

  /// What there is of a session's uploads and attachments.
  func files(of id: SessionID) throws(DataCommandFailure) -> [StoredFile] {
    do throws(StorageError) {
      return try store.files(of: id)
    } catch {
      throw .storage(error)
    }
  }

  /// True when damaged bytes are in a session's log.
  func isDamaged(_ id: SessionID) throws(DataCommandFailure) -> Bool {
    let log = try log(of: id)
    do throws(LogError) {
      return try log.read { _, _ in }.isDamaged
    } catch {
      throw .log(id, error)
    }
  }

  /// Takes damaged bytes out of the log of a session, in a folder that no gateway has and that this process keeps.
  func mend(_ id: SessionID) throws(DataCommandFailure) {
    let (end, records) = try load(id)
    guard end.isDamaged else { return }
    try adopt(id, end, records)
  }

  /// Reads a session.
  ///
  /// - Returns: the end of its log, and the records that have to follow because others are lost.
  private func load(_ id: SessionID) throws(DataCommandFailure) -> (end: LogEnd, records: [SessionRecord]) {
    let restorer = SessionRestorer(
      id: id, limits: Limits(), digest: { _ in TokenDigest(high: 0, low: 0) },
      now: MonotonicTime(nanoseconds: 0),
      date: .now)
    do throws(LogError) {
      let loaded = try store.load(
        id, by: restorer, generation: "", freshEpoch: .freshEpoch, folder: data.identity())
      return (loaded.end, loaded.end.lost.isEmpty ? [] : loaded.restored.recordsAfterLoss())
    } catch {
      throw .log(id, error)
    }
  }

  private func adopt(
    _ id: SessionID, _ end: LogEnd, _ records: [SessionRecord]
  ) throws(DataCommandFailure) {
    try Self.wait { [store] () async throws(StorageError) in
      _ = try await store.adopt(id, end, records)
      await store.release(id)
    }
  }

  /// Accepts that records of a session are lost, so that `verify` no longer reports it.
  ///
  /// - Returns: the number of damaged bytes that were taken out of its log.
  func acceptLoss(of id: SessionID) throws(DataCommandFailure) -> Int {
    do throws(StorageError) {
      let damage = try store.damage(of: id)
      for (name, _) in damage { try store.accept(name, of: id) }
      return damage.reduce(0) { $0 + $1.length }
    } catch {
      throw .storage(error)
    }
  }

  /// Ends a session of a folder that no gateway has, and that this process keeps.
  func end(_ id: SessionID) throws(DataCommandFailure) {
    let last: LastRecord?
    do throws(LogError) {
      last = try store.lastRecord(of: id)
    } catch {
      throw .log(id, error)
    }
    guard last?.kind != SessionRecord.Kind.end.rawValue else { throw .ended(id) }
    let (end, records) = try load(id)
    try adopt(id, end, records + [EndRecord(at: .now, by: nil).encoded])
  }

  /// Removes a session of a folder that no gateway has, and that this process keeps.
  func remove(_ id: SessionID) throws(DataCommandFailure) {
    try Self.wait { [store] () async throws(StorageError) in try await store.remove(id) }
  }

  /// Waits for what the store does.
  private static func wait(
    _ body: @escaping @Sendable () async throws(StorageError) -> Void
  ) throws(DataCommandFailure) {
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

  /// Undoes the end of a session.
  ///
  /// - Throws: `DataCommandFailure`: it has not ended, it is gone, or its log cannot be written to.
  func restore(_ id: SessionID) throws(DataCommandFailure) {
    let isRestored: Bool
    do throws(LogError) {
      isRestored = try store.append(RestoredRecord(at: .now).encoded, toClosed: id) { last in
        last.kind == SessionRecord.Kind.end.rawValue
      }
    } catch {
      throw try isGone(id, error) ? .gone(id) : .log(id, error)
    }
    guard isRestored else { throw .notEnded(id) }
    // Its time may have come to an end between the two: then what was written to is no session's log any more.
    _ = try log(of: id)
  }
}
