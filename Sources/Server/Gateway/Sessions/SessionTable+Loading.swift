internal import Networking
internal import FoundationEssentials
internal import SessionCore
internal import Storage
internal import Platform
internal import Primitives
internal import Wire

extension SessionTable {
  /// Finds a session of this reactor. Loads the session if it is only in the store. Concurrent callers share one load.
  func find(_ id: SessionID) async -> Found {
    while true {
      if let host = self[id] { return .open(host) }
      if isLeased(id) {
        await waitForLease(of: id)
        continue
      }
      if let host = endedSessionCache[id], await isCurrent(host) { return .ended(host) }
      // Another caller may have loaded or leased the session during the wait.
      guard self[id] == nil, !isLeased(id) else { continue }
      guard !isDraining else { return .none(.restarting) }
      guard !endedIDs.contains(id, now: now) else { return .none(missing(id)) }
      let hadEnded = endedSessionCache.removeValue(forKey: id) != nil
      let lease = await lease(id)
      defer { extendLifetime(lease) }
      guard hadEnded else { return await load(id) }
      // Without this release, the store would append records after the `end` record.
      if self[id] == nil { await environment.store.release(id) }
      return await load(id)
    }
  }

  /// Finds a session. Returns a refusal if the session has ended.
  func findOpen(_ id: SessionID) async -> Result<SessionHost, Refusal> {
    switch await find(id) {
    case .open(let host): .success(host)
    case .ended: .failure(.ended)
    case .none(let refusal): .failure(refusal)
    }
  }

  /// Finds a session for reading its attachments. The session may have ended.
  func findReadable(_ id: SessionID) async -> Result<SessionHost, Refusal> {
    switch await find(id) {
    case .open(let host), .ended(let host): .success(host)
    case .none(let refusal): .failure(refusal)
    }
  }

  /// Returns the refusal for a session that has ended or does not exist.
  func missing(_ id: SessionID) -> Refusal {
    endedSessionCache[id] != nil || endedIDs.contains(id, now: now)
      ? .ended : .noSession
  }

  /// Returns true if the log of an ended session has the same length as when the session was loaded. If the length differs, the
  /// command `restore` may have reopened the session.
  private func isCurrent(_ host: SessionHost) async -> Bool {
    host.idleSince = nil
    let length = try? await environment.files.byteCount(of: host.id, in: environment.store)
    return length == host.logBytes
  }

  private func load(_ id: SessionID) async -> Found {
    if let host = self[id] { return .open(host) }
    let begun = MonotonicTime.now()
    // The load reserves memory for the retained entries and the newest entries of the session. Each of the two parts has a limit,
    // and is at most as long as the session's log file. If the length of the log file cannot be read, 0 is used here, and the
    // load below reports the error.
    let length = (try? await environment.files.byteCount(of: id, in: environment.store)) ?? 0
    let room = min(length, limits.sessionLogBytes) + min(length, limits.catchUpTailBytes)
    guard environment.memory.reserve(room) else {
      return .none(
        .noRoom(
          .storageFull, "The gateway has no memory for one more session at present. Try again in a moment.",
          limit: limits.memoryBytes, actual: environment.memory.held))
    }
    defer { environment.memory.release(room) }
    let loaded: SessionLoader.Loaded
    do throws(StorageError) {
      loaded = try await environment.nextLoader().load(id)
    } catch {
      return .none(refusal(for: error, of: id))
    }
    let restored = loaded.restored
    let host = SessionHost(restored.takeSession(), compressor: compressor)
    host.logBytes = loaded.reading.byteCount
    if restored.end != nil {
      host.isRemoved = true
      endedSessionCache[id] = host
      scheduleForgetting(host)
      return .ended(host)
    }
    guard !isDraining else { return .none(.restarting) }
    do throws(StorageError) {
      switch try await adopt(host, loaded.reading) {
      case .adopted(let byteCount): host.logBytes = byteCount
      case .ownedElsewhere: return .none(.ownedElsewhere)
      }
    } catch {
      log(.error, "session not opened", ["session": .session(id), "reason": "\(error)"])
      return .none(unwritable(error))
    }
    await openHistory(of: host)
    host.session.keepsDamage = loaded.files.keepsDamage || loaded.reading.isDamaged
    logFaults(loaded.reading, of: id)
    insert(host)
    counters.values.sessionsOpened += 1
    log(
      .info, "session opened",
      [
        "session": .session(id), "epoch": restored.isClean ? "kept" : "new",
        "bytes": .number(host.logBytes),
        "ms": .number((MonotonicTime.now() - begun).wholeMilliseconds),
      ])
    uploads.restore(restored.uploads, loaded.files, in: host)
    // Records that were lost may have referred to these files, so the files are kept.
    if !loaded.reading.hasLosses { uploads.removeOrphans(loaded.files.orphans, of: host) }
    persister.reportBytes(of: host)
    broadcaster.touch(host)
    schedule(host)
    return .open(host)
  }

