internal import Primitives
internal import SessionCore
internal import Storage
internal import Wire

extension SessionTable {
  /// Returns the time at which an idle session is unloaded from memory; nil while the session is in use or the gateway stops.
  func idleDeadline(of host: SessionHost, _ deadlines: SessionDeadlines) -> MonotonicTime? {
    guard deadlines.isUnused, host.isByStore, !isDraining, !host.isRemoved, isIdle(host, deadlines) else {
      host.idleSince = nil
      return nil
    }
    let since = host.idleSince ?? now
    host.idleSince = since
    return since.adding(seconds: limits.sessionIdleSeconds)
  }

  /// Returns true if a session has no participants, sockets, uploads or tasks.
  private func isIdle(_ host: SessionHost, _ deadlines: SessionDeadlines) -> Bool {
    deadlines.isUnused && host.unjoinedSockets == 0 && host.tasksInHand == 0 && !host.isCompacting
      && !uploads.isBusy(in: host)
  }

  /// Unloads a session if it has been idle for the configured time.
  func unloadIfIdle(_ host: SessionHost, _ deadlines: SessionDeadlines) {
    guard let deadline = idleDeadline(of: host, deadlines), deadline <= now else { return }
    host.tasksInHand += 1
    func unload() async {
      await self.unload(host)
      finishTask(of: host)
    }
    tasks.start(unload)
  }

  private func unload(_ host: SessionHost) async {
    guard await close(host) else {
      // The `closed` record could not be written. The gateway tries again after a pause.
      host.idleSince = now.adding(seconds: 1)
      return
    }
    // A participant may have joined while the record was being written, so the session is checked again. The check must not count
    // this task itself.
    host.tasksInHand -= 1
    let isIdle = self.isIdle(host, host.session.deadlines)
    host.tasksInHand += 1
    guard !host.isRemoved, isIdle, host.isClosed else { return }
    // The files of uploads are kept, so that the uploads can continue after the session has been loaded again.
    uploads.endUploads(of: host, keepsFiles: true)
    remove(host)
    log(.info, "session unloaded", ["session": .session(host.id)])
    let lease = await lease(host.id)
    defer { extendLifetime(lease) }
    await environment.store.release(host.id)
  }

  /// Writes the `closed` record, which states that the whole session is stored.
  ///
  /// - Returns: false if the record could not be written.
  func close(_ host: SessionHost) async -> Bool {
    await persister.writeFinalRecord(.closed, of: host)
  }

  // MARK: - Ended sessions

  /// Schedules the check that removes an ended session from memory. Until the removal, the session's attachments can be read.
  func scheduleForgetting(_ host: SessionHost) {
    let since = host.idleSince ?? now
    host.idleSince = since
    setDeadline(of: host.id, since.adding(seconds: max(1, limits.sessionIdleSeconds)))
  }

  /// Removes an ended session from memory, unless it was used recently.
  func forgetIfIdle(_ id: SessionID) {
    guard let host = endedSessionCache[id] else { return }
    let since = host.idleSince ?? now
    host.idleSince = since
    let until = since.adding(seconds: max(1, limits.sessionIdleSeconds))
    guard until <= now else {
      // The session was used after this deadline was set, so a later deadline is needed. If several deadlines of the session have
      // passed, only the first of them sets a later deadline.
      if host.scheduledAt.map({ $0 < until }) ?? true {
        host.scheduledAt = until
        setDeadline(of: id, until)
      }
      return
    }
    endedSessionCache[id] = nil
  }
}
