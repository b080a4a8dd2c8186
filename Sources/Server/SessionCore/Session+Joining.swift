package import Primitives
package import Wire
internal import WebSocket

/// Joining and leaving.
extension Session {
  /// Adds a waiting participant for a socket, and sends the list of active participants to the socket. The new participant
  /// becomes active only when the socket joins.
  package mutating func wait(
    _ subscriber: Subscriber, profile: Profile, identity: NewIdentity, now: MonotonicTime
  ) -> [Effect] {
    guard hasPlace else { return [full(subscriber)] }
    guard hasNumber else { return [noNumber(subscriber)] }
    let participant = participants.add(profile, identity, EntryRateLimiter(rates, at: now))
    participants.wait(participant, on: subscriber)
    let others = participants.values.filter { $0.isActive }.map(\.object)
    subscriber.enqueue(
      .text,
      GatewayControl.waiting(Waiting(session: object, participants: others.sorted { $0.number < $1.number }))
        .encoded())
    recordPresence(of: participant) { $0.wait(participant.number) }
    return []
  }

  /// Makes a socket a member of the session. The socket belongs to a new participant, to the participant that waited on the
  /// socket, or to the owner of the token in `join`.
  ///
  /// `limitsJSON` is the JSON of `limits`. If it is nil, the limits are encoded for this join, which takes 50,000 instructions.
  package mutating func join(
    _ subscriber: Subscriber, _ join: Join, identity: NewIdentity, limitsJSON: [UInt8]? = nil,
    now: MonotonicTime
  ) -> [Effect] {
    var effects: [Effect] = []
    let waited = participants.waiting(on: subscriber)
    let resume = join.resume
    var participant: ParticipantState
    var resumed = false
    var token = identity.token
    if let own = resume?.token, let number = number(of: own), let known = participants[number] {
      // The old socket is detached before the new one gets `joined` with the field `acknowledged`, so that no later entry on the
      // old socket is accepted.
      if case .joined(let old) = known.presence {
        detach(old)
        effects.append(.close(connection: old.connection, .resumedElsewhere))
      }
      if let waited { remove(waited, reason: .left) }
      // A participant within its grace time is active, so it already counts toward the limit `participantsPerSession`.
      guard known.isActive || hasPlace else { return [full(subscriber)] }
      participant = known
      token = own
      resumed = true
      rejoin(participant, as: join.profile)
    } else if let waited {
      participant = waited
      participants.apply(join.profile, to: participant)
      enter(participant, token)
    } else {
      guard hasPlace else { return [full(subscriber)] }
      guard hasNumber else { return [noNumber(subscriber)] }
      participant = participants.add(join.profile, identity, EntryRateLimiter(rates, at: now))
      enter(participant, token)
    }
    participant.presence = .joined(subscriber)
    participant.isAwaitingDueEntry = false
    let start = resume.map { catchUpStart($0, acknowledged: participant.acknowledged) } ?? .snapshot
    if resumed, let next = resume?.next, next > 0, next - 1 > participant.acknowledged {
      effects.append(.acknowledgedMoved(participant.number, from: participant.acknowledged, to: next - 1))
      participant.acknowledged = next - 1
      markConsumed(participant)
    }

    if resumed, committed < log.lastSequence {
      // The client regards its earlier entries as committed only when it gets a `committed` message with at least the sequence in
      // `joined`. So the participant waits for such a message.
      participant.lastSequence = log.lastSequence
      commits.addWaiting(participant, now: now)
    }

    attach(subscriber, participant)
    subscriber.enqueue(
      .text,
      GatewayControl.joined(joined(participant, token, resumed: resumed, limitsJSON: limitsJSON)).encoded())

    var kind = resumed ? JoinKind.snapshot : .new
    if case .tail = start { kind = .tail }
    catchingUp.append(PendingCatchUp(subscriber: subscriber, start: start))
    emptyPeriod.end()
    effects.append(.joined(connection: subscriber.connection, participant.number, kind))
    return effects
  }

  /// Returns the kind of catch-up of a returning client.
  private func catchUpStart(_ resume: Resume, acknowledged: UInt32) -> PendingCatchUp.Start {
    guard let after = resume.after, let epoch = resume.epoch, after >= log.droppedThrough else {
      return .snapshot
    }
    if epoch == self.epoch { return after <= log.lastSequence ? .tail(after: after) : .snapshot }
    // The client names acknowledged entries that the restored session does not have. So the client may also have seen other
    // entries that were lost, and gets a snapshot.
    if let next = resume.next, next > 0, next - 1 > acknowledged { return .snapshot }
    guard let last = history.lastCommonSequence(with: epoch), last >= log.droppedThrough else {
      return .snapshot
    }
    return after <= last ? .tail(after: after) : .snapshotWithEntries(after: last)
  }

  /// Begins the grace time of a participant whose socket broke or was closed by its page. Removes a waiting participant.
  package mutating func disconnected(_ subscriber: Subscriber, pageGone: Bool, now: MonotonicTime) {
    guard let participant = participant(of: subscriber) else { return }
    if participant.isWaiting {
      remove(participant, reason: .gone)
      return
    }
    detach(subscriber)
    let seconds = pageGone ? min(5, limits.graceSeconds) : limits.graceSeconds
    participants.beginGrace(of: participant, until: now.adding(seconds: seconds))
  }

