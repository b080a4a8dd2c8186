internal import Networking
internal import FoundationEssentials
internal import SessionCore
internal import Storage
internal import Platform
internal import Primitives
internal import Wire

/// A session is in memory while somebody needs it, and else on the disk: here it is looked for.
extension Reactor {
  /// What became of the search for a session.
  enum Found {
    case open(Hosted)
    /// It has ended; what was attached to it can still be read.
    case ended(Hosted)
    /// There is none, or it cannot be opened.
    case none(Refusal)
  }

  /// Looks for a session of this reactor's; reads it from the disk when it is there. Who comes meanwhile waits for the same.
  func find(_ id: SessionID) async -> Found {
    while true {
      if let hosted = sessions[id] { return .open(hosted) }
      if busy[id] != nil {
        await withCheckedContinuation { busy[id]?.append($0) }
        continue
      }
      if let hosted = endedSessions[id], await isCurrent(hosted) { return .ended(hosted) }
      // While that was looked at, somebody else may have been quicker.
      guard sessions[id] == nil, busy[id] == nil else { continue }
      guard draining == nil else { return .none(.restarting) }
      guard !ended.contains(id, now: now) else { return .none(missing(id)) }
      let hadEnded = endedSessions.removeValue(forKey: id) != nil
      return await whileBusy(id) {
        guard hadEnded else { return await open(id) }
        // The store would go on behind the end that it wrote.
        if sessions[id] == nil { await shared.store.release(id) }
        return await open(id)
      }
    }
  }

  /// A session that takes part in the order at present.
  func findOpen(_ id: SessionID) async -> Result<Hosted, Refusal> {
    switch await find(id) {
    case .open(let hosted): .success(hosted)
    case .ended: .failure(.ended)
    case .none(let refusal): .failure(refusal)
    }
  }

  /// Does something with a session that nobody may open or remove meanwhile.
  func whileBusy<Value>(_ id: SessionID, _ body: () async -> Value) async -> Value {
    while busy[id] != nil {
      await withCheckedContinuation { busy[id]?.append($0) }
    }
    busy[id] = []
    let value = await body()
    let waiting = busy.removeValue(forKey: id) ?? []
    for continuation in waiting { continuation.resume() }
    return value
  }

  /// Whether an ended session is still as it was read: `restore` may have undone its end.
  private func isCurrent(_ hosted: Hosted) async -> Bool {
    hosted.idleSince = nil
    let length = try? await shared.sessionFiles.byteCount(of: hosted.session.id, in: shared.store)
    return length == hosted.stored.logBytes
  }

  private func open(_ id: SessionID) async -> Found {
    if let hosted = sessions[id] { return .open(hosted) }
    let begun = MonotonicTime.now()
    // What it may take in memory at most, whatever its log holds of the past. The load itself says what is wrong with a log.
    let length = (try? await shared.sessionFiles.byteCount(of: id, in: shared.store)) ?? 0
    let room = min(length, shared.limits.sessionLogBytes + shared.limits.catchUpTailBytes)
    guard shared.memory.reserve(room) else {
      return .none(
        .noRoom(
          .storageFull, "The gateway has no room for one more session at present. Try again in a moment.",
          limit: shared.limits.memoryBytes, actual: shared.memory.held))
    }
    defer { shared.memory.release(room) }
    let loaded: SessionLoader.Loaded
    do throws(LogError) {
      loaded = try await shared.nextLoader().load(id)
    } catch {
      return .none(refusal(for: error, of: id))
    }
    let restored = loaded.restored
    let session = restored.session
    let hosted = Hosted(session, compressor: compressor)
    hosted.stored.logBytes = loaded.reading.byteCount
    if restored.end != nil {
      hosted.isRemoved = true
      endedSessions[id] = hosted
      scheduleForgetting(hosted)
      return .ended(hosted)
    }
    guard draining == nil else { return .none(.restarting) }
    do throws(StorageError) {
      switch try await adopt(session, loaded.reading) {
      case .adopted(let byteCount): hosted.stored.logBytes = byteCount
      case .ownedElsewhere: return .none(.ownedElsewhere)
      }
    } catch {
      shared.log(.error, "session not opened", ["session": .session(id), "reason": "\(error)"])
      return .none(unwritable(error))
    }
    session.keepsDamage = loaded.files.keepsDamage || loaded.reading.isDamaged
    logFaults(loaded.reading, of: id)
    sessions[id] = hosted
    counters.values.sessions += 1
    counters.values.sessionsOpened += 1
    shared.log(
      .info, "session opened",
      [
        "session": .session(id), "epoch": restored.isClean ? "kept" : "new",
        "bytes": .number(hosted.stored.logBytes),
        "ms": .number((MonotonicTime.now() - begun).wholeMilliseconds),
      ])
    uploads.restore(restored.uploads, loaded.files, in: hosted)
    // Lost records may have named them.
    if !loaded.reading.hasLosses { uploads.removeOrphans(loaded.files.orphans, of: hosted) }
    persister.reportBytes(of: hosted.stored)
    touch(hosted)
    schedule(hosted)
    return .open(hosted)
  }

  /// Takes over the log of a session that was read, and says there that the session goes on.
  ///
  /// On a full disk the session is opened all the same, to be looked at by those who are known in it: it owes that record.
  private func adopt(
    _ session: Session, _ reading: LogReading
  ) async throws(StorageError) -> Adoption {
    do throws(StorageError) {
      let adoption = try await shared.store.adopt(session.id, reading.position, session.openingRecords())
      session.didSaveOpening()
      return adoption
    } catch {
      guard error.isFull, reading.faults.isEmpty else { throw error }
      persister.reportDisk(error)
      session.didNotSaveOpening()
      return try await shared.store.adopt(session.id, reading.position, [])
    }
  }

  /// The most faults of one log, other than a damaged end, that get a line each.
  private static let loggedFaults = 20

  /// Logs the damage of a session's log for the operator.
  func logFaults(_ reading: LogReading, of id: SessionID) {
    let (inside, atEnd) = (reading.faults.filter { !$0.isAtEnd }, reading.faults.filter(\.isAtEnd))
    for fault in inside.prefix(Self.loggedFaults) + atEnd {
      shared.log(
        fault.isLoss ? .error : .warning,
        fault.isAtEnd ? "log cut" : fault.isLoss ? "log damaged" : "log mended",
        [
          "session": .session(id), "at": .number(fault.range.lowerBound),
          "bytes": .number(fault.range.count), "reason": "\(fault)",
          "rest": fault.isLoss ? "beside it, in log.damaged-N" : "",
        ])
    }
  }

  private func refusal(for error: LogError, of id: SessionID) -> Refusal {
    if error.isMissing { return missing(id) }
    shared.log(.error, "session not opened", ["session": .session(id), "reason": "\(error)"])
    if error.isOutOfDescriptors { return .outOfDescriptors }
    return Refusal(
      .internal,
      "This session is on the gateway's disk but cannot be read; its operator finds the reason in the log.")
  }

  private func unwritable(_ error: StorageError) -> Refusal {
    if error.isOutOfDescriptors { return .outOfDescriptors }
    var refusal = Refusal(
      .storageFull,
      error.isFull
        ? "The gateway's disk is full: this session can be opened again when there is room."
        : "The gateway cannot write to its disk: this session can be opened again when that is mended.")
    refusal.retryAfterMs = 5000
    return refusal
  }
}
