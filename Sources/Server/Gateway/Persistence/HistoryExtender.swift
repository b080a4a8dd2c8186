internal import Networking
internal import Primitives
internal import SessionCore
internal import Storage

/// Extends the histories of a reactor's sessions with the entries in their logs.
final class HistoryExtender {
  /// The minimum time between a failed extension and the next extension for a client that reads the history.
  private static let retryInterval = Duration.seconds(30)

  private let persister: Persister
  private let clock: LoopClock
  private let counters: ReactorCounters

  init(_ persister: Persister, clock: LoopClock, counters: ReactorCounters) {
    self.persister = persister
    self.clock = clock
    self.counters = counters
  }

  /// True if the gateway keeps the history of a session.
  func keepsHistory(of stored: StoredSession) -> Bool {
    persister.environment.historyBytes > 0 && stored.isByStore && !stored.hasUnusableHistory
  }

  /// Extends the history of a session before its log is compacted, so that the history has all entries that the compaction drops.
  ///
  /// If the extension fails, the history lacks entries, but the compaction goes on: otherwise, the log would grow without a limit.
  func extendBeforeCompaction(_ stored: StoredSession) async {
    await extend(stored, minimumBytes: 1)
  }

  /// Extends the history of a session once more before its log is compacted, unless the previous extension failed.
  func extendAgain(_ stored: StoredSession) async {
    guard stored.extendHistoryAgainAt == nil else { return }
    await extend(stored, minimumBytes: 1)
  }

  /// Extends the history of a session for a client that reads it, if the log has enough entries that the history lacks.
  func extendForReading(_ stored: StoredSession, minimumBytes: Int) async {
    guard stored.extendHistoryAgainAt.map({ $0 <= clock.now }) ?? true else { return }
    await extend(stored, minimumBytes: minimumBytes)
  }

  private func extend(_ stored: StoredSession, minimumBytes: Int) async {
    guard keepsHistory(of: stored), !stored.isRemoved else { return }
    let environment = persister.environment
    let policy = HistoryPolicy(
      byteCount: environment.historyBytes, retainedBytes: stored.session.retainedBytes,
      minimumBytes: minimumBytes)
    do throws(StorageError) {
      let extent = try await environment.store.extendHistory(stored.id, policy)
      stored.extendHistoryAgainAt = nil
      guard extent != stored.history else { return }
      counters.values.historyExtensions += 1
      environment.log(
        .debug, "history written",
        [
          "session": .session(stored.id), "bytes": .number(extent.byteCount),
          "through": .number(extent.through),
        ])
      stored.history = extent
      persister.reportBytes(of: stored)
    } catch {
      guard !stored.isRemoved else { return }
      counters.values.historyFailures += 1
      stored.extendHistoryAgainAt = clock.now + Self.retryInterval
      environment.log(
        .warning, "history not written", ["session": .session(stored.id), "reason": "\(error)"])
    }
  }
}
