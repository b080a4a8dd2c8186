internal import FoundationEssentials
internal import SessionCore
internal import Storage
internal import Transport
internal import Wire

/// Looks for sessions on the disk that nobody came back to, without opening them.
actor SessionSweeper {
  /// What a look at all sessions found.
  struct Findings: Sendable {
    /// Those whose time is over, and whether each had ended.
    var due: [(id: SessionID, hadEnded: Bool)] = []
    /// How many have not ended: they count as sessions that are held.
    var held = 0
    var kept = KeptSessions()
    /// When it is worth looking again, in seconds from now.
    var againInSeconds: Double
  }

  /// How long a session is still kept, and what is done then.
  private struct Life {
    let until: Date
    var hasEnded = false
  }

  /// A log up to this length is opened to see whether it holds anything.
  private static let smallLog = 1_048_576
  private static let shortestPause = 0.5

  private let executor: BlockingExecutor
  private let store: SessionStore
  private let limits: Limits
  private let removal: RemovalGate
  /// Sessions that are put away or ended after a look are not known to it: so it comes again within a part of what they are kept.
  private let longestPause: Double
  /// Sessions that were not closed and hold something: looked into once.
  private var holding: Set<SessionID> = []
  /// What their attachments come to, and when that was looked at: every file of every session is.
  private var attachments: (bytes: Int, at: MonotonicTime)?
  private static let attachmentInterval = Duration.seconds(60)

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  init(_ store: SessionStore, on executor: BlockingExecutor, limits: Limits, removal: RemovalGate) {
    self.store = store
    self.executor = executor
    self.limits = limits
    self.removal = removal
    let shortest = min(
      limits.sessionKeepSeconds, limits.emptySessionKeepSeconds, limits.endedKeepSeconds, 2400)
    longestPause = max(Self.shortestPause, Double(shortest) / 4)
  }

  /// Looks at every session on the disk.
  func look() throws(StorageError) -> Findings {
    var findings = Findings(againInSeconds: longestPause)
    // The date first: a clock that is set later closes the gate.
    let now = removal.clock.date
    let wait = removal.wait(now: .now())
    let all = try store.sessions()
    holding.formIntersection(all)
    for id in all {
      guard let life = life(of: id, &findings.kept) else { continue }
      if !life.hasEnded { findings.held += 1 }
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
    findings.kept.attachmentBytes = attachmentBytes(of: all)
    return findings
  }

  /// Whether a session's time is over: looked at once more before it is removed.
  func isOver(_ id: SessionID) -> Bool {
    var kept = KeptSessions()
    let now = removal.clock.date
    guard let life = life(of: id, &kept), life.until <= now else { return false }
    return removal.isOpen(now: .now())
  }

  /// - Returns: nil where there is no log: what is left of such a session is for its operator.
  private func life(of id: SessionID, _ kept: inout KeptSessions) -> Life? {
    do throws(LogError) {
      let log = try store.log(of: id)
      kept.sessions += 1
      kept.logBytes += log.length
      return life(of: id, try log.last(), log)
    } catch {
      // What cannot be read is told to whoever opens it.
      return error.isMissing ? nil : Life(until: .distantFuture)
    }
  }

  private func attachmentBytes(of sessions: [SessionID]) -> Int {
    let now = MonotonicTime.now()
    if let attachments, now - attachments.at < Self.attachmentInterval { return attachments.bytes }
    var bytes = 0
    for id in sessions {
      // A figure to look at: what cannot be looked into now is missing in it.
      for file in (try? store.files(of: id)) ?? [] { bytes += Int(clamping: file.length) }
    }
    attachments = (bytes, now)
    return bytes
  }

  private func life(of id: SessionID, _ last: LastRecord?, _ log: KeptLog) -> Life {
    switch last.flatMap({ SessionRecord.Kind(rawValue: $0.kind) }) {
    case .end:
      let at = last.flatMap { try? EndFacts($0.body.span) }?.at ?? log.modified
      return Life(until: at + Double(limits.endedKeepSeconds), hasEnded: true)
    case .closed:
      guard let closed = last.flatMap({ try? ClosedFacts($0.body.span) }) else { break }
      let seconds = closed.retainedBytes == 0 ? limits.emptySessionKeepSeconds : limits.sessionKeepSeconds
      return Life(until: (closed.emptySince ?? closed.at) + Double(seconds))
    default:
      break
    }
    // It was not closed: what it retains stands nowhere, and who was there last left when it was written to last.
    let empty = log.modified + Double(limits.emptySessionKeepSeconds)
    if empty <= removal.clock.date, log.length <= Self.smallLog, retainsNothing(id) {
      return Life(until: empty)
    }
    return Life(until: log.modified + Double(limits.sessionKeepSeconds))
  }

  /// Whether a session that was not closed holds nothing that anybody would miss.
  private func retainsNothing(_ id: SessionID) -> Bool {
    guard !holding.contains(id) else { return false }
    var restorer = SessionRestorer(
      id: id, limits: limits, digest: TokenDigest.ofToken,
      now: Instant(nanoseconds: MonotonicTime.now().nanoseconds), date: removal.clock.date)
    // What cannot be read, or not to its end, is told to whoever opens it.
    let end = try? store.read(id) { (kind, body) throws(RecordError) in try restorer.apply(kind, body) }
    guard let end, end.damage != .broken else {
      holding.insert(id)
      return false
    }
    do throws(RecordError) {
      if try restorer.finish(generation: "", freshEpoch: "").session.retainedBytes == 0 { return true }
    } catch {
      // A power cut left nothing but its name.
      if error.fault == .missing { return true }
    }
    holding.insert(id)
    return false
  }
}

extension Reactor {
  /// Has the sessions on the disk looked at, when it is time to.
  func sweepSessions() {
    guard number == 0, sweepSessionsAt <= now, draining == nil, let sweeper = shared.sweeper else { return }
    sweepSessionsAt = .distantFuture
    noteRoom()
    Task {
      do throws(StorageError) {
        let changes = shared.sessionChanges
        let findings = try await sweeper.look()
        shared.kept = findings.kept
        // Which folders are of sessions that have ended, their names do not tell.
        let isRight = shared.correctSessions(to: findings.held, since: changes)
        for (id, hadEnded) in findings.due {
          await shared.owner(of: id).removeFromDisk(id, hadEnded: hadEnded)
        }
        let pause = isRight ? findings.againInSeconds : min(findings.againInSeconds, 1)
        sweepSessionsAt = .now() + .milliseconds(Int(pause * 1000))
      } catch {
        shared.log(.error, "sessions not looked at", ["reason": "\(error)"])
        sweepSessionsAt = .now() + .seconds(60)
      }
      loop.wake()
    }
  }

  /// Removes a session of this reactor's that is not in memory, and whose time is over.
  func removeFromDisk(_ id: SessionID, hadEnded: Bool) async {
    now = .now()
    guard sessions[id] == nil, busy[id] == nil, draining == nil else { return }
    await whileBusy(id) { await remove(id, hadEnded: hadEnded) }
  }

  private func remove(_ id: SessionID, hadEnded: Bool) async {
    // Since it was looked at, somebody may have opened it and left again.
    guard let store = shared.store, sessions[id] == nil, await shared.sweeper?.isOver(id) == true else {
      return
    }
    do throws(StorageError) {
      try await store.remove(id)
    } catch {
      shared.log(.error, "session not removed", ["session": .session(id), "reason": "\(error)"])
      return
    }
    now = .now()
    endedSessions[id] = nil
    shared.log(.info, hadEnded ? "ended session removed" : "session expired", ["session": .session(id)])
    guard !hadEnded else { return }
    shared.releaseSession()
    ended.insert(id, now: instant)
  }
}