  /// Takes ownership of a loaded session's log, and writes the opening records of the session.
  ///
  /// If the disk is full, the session is still loaded, so that its participants can see the canvas. The next batch then contains
  /// the opening records.
  private func adopt(
    _ host: SessionHost, _ reading: LogReading
  ) async throws(StorageError) -> Adoption {
    do throws(StorageError) {
      let adoption = try await environment.store.adopt(
        host.id, reading.position, host.session.openingRecords())
      host.session.didSaveOpening()
      return adoption
    } catch {
      guard error.isFull, reading.faults.isEmpty else { throw error }
      persister.reportDisk(error)
      host.session.didNotSaveOpening()
      return try await environment.store.adopt(host.id, reading.position, [])
    }
  }

  /// Removes the pieces of a session's history that reach beyond the end of its log. After a power cut, the log may lack entries
  /// that the history has, and the session gives the sequences of these entries to new entries. If `historyBytes` is 0, removes the
  /// whole history.
  ///
  /// The caller calls this function before the session gets its first new entry.
  private func openHistory(of host: SessionHost) async {
    let kept = limits.historyBytes > 0 ? host.session.committed : 0
    do throws(StorageError) {
      host.history = try await environment.store.trimHistory(of: host.id, after: kept)
    } catch {
      // A history that may have wrong entries is neither extended nor served until the session is loaded again.
      host.hasUnusableHistory = true
      log(.error, "history not opened", ["session": .session(host.id), "reason": "\(error)"])
    }
  }

  /// The maximum number of lines that the gateway logs about faults inside one session's log. A damaged end is always logged.
  private static let loggedFaults = 20

  /// Reports the damage of a session's log to the operator, in the gateway's own log.
  func logFaults(_ reading: LogReading, of id: SessionID) {
    let (inside, atEnd) = (reading.faults.filter { !$0.isAtEnd }, reading.faults.filter(\.isAtEnd))
    for fault in inside.prefix(Self.loggedFaults) + atEnd {
      log(
        fault.isLoss ? .error : .warning,
        fault.isAtEnd ? "log cut" : fault.isLoss ? "log damaged" : "log mended",
        [
          "session": .session(id), "at": .number(fault.range.lowerBound),
          "bytes": .number(fault.range.count), "reason": "\(fault)",
          "rest": fault.isLoss ? "in log.damaged-N, beside the log" : "",
        ])
    }
  }

  private func refusal(for error: StorageError, of id: SessionID) -> Refusal {
    if error.isMissing { return missing(id) }
    log(.error, "session not opened", ["session": .session(id), "reason": "\(error)"])
    if error.isOutOfDescriptors { return .outOfDescriptors }
    return Refusal(
      .internal,
      "This session is on the gateway's disk but cannot be read; the gateway's log states the reason.")
  }

  private func unwritable(_ error: StorageError) -> Refusal {
    if error.isOutOfDescriptors { return .outOfDescriptors }
    var refusal = Refusal(
      .storageFull,
      error.isFull
        ? "The gateway's disk is full: this session can be opened again when there is room."
        : "The gateway cannot write to its disk: this session can be opened again when the disk works.")
    refusal.retryAfterMs = 5000
    return refusal
  }
}
