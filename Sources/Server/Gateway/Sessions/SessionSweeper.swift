internal import Networking
internal import FoundationEssentials
internal import SessionCore
internal import Storage
internal import Platform
internal import Primitives
internal import Wire

/// Checks the sessions on the disk without loading them, and finds the expired ones.
actor SessionSweeper {
  /// The result of a sweep over all sessions.
  struct Findings: Sendable {
    /// The expired sessions. `hadEnded` is true for a session that was ended before it expired.
    var due: [(id: SessionID, hadEnded: Bool)] = []
    /// The time until the next useful sweep, in seconds.
    var againInSeconds: Double
  }

  /// The time until which a session is kept, and the session's state for the ledger.
  private struct Life {
    let until: Date
    var hasEnded = false
  }

  /// The maximum length in bytes of a log that the sweeper reads to find out if the session has content.
  private static let smallLog = 1_048_576
  private static let shortestPause = 0.5

  private let executor: BlockingExecutor
  private let store: any SessionStore
  private let attachments: any AttachmentStore
  private let limits: Limits
  private let removal: RemovalGate
  private let ledger: SessionLedger
  /// The maximum time between two sweeps in seconds: a fraction of the shortest time for which a session is kept. Only a sweep
  /// removes expired sessions, so a session may stay on the disk for up to this time after its expiry.
  private let longestPause: Double
  /// Sessions that have content but no `closed` record. The sweeper remembers them so that it reads the log of each only once.
  private var holding: Set<SessionID> = []
  /// The time of the last sweep that checked the sizes of all sessions' attachment files.
  private var filesLookedAt: MonotonicTime?
  private static let attachmentInterval = Duration.seconds(60)

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  init(
    _ store: any SessionStore, _ attachments: any AttachmentStore, on executor: BlockingExecutor,
    limits: Limits, removal: RemovalGate, ledger: SessionLedger
  ) {
    self.store = store
    self.attachments = attachments
    self.executor = executor
    self.limits = limits
    self.removal = removal
    self.ledger = ledger
    let shortest = min(
      limits.sessionKeepSeconds, limits.emptySessionKeepSeconds, limits.endedKeepSeconds, 2400)
    longestPause = max(Self.shortestPause, Double(shortest) / 4)
  }

  /// Checks every session on the disk.
  func look() throws(StorageError) -> Findings {
    var findings = Findings(againInSeconds: longestPause)
    // The date is read before the removal gate is asked. If the wall clock is changed between the two calls, the gate detects the
    // change and forbids removals.
    let now = removal.clock.date
    let wait = removal.wait(now: .now())
    let all = try store.sessions()
    holding.formIntersection(all)
    let looksAtFiles = filesLookedAt.map { .now() - $0 >= Self.attachmentInterval } ?? true
    if looksAtFiles { filesLookedAt = .now() }
    for id in all {
      guard let (life, length) = look(at: id) else { continue }
      report(id, life, logBytes: length, withFiles: looksAtFiles)
      let left = life.until.timeIntervalSince(now)
      if left <= 0, wait > .zero {
        findings.againInSeconds = min(findings.againInSeconds, Double(wait.wholeMilliseconds) / 1000)
      } else if left <= 0 {
        findings.due.append((id, life.hasEnded))
      } else {
        findings.againInSeconds = min(findings.againInSeconds, left)
      }
    }
    findings.againInSeconds = max(findings.againInSeconds, Self.shortestPause)
    ledger.didLoad()
    return findings
  }

  /// Adds all sessions on the disk to the ledger, unless an earlier sweep has added them.
  func load() {
    guard !ledger.isLoaded else { return }
    // An error is ignored here. If it persists, the next scheduled sweep fails too and reports it.
    _ = try? look()
  }

  /// Reports a session to the ledger.
  private func report(_ id: SessionID, _ life: Life, logBytes: Int, withFiles: Bool) {
    let known = ledger.account(of: id)
    let files = known == nil || withFiles ? fileBytes(of: id) : nil
    guard known == nil else {
      ledger.update(id) { account in
        account.until = life.until
        account.hasEnded = life.hasEnded
        guard !account.isOpen else { return }
        account.logBytes = logBytes
        if let files { account.attachmentBytes = files }
      }
      return
    }
    ledger.add(
      SessionAccounts.Account(
        creator: creator(of: id), logBytes: logBytes, attachmentBytes: files ?? 0, hasEnded: life.hasEnded,
        until: life.until), of: id)
    // The session may have been removed after it was listed.
    if look(at: id) == nil { ledger.forget(id) }
  }

  /// Returns the size in bytes of a session's attachments, of the received parts of its uploads, and of its history.
  private func fileBytes(of id: SessionID) -> Int {
    // The sum is only displayed, so files that cannot be read are skipped.
    let pieces = (try? store.historyPieces(of: id)) ?? []
    return ((try? attachments.files(of: id)) ?? []).reduce(pieces.byteCount) { $0 + Int(clamping: $1.length) }
  }

  /// Returns the pseudonym of the creator's address from the first record of a session.
  private func creator(of id: SessionID) -> String? {
    // An unreadable session does not count toward the quota of an address. The damage is reported when the session is loaded.
    guard let body = try? store.header(of: id) else { return nil }
    return (try? SessionHeaderRecord(body.span))?.creator
  }

  /// Returns true if a session has expired and may be removed now. It is called just before the session is removed, because the
  /// session may have changed after the sweep.
  func isOver(_ id: SessionID) -> Bool {
    let now = removal.clock.date
    guard let (life, _) = look(at: id), life.until <= now else { return false }
    return removal.isOpen(now: .now())
  }

  /// Returns the lifetime and the log size of a session.
  ///
  /// - Returns: nil if the session has no log. The sweeper does not touch the other files of such a session.
  private func look(at id: SessionID) -> (Life, logBytes: Int)? {
    do throws(StorageError) {
      let summary = try store.summary(of: id)
      return (life(of: id, summary), summary.byteCount)
    } catch {
      // A session that cannot be read is never removed. The error is reported when the session is loaded.
      return error.isMissing ? nil : (Life(until: .distantFuture), 0)
    }
  }

  private func life(of id: SessionID, _ summary: LogSummary) -> Life {
    let last = summary.last
    switch last.flatMap({ SessionRecord.Kind(rawValue: $0.kind) }) {
    case .end:
      let at = last.flatMap { try? EndRecord($0.body.span) }?.at ?? summary.modified
      return Life(until: at + Double(limits.endedKeepSeconds), hasEnded: true)
    case .closed:
      guard let closed = last.flatMap({ try? ClosedRecord($0.body.span) }) else { break }
      // `keepsDamage` reads the disk, so it is called only if its answer can change the result.
      let isDamaged = closed.isDamaged || (closed.retainedBytes == 0 && store.keepsDamage(of: id))
      let seconds = limits.keepSeconds(retainedBytes: closed.retainedBytes, isDamaged: isDamaged)
      return Life(until: (closed.emptySince ?? closed.at) + Double(seconds))
    default:
      break
    }
    // Without a `closed` record, the retained bytes are unknown. The last append then counts as the time when the session became
    // empty.
    let empty = summary.modified + Double(limits.keepSeconds(retainedBytes: 0, isDamaged: false))
    if empty <= removal.clock.date, summary.byteCount <= Self.smallLog, retainsNothing(id) {
      return Life(until: empty)
    }
    return Life(until: summary.modified + Double(limits.sessionKeepSeconds))
  }

  /// Reads the log of a session without a `closed` record, and returns true if the session has no content.
  private func retainsNothing(_ id: SessionID) -> Bool {
    guard !holding.contains(id) else { return false }
    var restorer = SessionRestorer(
      id: id, limits: limits, digest: TokenDigest.ofToken,
      now: MonotonicTime.now(), date: removal.clock.date)
    // Damage of the log is not reported here, but when the session is loaded.
    var holdsEntries = false
    let reading = try? store.readRecords(of: id) { (kind, body) throws(RecordError) in
      if kind == SessionRecord.Kind.run.rawValue || kind == SessionRecord.Kind.base.rawValue {
        holdsEntries = true
      }
      try restorer.apply(kind, body)
    } lost: { _ in
    }
    guard let reading, !reading.hasLosses, !store.keepsDamage(of: id) else {
      holding.insert(id)
      return false
    }
    do throws(RecordError) {
      if try restorer.finish(generation: "", freshEpoch: "").takeSession().retainedBytes == 0 { return true }
    } catch {
      // After a power cut, a session's folder may exist although the session's first record was never written. A log without
      // entries then counts as a session without content.
      if error.fault == .missing, !holdsEntries { return true }
    }
    holding.insert(id)
    return false
  }
}