  /// Removes a participant that leaves, and revokes its token.
  package mutating func leave(_ subscriber: Subscriber, now: MonotonicTime) -> [Effect] {
    guard let participant = participant(of: subscriber) else { return [] }
    detach(subscriber)
    participants.revokeToken(of: participant)
    remove(participant, reason: .left, now: now)
    return [.close(connection: subscriber.connection, .left)]
  }

  /// Ends the session for all participants, including the participant that requested the end.
  package mutating func end() -> [Effect] {
    participants.values.compactMap { participant in
      guard let subscriber = participant.subscriber else { return nil }
      if participant.isJoined { detach(subscriber) }
      participant.presence = .past
      return .close(connection: subscriber.connection, .ended)
    }
  }

  /// Handles deadlines: ends of grace times, commits, and the progress of uploads.
  package mutating func tick(now: MonotonicTime) {
    while let participant = participants.nextExpired(now: now) {
      remove(participant, reason: .gone, now: now)
    }
    commits.tick(lastSequence: log.lastSequence, now: now)
    journal.flushDeferredProgress(now: now)
  }

  /// Returns the participant of a socket.
  func participant(of subscriber: Subscriber) -> ParticipantState? {
    subscriber.memberIndex >= 0
      ? memberStates[subscriber.memberIndex] : participants.waiting(on: subscriber)
  }

  /// Removes waiting participants when the gateway stops, because their clients do not connect to this session again.
  package mutating func removeWaiting() {
    for number in participants.waiting {
      if let participant = participants[number] { remove(participant, reason: .gone) }
    }
  }

  /// Adds a socket to the members.
  private mutating func attach(_ subscriber: Subscriber, _ participant: ParticipantState) {
    subscriber.memberIndex = members.count
    subscriber.source = .none
    subscribers.append(subscriber)
    memberStates.append(participant)
    members.append(
      Member(
        connection: subscriber.connection, cursor: log.tail, participant: participant.number,
        flush: flushNumber, flags: .special))
  }

  /// Removes a socket from the members. The socket still gets the rest of a partly sent frame, so that no frame is interrupted.
  mutating func detach(_ subscriber: Subscriber) {
    let position = subscriber.memberIndex
    guard position >= 0 else { return }
    keepRestOfFrame(subscriber)
    subscriber.source = .none
    subscriber.caughtUpAt = nil
    subscriber.memberIndex = -1
    members.swapAt(position, members.count - 1)
    subscribers.swapAt(position, subscribers.count - 1)
    memberStates.swapAt(position, memberStates.count - 1)
    members.removeLast()
    subscribers.removeLast()
    memberStates.removeLast()
    if position < subscribers.count { subscribers[position].memberIndex = position }
    catchingUp.removeAll { $0.subscriber === subscriber }
  }

  private func joined(
    _ participant: ParticipantState, _ token: Token, resumed: Bool, limitsJSON: [UInt8]?
  ) -> Joined {
    Joined(
      participant: participant.object, token: token, epoch: epoch, sequence: log.lastSequence,
      committed: committed, acknowledged: participant.acknowledged, resumed: resumed, session: object,
      limits: limits, limitsJSON: limitsJSON)
  }

  private var hasPlace: Bool { participants.occupiedPlaces < limits.participantsPerSession }

  private func full(_ subscriber: Subscriber) -> Effect {
    .close(
      connection: subscriber.connection, .sessionFull(limit: limits.participantsPerSession))
  }

  /// Returns the effect that closes a socket because no participant number is left: all numbers up to the limit in the `numbers`
  /// record on disk are assigned. A number above this limit could be assigned a second time after a crash.
  private func noNumber(_ subscriber: Subscriber) -> Effect {
    .close(connection: subscriber.connection, .tryAgainLater(.storageFull, retryAfterMs: 1000))
  }

  /// Makes a new or waiting participant active.
  private mutating func enter(_ participant: ParticipantState, _ token: Token) {
    participants.activate(participant, token)
    recordPresence(of: participant) { $0.join(participant.number) }
  }

  /// Handles the return of a client with the token of a participant. A past participant becomes active again.
  private mutating func rejoin(_ participant: ParticipantState, as profile: Profile) {
    if participant.isActive {
      guard participants.apply(profile, to: participant) else { return }
      recordPresence(of: participant) { $0.change(participant.number) }
    } else {
      participants.reactivate(participant)
      participants.apply(profile, to: participant)
      recordPresence(of: participant) { $0.join(participant.number) }
    }
  }

  /// Ends a participant's presence and announces the change.
  mutating func remove(
    _ participant: ParticipantState, reason: Departure.Reason, now: MonotonicTime? = nil
  ) {
    let hasJoined = !participant.isWaiting
    if reason == .gone, hasJoined { turn.effects.append(.gone(participant.number)) }
    participants.end(participant, reason)
    recordPresence(of: participant) { $0.leave(participant.id, participant.number, reason: reason) }
    participants.retire(participant, hasJoined: hasJoined)
    forgetOldest()
    if participants.activeCount == 0, let now { emptyPeriod.begin(at: now) }
  }

  /// Forgets the oldest past participants beyond the limit. Keeps their unsaved changes for the next save.
  mutating func forgetOldest() {
    participants.forgetOldest { save.keepRecord(ofForgotten: $0) }
  }
}
