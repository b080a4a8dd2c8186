internal import FoundationEssentials
internal import Primitives
internal import SessionCore
internal import Storage
internal import Networking
internal import Platform
internal import Wire

/// How sessions go: ended by somebody, expired, or put away until somebody comes again.
extension Reactor {
  /// Ends a session for everyone. That is on the disk before anybody is told.
  ///
  /// - Throws: `storage-full` when it cannot be written, and `ended` when somebody else was quicker.
  func end(
    _ hosted: Hosted, by number: ParticipantNumber?, from address: IPAddress? = nil
  ) async throws(Refusal) {
    while hosted.isEnding {
      await withCheckedContinuation { hosted.endWaiters.append($0) }
    }
    guard !hosted.isRemoved else { throw .ended }
    let session = hosted.session
    hosted.isEnding = true
    hosted.tasksInHand += 1
    defer {
      hosted.isEnding = false
      let waiting = hosted.endWaiters
      hosted.endWaiters = []
      for continuation in waiting { continuation.resume() }
      done(with: hosted)
    }
    // What is said while this is written is the last that people see of one another, and on no disk.
    let isSealed = await persister.writeFinalRecord(.end(by: number), of: hosted.stored)
    guard !hosted.isRemoved else { throw .ended }
    guard isSealed else { throw .notSaved }
    shared.log(
      .info, "session ended",
      [
        "session": .session(session.id), "participant": .number(number ?? 0), "remote": .address(address),
      ])
    // What was said before goes out before.
    session.endTurn(now: now)
    flush(session, budget: .max)
    flushWhoWait(in: session)
    let effects = session.end()
    takeOut(hosted)
    counters.values.sessionsEnded += 1
    shared.ledger.update(session.id) { $0.hasEnded = true }
    if session.isByStore {
      endedSessions[session.id] = hosted
      hosted.scheduledAt = nil
      discardUploads(of: hosted)
      scheduleForgetting(hosted)
      // Nothing more is written to it here: `restore` may.
      Task {
        await whileBusy(session.id) {
          // Somebody may have undone the end, and somebody else have come.
          if sessions[session.id] == nil { await shared.store.release(session.id) }
        }
      }
    } else {
      shared.ledger.forget(session.id)
      ended.insert(session.id, now: now)
      removeStored(session.id, with: uploads.endUploads(of: hosted))
    }
    perform(effects, in: hosted)
  }

  /// The time at which a session expires, or at which to check it again; nil while it has participants.
  ///
  /// A session on the disk expires only if the wall clock agrees and is trusted.
  func expiryDeadline(of hosted: Hosted) -> MonotonicTime? {
    guard let expiry = hosted.session.expiresAt else { return nil }
    guard expiry <= now, hosted.session.isByStore else { return expiry }
    let date = shared.removal.clock.date
    let wait = shared.removal.wait(now: now)
    guard wait == .zero else { return now.adding(milliseconds: max(1000, Int(wait.wholeMilliseconds))) }
    let kept = expiry.seconds(since: hosted.session.emptySince ?? expiry)
    guard let since = hosted.session.emptySinceDate(now: now, date: date),
      date.timeIntervalSince(since) < kept - Self.clockTolerance
    else { return expiry }
    return now.adding(seconds: Self.expiryRetrySeconds)
  }

  /// The pause before a session is checked again on whose expiry the two clocks disagree.
  private static let expiryRetrySeconds = 60
  /// The largest difference in seconds at which the two clocks still agree.
  private static let clockTolerance = 60.0

  /// A session's time is over: nobody came back.
  func expire(_ hosted: Hosted) {
    shared.log(.info, "session expired", ["session": .session(hosted.session.id)])
    takeOut(hosted)
    ended.insert(hosted.session.id, now: now)
    counters.values.sessionsEnded += 1
    shared.ledger.forget(hosted.session.id)
    removeStored(hosted.session.id, with: uploads.endUploads(of: hosted))
  }

  /// Drops a session that another gateway took over. Its sockets are closed, so that their clients come back; entries that are not
  /// stored are lost here, and each client still has its own.
  func dropLostSession(_ id: SessionID) {
    guard let hosted = sessions[id] else { return }
    shared.log(.warning, "session lost", ["session": .session(id)])
    for connection in connections.rows {
      guard let connection, let conversation = connection.handler as? WebSocketConversation,
        conversation.hosted === hosted, !conversation.isClosing
      else { continue }
      disconnect(connection, conversation, .restarting(retryAfterMs: restartDelayMs()))
    }
    // The files of its unfinished uploads belong to the new owner.
    _ = uploads.endUploads(of: hosted)
    takeOut(hosted)
  }

