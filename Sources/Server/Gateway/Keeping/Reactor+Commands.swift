internal import SessionCore
internal import Storage
internal import Platform
internal import Wire

/// An operator's commands about sessions of this reactor.
extension Reactor {
  /// Performs a command; it is on the disk when this returns `done`.
  func perform(_ command: SessionCommand) async -> SessionCommand.Answer {
    let id = command.session
    if command.work == .repair { return await repair(id) }
    do throws(Refusal) {
      switch await find(id) {
      case .open(let hosted):
        let people = hosted.session.activeParticipantCount
        guard command.work != .delete || people == 0 else {
          return .refused(
            "session \(id) has \(people) \(people == 1 ? "person" : "people") in it: delete --now ends it first"
          )
        }
        try await end(hosted, by: nil)
      case .ended:
        if command.work == .end { return .refused("session \(id) has ended already") }
      case .none(let refusal):
        // A session that cannot be opened can still be removed.
        guard command.work != .end, refusal.code == .internal else { throw refusal }
      }
    } catch {
      return .refused("session \(id): \(error.detail)")
    }
    if command.work != .end, let refusal = await delete(id) { return refusal }
    return .done
  }

  /// Takes damaged bytes out of a session's log. Opening the session does that; one that has ended is not opened.
  private func repair(_ id: SessionID) async -> SessionCommand.Answer {
    switch await find(id) {
    case .open: return .done
    case .ended: break
    case .none(let refusal): return .refused("session \(id): \(refusal.detail)")
    }
    return await whileBusy(id) {
      guard sessions[id] == nil else { return .done }
      do throws(LogError) {
        let loaded = try await shared.nextLoader().load(id)
        // Its end may have been undone meanwhile.
        guard loaded.restored.end != nil, loaded.reading.isDamaged else { return .done }
        endedSessions[id] = nil
        do throws(StorageError) {
          await shared.store.release(id)
          _ = try await shared.store.adopt(
            id, loaded.reading.position,
            loaded.reading.hasLosses ? loaded.restored.recordsAfterLoss() : [])
          await shared.store.release(id)
        } catch {
          throw .file(error)
        }
        logFaults(loaded.reading, of: id)
        return .done
      } catch {
        return .refused("session \(id): \(error)")
      }
    }
  }

  /// Removes a session that has ended, or cannot be opened.
  private func delete(_ id: SessionID) async -> SessionCommand.Answer? {
    // Nothing is left of a session in memory when it has ended.
    guard shared.saving == .byStore else { return nil }
    return await whileBusy(id) {
      guard sessions[id] == nil else { return .refused("session \(id) was restored meanwhile") }
      endedSessions[id] = nil
      do throws(StorageError) {
        try await shared.store.remove(id)
      } catch {
        shared.log(.error, "session not removed", ["session": .session(id), "reason": "\(error)"])
        return .refused("session \(id): \(error)")
      }
      shared.ledger.forget(id)
      ended.insert(id, now: now)
      shared.log(.info, "session deleted", ["session": .session(id)])
      return nil
    }
  }
}
