internal import Wire
package import Primitives

/// Entries of members: each is accepted once, and appended to the log.
extension Session {
  /// Receives a binary message of a member: one or more entries, one directly after the other.
  ///
  /// Refusals are added to the subscriber's outbox. If the message is malformed, the entries before the fault are
  /// accepted, and the socket is closed.
  ///
  /// - Parameters:
  ///   - message: one or more entries.
  ///   - start: the offset of the first entry to accept.
  ///   - most: the maximum number of entries to accept, so that other members are served between the parts of a long message.
  ///   - subscriber: the socket that the message came from.
  ///   - now: the present time.
  ///   - effects: gets the effects; usually there are none.
  /// - Returns: the offset of the next entry, or the message's length when all entries are accepted.
  @discardableResult
  package mutating func receive(
    _ message: Span<UInt8>, startingAt start: Int = 0, entries most: Int = .max, from subscriber: Subscriber,
    now: MonotonicTime, effects: inout [Effect]
  ) -> Int {
    guard subscriber.memberIndex >= 0 else { return message.count }
    let participant = memberStates[subscriber.memberIndex]
    var offset = start
    var left = most
    while offset < message.count, left > 0 {
      left -= 1
      let entry: ClientEntry
      do throws(WireError) {
        entry = try ClientEntry.parse(message, at: offset)
      } catch {
        var reason = CloseReason.badEntry
        reason.detail = error.detail
        effects.append(.refused(connection: subscriber.connection, .badEntry))
        close(subscriber, reason, now: now, &effects)
        return message.count
      }
      if entry.flags.contains(.reliable) {
        receiveReliable(entry, message, participant, subscriber, now, &effects)
      } else {
        receiveUnreliable(entry, message, participant, now)
      }
      offset = entry.end
      // The refusal of this entry may have closed the socket, because the participant ignored refusals or did not read them.
      guard subscriber.memberIndex >= 0 else { return message.count }
    }
    return offset
  }

  /// Receives a reliable entry. The order of the checks is part of the contract: a repeated client sequence, a gap in the client
  /// sequences, the rate limit, then the entry itself.
  private mutating func receiveReliable(
    _ entry: ClientEntry, _ message: Span<UInt8>, _ participant: ParticipantState, _ subscriber: Subscriber,
    _ now: MonotonicTime, _ effects: inout [Effect]
  ) {
    let clientSequence = entry.clientSequence
    guard clientSequence != 0 else {
      guard participant.rateLimiter.take(ClientEntry.fixedLength, by: rates, at: now) else {
        return
      }
      refuse(
        subscriber, EntryError.noSequenceOnReliable.refusal(clientSequence: 0), now: now, &effects)
      return
    }
    guard clientSequence > participant.acknowledged else {
      counters.repeats += 1
      return
    }
    guard clientSequence == participant.acknowledged + 1 else {
      guard !participant.isAwaitingDueEntry else {
        return
      }
      participant.isAwaitingDueEntry = true
      var refusal = Refusal(
        .sequenceGap,
        "Entry \(clientSequence) arrived, but entry \(participant.acknowledged + 1) is expected: send again from that entry."
      )
      refusal.expected = participant.acknowledged + 1
      refusal.clientSequence = clientSequence
      refuse(subscriber, refusal, now: now, &effects)
      return
    }
    let size = entry.payload.count + entry.type.count + entry.targets.count + ClientEntry.fixedLength
    guard participant.rateLimiter.take(size, by: rates, at: now) else {
      effects += refuseForRate(participant, subscriber, clientSequence: clientSequence, size: size, now: now)
      return
    }
    if let error = entry.validationError(in: message, messageBytes: limits.messageBytes) {
      acknowledge(clientSequence, of: participant, now: now)
      markConsumed(participant)
      refuse(subscriber, error.refusal(clientSequence: clientSequence), now: now, &effects)
      return
    }
    var targets: [ParticipantNumber]?
    if entry.flags.contains(.targeted) {
      var list: [ParticipantNumber] = [participant.number]
      for index in 0..<entry.targetCount {
        let number = entry.target(at: index, in: message)
        guard number > 0, number < participants.nextNumber else {
          acknowledge(clientSequence, of: participant, now: now)
          markConsumed(participant)
          var refusal = Refusal(
            .unknownParticipant, "Participant \(number) was never in this session.")
          refusal.clientSequence = clientSequence
          refuse(subscriber, refusal, now: now, &effects)
          return
        }
        list.append(number)
      }
      targets = Array(Set(list)).sorted()
    }
    if !hasRoom(entry), var refusal = roomRefusal(entry) {
      participant.isAwaitingDueEntry = true
      refusal.clientSequence = clientSequence
      refuse(subscriber, refusal, now: now, &effects)
      countIgnoredRefusal(participant, subscriber, retryAfterMs: Refusal.noRoomRetryMs, now: now, &effects)
      return
    }
    acknowledge(clientSequence, of: participant, now: now)
    markAcknowledgedDirty(participant)
    // The session announces the sender's presence before the sender's entry.
    announcePresence()
    append(entry, message, participant, targets: targets, now: now)
  }