  /// Takes a session out of the table of those that are in use.
  func takeOut(_ hosted: Hosted) {
    guard sessions.removeValue(forKey: hosted.session.id) != nil else { return }
    collectCounters(hosted)
    note(hosted, participants: 0, logBytes: 0)
    hosted.isRemoved = true
    shared.ledger.update(hosted.session.id) { $0.isOpen = false }
    persister.countUnsaved(hosted.stored)
    counters.values.sessions -= 1
  }

  private func discardUploads(of hosted: Hosted) {
    let unfinished = uploads.endUploads(of: hosted)
    Task { await uploads.discard(unfinished) }
  }

  /// Removes a session from the store when its unfinished uploads are discarded.
  private func removeStored(_ id: SessionID, with unfinished: [PendingAttachment]) {
    Task {
      await whileBusy(id) {
        await uploads.discard(unfinished)
        guard sessions[id] == nil else { return }
        do throws(StorageError) {
          try await shared.store.remove(id)
          // The sweeper may have found it meanwhile.
          shared.ledger.forget(id)
        } catch {
          shared.log(.error, "session not removed", ["session": .session(id), "reason": "\(error)"])
        }
      }
    }
  }

  // MARK: - Putting away

  /// When a session in which nobody is is put away: it stays on the disk.
  func idleDeadline(of hosted: Hosted) -> MonotonicTime? {
    guard hosted.session.isByStore, draining == nil, !hosted.isRemoved, hosted.isIdle else {
      hosted.idleSince = nil
      return nil
    }
    let since = hosted.idleSince ?? now
    hosted.idleSince = since
    return since.adding(seconds: shared.limits.sessionIdleSeconds)
  }

  /// Puts a session away when its time has come.
  func putAwayIfIdle(_ hosted: Hosted) {
    guard let deadline = idleDeadline(of: hosted), deadline <= now else { return }
    hosted.tasksInHand += 1
    Task {
      await putAway(hosted)
      done(with: hosted)
    }
  }

  /// What was in hand for a session is done.
  func done(with hosted: Hosted) {
    hosted.tasksInHand -= 1
    touchSoon(hosted)
  }

  private func putAway(_ hosted: Hosted) async {
    let session = hosted.session
    guard await close(hosted) else {
      // A disk that does not take it is asked again, but not without a pause.
      hosted.idleSince = now.adding(seconds: 1)
      return
    }
    // Somebody may have come while it was written.
    hosted.tasksInHand -= 1
    let isIdle = hosted.isIdle
    hosted.tasksInHand += 1
    guard !hosted.isRemoved, isIdle, hosted.stored.isClosed else { return }
    takeOut(hosted)
    shared.log(.info, "session put away", ["session": .session(session.id)])
    await whileBusy(session.id) { await shared.store.release(session.id) }
  }

  /// Writes the record that says that all of the session is on the disk.
  func close(_ hosted: Hosted) async -> Bool {
    await persister.writeFinalRecord(.closed, of: hosted.stored)
  }

  /// An ended session is in memory while its attachments are read.
  func scheduleForgetting(_ hosted: Hosted) {
    let since = hosted.idleSince ?? now
    hosted.idleSince = since
    deadlines.insert(hosted.session.id, at: since.adding(seconds: max(1, shared.limits.sessionIdleSeconds)))
  }

  /// Lets go of an ended session that nobody asked for lately.
  func forgetIfIdle(_ id: SessionID) {
    guard let hosted = endedSessions[id] else { return }
    let since = hosted.idleSince ?? now
    hosted.idleSince = since
    let until = since.adding(seconds: max(1, shared.limits.sessionIdleSeconds))
    guard until <= now else {
      // It was asked for since; of several deadlines of its own only the first one sets a new one.
      if hosted.scheduledAt.map({ $0 < until }) ?? true {
        hosted.scheduledAt = until
        deadlines.insert(id, at: until)
      }
      return
    }
    endedSessions[id] = nil
  }
}
