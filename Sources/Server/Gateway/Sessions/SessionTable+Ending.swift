internal import FoundationEssentials
internal import Primitives
internal import SessionCore
internal import Storage
internal import Networking
internal import Platform
internal import Wire

extension SessionTable {
  /// Ends a session for all participants. The end is stored before any participant is informed.
  ///
  /// - Throws: `storage-full` if the end cannot be stored, or `ended` if another caller has ended the session before.
  func end(
    _ host: SessionHost, by number: ParticipantNumber?, from address: IPAddress? = nil
  ) async throws(Refusal) {
    while host.isEnding {
      await withCheckedContinuation { host.endWaiters.append($0) }
    }
    guard !host.isRemoved else { throw .ended }
    let id = host.id
    host.isEnding = true
    host.tasksInHand += 1
    defer {
      host.isEnding = false
      let waiting = host.endWaiters
      host.endWaiters = []
      for continuation in waiting { continuation.resume() }
      finishTask(of: host)
    }
    // Entries that arrive while the `end` record is being written are not stored, but are still sent to all participants.
    let isSealed = await persister.writeFinalRecord(.end(by: number), of: host)
    guard !host.isRemoved else { throw .ended }
    guard isSealed else { throw .notSaved }
    log(
      .info, "session ended",
      [
        "session": .session(id), "participant": .number(number ?? 0), "remote": .address(address),
      ])
    // The participants get all entries of the session before their sockets are closed.
    broadcaster.endTurnAtOnce(of: host)
    broadcaster.flushPending(in: host)
    let effects = host.session.end()
    remove(host)
    counters.values.sessionsEnded += 1
    environment.ledger.update(id) { $0.hasEnded = true }
    uploads.endUploads(of: host, keepsFiles: false)
    if host.isByStore {
      endedSessionCache[id] = host
      host.scheduledAt = nil
      host.laterDeadlines = []
      scheduleForgetting(host)
      func discard() async { await uploads.discardEnded(of: id) }
      tasks.start(discard)
      func release() async {
        // This gateway writes no more records of the session. It gives up the ownership of the session, so that the command
        // `restore` can write records.
        let lease = await lease(id)
        defer { extendLifetime(lease) }
        // During the wait for the lease, `restore` may have reopened the session, and a request may have loaded it.
        if self[id] == nil { await environment.store.release(id) }
      }
      tasks.start(release)
    } else {
      environment.ledger.forget(id)
      endedIDs.insert(id, now: now)
      removeStored(id)
    }
    sockets.perform(effects, in: host)
  }

  // MARK: - Expiry

  /// Returns the time at which a session expires, or at which to check its expiry again; nil while it has participants.
  ///
  /// A session on the disk expires only if the monotonic clock and a trusted wall clock agree that the session's time is over.
  func expiryDeadline(of host: SessionHost, _ deadlines: SessionDeadlines) -> MonotonicTime? {
    guard let expiry = deadlines.expiry else { return nil }
    guard expiry <= now, host.isByStore else { return expiry }
    let date = environment.removal.clock.date
    let wait = environment.removal.wait(now: now)
    guard wait == .zero else { return now.adding(milliseconds: max(1000, Int(wait.wholeMilliseconds))) }
    let kept = expiry.seconds(since: host.session.emptySince ?? expiry)
    guard let since = host.session.emptySinceDate(now: now, date: date),
      date.timeIntervalSince(since) < kept - Self.clockTolerance
    else { return expiry }
    return now.adding(seconds: Self.expiryRetrySeconds)
  }

  /// The time in seconds until the gateway checks the expiry of a session again, if the monotonic clock and the wall clock
  /// disagree about the expiry.
  private static let expiryRetrySeconds = 60
  /// The maximum difference in seconds at which the monotonic clock and the wall clock still agree about an expiry.
  private static let clockTolerance = 60.0

  /// Removes an expired session.
  func expire(_ host: SessionHost) {
    log(.info, "session expired", ["session": .session(host.id)])
    remove(host)
    endedIDs.insert(host.id, now: now)
    counters.values.sessionsEnded += 1
    environment.ledger.forget(host.id)
    uploads.endUploads(of: host, keepsFiles: false)
    removeStored(host.id)
  }

  /// Discards the incomplete uploads of a session, and removes the session from the store.
  private func removeStored(_ id: SessionID) {
    func remove() async {
      let lease = await lease(id)
      defer { extendLifetime(lease) }
      await uploads.discardEnded(of: id)
      guard self[id] == nil else { return }
      do throws(StorageError) {
        try await environment.store.remove(id)
        // While this function removed the session, the sweeper may have added the session to the ledger again.
        environment.ledger.forget(id)
      } catch {
        log(.error, "session not removed", ["session": .session(id), "reason": "\(error)"])
      }
    }
    tasks.start(remove)
  }

  /// Unloads a session whose ownership another gateway has taken over. Closes the session's sockets, so that the clients
  /// reconnect. Entries that were not stored are lost in this gateway, but each client keeps its own entries until they are
  /// committed, and sends them again.
  func dropLost(_ id: SessionID) {
    guard let host = self[id] else { return }
    log(.warning, "session lost", ["session": .session(id)])
    for socket in sockets.sockets where socket.live === host && !socket.isClosing {
      socket.disconnect(.restarting(retryAfterMs: sockets.restartDelayMs()))
    }
    // The files of incomplete uploads now belong to the gateway that has taken over the session.
    uploads.endUploads(of: host, keepsFiles: true)
    remove(host)
  }

  /// Removes an expired session from the store, unless the session is in memory. Called for each expired session that a sweep
  /// found.
  func removeStored(_ id: SessionID, hadEnded: Bool) async {
    guard self[id] == nil, !isLeased(id), !isDraining else { return }
    let lease = await lease(id)
    defer { extendLifetime(lease) }
    // The session may have been loaded and unloaded after the sweep.
    guard self[id] == nil, await environment.sweeper?.isOver(id) == true else { return }
    do throws(StorageError) {
      try await environment.store.remove(id)
    } catch {
      log(.error, "session not removed", ["session": .session(id), "reason": "\(error)"])
      return
    }
    endedSessionCache[id] = nil
    log(.info, hadEnded ? "ended session removed" : "session expired", ["session": .session(id)])
    environment.ledger.forget(id)
    guard !hadEnded else { return }
    endedIDs.insert(id, now: now)
  }
}