  private mutating func receiveUnreliable(
    _ entry: ClientEntry, _ message: Span<UInt8>, _ participant: ParticipantState, _ now: MonotonicTime
  ) {
    counters.unreliableReceived += 1
    // A targeted entry is sent once per target. So for the rate limit, every sixteen targets count as one more entry.
    let size = entry.payload.count + entry.type.count + entry.targets.count + ClientEntry.fixedLength
    guard participant.rateLimiter.take(size, entries: 1 + entry.targetCount / 16, by: rates, at: now),
      entry.validationError(in: message, messageBytes: limits.messageBytes) == nil
    else {
      counters.unreliableRefused += 1
      return
    }
    var targets: [ParticipantNumber]?
    if entry.flags.contains(.targeted) {
      var list: [ParticipantNumber] = []
      for index in 0..<entry.targetCount {
        let number = entry.target(at: index, in: message)
        guard number > 0, number < participants.nextNumber else {
          counters.unreliableRefused += 1
          return
        }
        list.append(number)
      }
      targets = Array(Set(list)).sorted()
    }
    var bytes: [UInt8] = []
    GatewayEntry.append(
      to: &bytes, flags: entry.flags, sequence: 0, sender: participant.number, clientSequence: 0,
      type: message.extracting(entry.type), payload: message.extracting(entry.payload))
    let type = message.extracting(entry.type)
    var name: [UInt8] = []
    name.append(type)
    counters.unreliableDropped += unreliableBatch.add(
      sender: participant.number, type: name, targets: targets, entry: bytes)
  }

  /// Counts the next expected client sequence as received, even if the entry is refused as faulty.
  private func acknowledge(_ clientSequence: UInt32, of participant: ParticipantState, now: MonotonicTime) {
    participant.acknowledged = clientSequence
    participant.isAwaitingDueEntry = false
    participant.recordAccepted(now: now, pausesAfter: Self.ignoredRefusalsBeforePause)
  }

  /// Returns true if there is certainly room for this entry, which is the usual case. If false, `roomRefusal` decides.
  private func hasRoom(_ entry: ClientEntry) -> Bool {
    !hasTooManyUnsaved && !growth.isClosed && fits(entry)
  }

  /// Returns the refusal of an entry for which the session has no room; nil if there is room.
  private func roomRefusal(_ entry: ClientEntry) -> Refusal? {
    if let refusal = growthRefusal, !passes(entry) { return refusal }
    if growth.isClosed, entry.flags.retention != .remove {
      guard let held = memoryPressure else { return dataRefusal }
      return memoryPressureRefusal(held)
    }
    guard !fits(entry) else { return nil }
    return .noRoom(
      .sessionQuota,
      "This session stores at most \(limits.sessionLogBytes) bytes, and has \(retained.index.byteCount). Remove something first.",
      limit: limits.sessionLogBytes, actual: retained.index.byteCount)
  }

  private func memoryPressureRefusal(_ held: Int) -> Refusal {
    .noRoom(
      .storageFull,
      "The gateway's memory is full: its sessions use \(held) bytes of \(limits.memoryBytes). Try again in a moment.",
      limit: limits.memoryBytes, actual: held)
  }

  /// Returns true if an entry is accepted although too many bytes are unsaved. Below twice the limit, every `remove` is accepted.
  /// Above twice the limit, only a `remove` that frees bytes is accepted, so that the unsaved bytes stay bounded.
  private func passes(_ entry: ClientEntry) -> Bool {
    guard entry.flags.retention == .remove else { return false }
    return unsavedBytes < 2 * limits.unsavedSessionBytes
      || retained.index.isRetained(RetainedKey(key: entry.key, isSystem: false))
  }

  private func fits(_ entry: ClientEntry) -> Bool {
    let retention = entry.flags.retention
    guard retention == .append || retention == .replace else { return true }
    let key = RetainedKey(key: entry.key, isSystem: false)
    if entry.flags.contains(.existing), !retained.index.isRetained(key) { return true }
    let growth = retained.index.growth(retention, key: key, length: storedLength(entry))
    return growth <= 0 || retained.index.byteCount + growth <= limits.sessionLogBytes
  }

  private func storedLength(_ entry: ClientEntry) -> Int {
    GatewayEntry.headerLength(flags: entry.flags, typeLength: entry.type.count) + entry.payload.count
  }

  private mutating func append(
    _ entry: ClientEntry, _ message: Span<UInt8>, _ participant: ParticipantState,
    targets: [ParticipantNumber]?, now: MonotonicTime
  ) {
    var flags = entry.flags
    let retention = flags.retention
    let key = RetainedKey(key: entry.key, isSystem: false)
    // The gateway clears the flag `existing`, unless the entry has no effect because its key has no retained entries.
    let changesNothing = flags.contains(.existing) && !retained.index.isRetained(key)
    if !changesNothing { flags.remove(.existing) }
    let (sequence, length) = log.append(
      flags: flags, sender: participant.number, clientSequence: entry.clientSequence, key: entry.key,
      type: message.extracting(entry.type), payload: message.extracting(entry.payload), targets: targets)
    counters.entriesAccepted += 1
    participant.lastSequence = sequence
    if retention != .none, !changesNothing {
      participant.hasRetained = true
      retained.apply(retention, key: key, sequence: sequence, length: length)
    }
    commits.recordEntry(of: participant, now: now)
  }
}
