internal import SessionCore
internal import Storage
internal import Platform
internal import Wire

extension SessionTable {
  /// Performs an operator's command about a session of this reactor. When the answer is `done`, the result of the command is on
  /// the disk.
  func perform(_ command: SessionCommand) async -> SessionCommand.Answer {
    let id = command.session
    if command.work == .repair { return await repair(id) }
    do throws(Refusal) {
      switch await find(id) {
      case .open(let host):
        let people = host.session.activeParticipantCount
        guard command.work != .delete || people == 0 else {
          return .refused(
            "session \(id) has \(people) \(people == 1 ? "participant" : "participants"): delete --now ends the session first"
          )
        }
        try await end(host, by: nil)
      case .ended:
        if command.work == .end { return .refused("session \(id) has ended already") }
      case .none(let refusal):
        // A session that cannot be loaded can still be removed.
        guard command.work != .end, refusal.code == .internal else { throw refusal }
      }
    } catch {
      return .refused("session \(id): \(error.detail)")
    }
    if command.work != .end, let refusal = await delete(id) { return refusal }
    return .done
  }

  /// Moves damaged bytes out of a session's log. The log of an open session is repaired when the session is loaded. Only the log
  /// of an ended session is repaired here, because the gateway reads an ended session without writing to its log.
  private func repair(_ id: SessionID) async -> SessionCommand.Answer {
    switch await find(id) {
    case .open: return .done
    case .ended: break
    case .none(let refusal): return .refused("session \(id): \(refusal.detail)")
    }
    let lease = await lease(id)
    defer { extendLifetime(lease) }
    guard self[id] == nil else { return .done }
    do throws(StorageError) {
      let loaded = try await environment.nextLoader().load(id)
      // During the wait, the command `restore` may have reopened the session.
      guard loaded.restored.end != nil, loaded.reading.isDamaged else { return .done }
      endedSessionCache[id] = nil
      await environment.store.release(id)
      _ = try await environment.store.adopt(
        id, loaded.reading.position, loaded.reading.hasLosses ? loaded.restored.recordsAfterLoss() : [])
      await environment.store.release(id)
      logFaults(loaded.reading, of: id)
      return .done
    } catch {
      return .refused("session \(id): \(error)")
    }
  }

  /// Removes a session that has ended, or that cannot be loaded.
  ///
  /// - Returns: nil if the session was removed, otherwise the refusal.
  private func delete(_ id: SessionID) async -> SessionCommand.Answer? {
    // Without a sweeper, sessions are in memory only, so there is nothing to remove from the store.
    guard environment.sweeper != nil else { return nil }
    let lease = await lease(id)
    defer { extendLifetime(lease) }
    guard self[id] == nil else {
      return .refused("session \(id) was restored while this command was running")
    }
    endedSessionCache[id] = nil
    do throws(StorageError) {
      try await environment.store.remove(id)
    } catch {
      log(.error, "session not removed", ["session": .session(id), "reason": "\(error)"])
      return .refused("session \(id): \(error)")
    }
    environment.ledger.forget(id)
    endedIDs.insert(id, now: now)
    log(.info, "session deleted", ["session": .session(id)])
    return nil
  }
}
