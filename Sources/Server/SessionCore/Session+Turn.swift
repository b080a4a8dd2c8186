package import Primitives
internal import Wire

/// The end of a turn: new entries are moved into segments, and the catch-up of new members begins.
extension Session {
  /// Ends the turn. The shell then flushes every subscriber whose socket accepts bytes.
  package mutating func endTurn(now: MonotonicTime) {
    flushNumber &+= 1
    commits.beginTurn()
    dropOldSegments()
    announcePresence()
    announceOffsets(now: now)
    warnIfNearlyFull()
    log.closeRun()
    for subscriber in catchUpPending() {
      var effects: [Effect] = []
      close(subscriber, .tooSlow, now: now, &effects)
      turn.effects += effects
    }
    sendProgress(now: now)
    let committedMessage = announceCommitted(now: now)
    unreliableBatch.close(committed: committedMessage)
    turn.end(
      lastSequence: log.lastSequence, presenceEntries: presence.takeEntryCount(),
      hasUnreliable: !unreliableBatch.isEmpty, hasNewSegment: log.hasNewSegment)
    log.endTurn()
    retained.compact()
  }

  /// True when `endTurn` has work to do.
  package var needsTurn: Bool {
    log.hasOpenRun || log.grewThisTurn || !presence.changes.isEmpty || !catchingUp.isEmpty
      || unreliableBatch.hasPending || presence.hasNotifiedWaiters || journal.hasProgress
  }

  /// Returns true if `endTurn` has work to do: because of an event, or because a `committed` message must be sent by `now`.
  package func needsTurn(now: MonotonicTime) -> Bool {
    needsTurn || commits.isDue(canPiggyback: false, now: now)
  }

  /// Frees the memory that is needed only during a turn. The shell calls this for a session without recent events.
  package mutating func releaseRoom() {
    log.releaseRoom()
    unreliableBatch.releaseRoom()
    commits.releaseMemory()
    save.releaseRoom()
    presence.releaseMemory()
  }

  /// Returns the waiting subscribers that have new output since the last call.
  package mutating func takeWaitersWithOutput() -> [Subscriber] {
    presence.takeNotifiedWaiters()
  }

  /// Returns the results of the ended turn that the shell has not fetched yet. One call costs less than a call for each value.
  package mutating func takeTurnResult() -> TurnResult {
    TurnResult(
      content: turn.content, effects: takeEffects(), waitersWithOutput: takeWaitersWithOutput(),
      unsavedBytes: hasUnsaved ? unsavedBytes : nil)
  }

  /// Returns the state of the session for the shell, and resets the counts.
  package mutating func takeStatus() -> SessionStatus {
    SessionStatus(
      counters: takeCounters(), memberCount: members.count, logBytes: logBytes, needsTurn: needsTurn,
      deadlines: deadlines)
  }

  /// Returns the effects of the end of a turn, and clears them.
  package mutating func takeEffects() -> [Effect] {
    guard !turn.effects.isEmpty else { return [] }
    defer { turn.effects = [] }
    return turn.effects
  }

  /// Returns the counts since the last call, and resets them.
  package mutating func takeCounters() -> SessionCounters {
    defer { counters = SessionCounters() }
    return counters
  }

  /// Sends a `committed` message to the participants whose entries the message covers, if the message is due.
  ///
  /// - Returns: the message, if the shell has to send it with the output of this turn to all members that have received the whole
  ///   log; otherwise no bytes.
  private mutating func announceCommitted(now: MonotonicTime) -> [UInt8] {
    let canPiggyback = log.grewThisTurn || unreliableBatch.hasPending
    guard commits.isDue(canPiggyback: canPiggyback, now: now) else { return [] }
    let (participants, members) = (participants.states, members)
    let announcement = commits.announce(now: now) {
      participants[$0]
    } route: {
      Self.committedRoute(of: $0, in: members, canPiggyback: canPiggyback)
    }
    guard announcement.isNeeded else { return [] }
    if announcement.wait > 0 { counters.commitWait = announcement.wait }
    let message = GatewayControl.committed(sequence: committed).encoded()
    for participant in announcement.outboxes {
      if let subscriber = participant.subscriber { enqueueControl(subscriber, message) }
    }
    return canPiggyback ? message : []
  }

  private static func committedRoute(
    of participant: ParticipantState, in members: [Member], canPiggyback: Bool
  ) -> CommitNotifier.Route {
    guard case .joined(let subscriber) = participant.presence, subscriber.memberIndex >= 0 else {
      return .none
    }
    if canPiggyback, members[subscriber.memberIndex].flags.isEmpty { return .piggyback }
    // Before its catch-up, the client knows the epoch, but does not know yet which of its own entries are lost. It could apply a
    // `committed` message to a lost entry. So no `committed` message is sent between `joined` and `catchUp`.
    return subscriber.isOutboxFull || subscriber.isBeforeCatchUp ? .postponed : .outbox
  }

  /// Schedules another `committed` message for a subscriber whose socket did not accept this turn's unreliable frames, if these
  /// frames contained a `committed` message for this subscriber.
  mutating func recordMissedUnreliable(_ subscriber: Subscriber, now: MonotonicTime) {
    guard let participant = participant(of: subscriber) else { return }
    commits.recordMissed(participant, now: now)
  }

  /// Drops the oldest segments outside the tail. Copies their retained entries into the snapshot segments first.
  private mutating func dropOldSegments() {
    while log.oldestCanGo(tailBytes: limits.catchUpTailBytes) {
      let oldest = log.segments[0]
      // The log keeps entries that are not on disk yet.
      if isByStore, let last = oldest.frames.last, last.lastSequence > committed { return }
      for position in members.indices where members[position].cursor.segment == oldest.number {
        evict(position, oldest)
      }
      retained.dropOldest(of: &log)
    }
  }

  /// Evicts a member whose segment is dropped. The member then gets the rest of a partly sent frame, and after that another
  /// catch-up.
  private mutating func evict(_ position: Int, _ segment: Segment) {
    let subscriber = subscribers[position]
    guard case .live = subscriber.source else { return }
    if members[position].cursor.offset == segment.bytes.count, subscriber.caughtUpAt == nil {
      members[position].cursor = Cursor(segment: segment.number + 1, offset: 0)
      return
    }
    keepRestOfFrame(subscriber)
    subscriber.source = .evicted
    subscriber.caughtUpAt = nil
    members[position].flags.insert(.special)
  }
}
