package import Wire
package import Primitives

internal import struct FoundationEssentials.UUID

/// Coming and going.
extension Session {
  /// A socket wants to know who is here, without being in.
  package func wait(
    _ subscriber: Subscriber, profile: Profile, identity: NewIdentity, now: MonotonicTime
  ) -> [Effect] {
    guard activeCount + waitingCount < limits.participantsPerSession else {
      return [full(subscriber)]
    }
    guard hasNumber else { return [noNumber(subscriber)] }
    let record = admit(profile, lot: identity.lot, id: identity.id, now: now)
    record.presence = .waiting(subscriber)
    waitingNumbers.append(record.number)
    let others = participants.values.filter { $0.isActive }.map(\.participant)
    subscriber.enqueue(
      .text,
      GatewayControl.waiting(Waiting(session: object, participants: others.sorted { $0.number < $1.number }))
        .encoded())
    recordPresence(record) { $0.wait(record.number) }
    return []
  }

  /// A socket joins: as somebody new, as somebody who waited on it, or as who holds the token.
  package func join(_ subscriber: Subscriber, _ join: Join, identity: NewIdentity, now: MonotonicTime)
    -> [Effect]
  {
    var effects: [Effect] = []
    let waited = waiting(on: subscriber)
    let resume = join.resume
    var record: ParticipantState
    var resumed = false
    var token = identity.token
    if let own = resume?.token, let number = number(of: own), let known = participants[number] {
      // The old socket goes before `acknowledged` is told: what it still carried must not count any more.
      if case .joined(let old) = known.presence {
        detach(old)
        effects.append(.close(connection: old.connection, .resumedElsewhere))
      }
      if let waited { remove(waited, reason: .left) }
      // Who waits holds a place.
      guard known.isActive || activeCount + waitingCount < limits.participantsPerSession else {
        return [full(subscriber)]
      }
      record = known
      token = own
      resumed = true
      rejoin(record, as: join.profile)
    } else if let waited {
      record = waited
      waitingNumbers.removeAll { $0 == waited.number }
      apply(join.profile, to: record)
      enter(record, token)
    } else {
      guard activeCount + waitingCount < limits.participantsPerSession else { return [full(subscriber)] }
      guard hasNumber else { return [noNumber(subscriber)] }
      record = admit(join.profile, lot: identity.lot, id: identity.id, now: now)
      enter(record, token)
    }
    record.presence = .joined(subscriber)
    record.isAwaitingDueEntry = false
    let start = resume.map { catchUpStart($0, acknowledged: record.acknowledged) } ?? .snapshot
    if resumed, let next = resume?.next, next > 0, next - 1 > record.acknowledged {
      effects.append(.acknowledgedMoved(record.number, from: record.acknowledged, to: next - 1))
      record.acknowledged = next - 1
      markConsumed(record)
    }

    if resumed, committed < log.lastSequence {
      // All it sent counts as committed only when a `committed` reaches the sequence that `joined` tells.
      record.lastSequence = log.lastSequence
      awaitsCommitted(record, now: now)
    }

    subscriber.memberIndex = members.count
    subscriber.source = .none
    subscribers.append(subscriber)
    members.append(
      Member(
        connection: subscriber.connection, cursor: log.tail, participant: record.number, flush: flushNumber,
        flags: .special))
    subscriber.enqueue(.text, GatewayControl.joined(joined(record, token, resumed: resumed)).encoded())

    var kind = resumed ? JoinKind.snapshot : .new
    if case .tail = start { kind = .tail }
    catchingUp.append(PendingCatchUp(subscriber: subscriber, start: start))
    emptySince = nil
    effects.append(.joined(connection: subscriber.connection, record.number, kind))
    return effects
  }

  /// Returns the way in which a returning client is caught up.
  private func catchUpStart(_ resume: Resume, acknowledged: UInt32) -> PendingCatchUp.Start {
    guard let after = resume.after, let epoch = resume.epoch, after >= log.droppedThrough else {
      return .snapshot
    }
    if epoch == self.epoch { return after <= log.lastSequence ? .tail(after: after) : .snapshot }
    // A client that knows of more entries of its own has seen more of the order than is left.
    if let next = resume.next, next > 0, next - 1 > acknowledged { return .snapshot }
    guard let last = history.lastCommonSequence(with: epoch), last >= log.droppedThrough else {
      return .snapshot
    }
    return after <= last ? .tail(after: after) : .snapshotWithEntries(after: last)
  }

  /// The socket of somebody broke, or was closed by its page: not a leave until the grace time is over.
  package func disconnected(_ subscriber: Subscriber, pageGone: Bool, now: MonotonicTime) {
    guard let record = participant(of: subscriber) else { return }
    if record.isWaiting {
      remove(record, reason: .gone)
      return
    }
    detach(subscriber)
    let seconds = pageGone ? min(5, limits.graceSeconds) : limits.graceSeconds
    let until = now.adding(seconds: seconds)
    record.presence = .away(until: until)
    let position = graces.partitionIndex { $0.until > until }
    graces.insert((until, record.number), at: position)
  }

  /// Somebody leaves for good: the token is given up.
  package func leave(_ subscriber: Subscriber, now: MonotonicTime) -> [Effect] {
    guard let record = participant(of: subscriber) else { return [] }
    detach(subscriber)
    revokeToken(of: record)
    remove(record, reason: .left, now: now)
    return [.close(connection: subscriber.connection, .left)]
  }

  /// Ends the session for everyone, whoever ends it included.
  package func end() -> [Effect] {
    participants.values.compactMap { record in
      guard let subscriber = record.subscriber else { return nil }
      if record.isJoined { detach(subscriber) }
      record.presence = .past
      return .close(connection: subscriber.connection, .ended)
    }
  }

  /// Grace times that are over, what is to be told as committed, and how far uploads are.
  package func tick(now: MonotonicTime) {
    while let first = graces.first, first.until <= now {
      graces.removeFirst()
      guard let record = participants[first.number], case .away(let until) = record.presence,
        until == first.until
      else { continue }
      remove(record, reason: .gone, now: now)
    }
    if let due = commitDue, due <= now { commit(now: now) }
    journal.flushDeferredProgress(now: now)
  }

  /// Whose socket this is.
  func participant(of subscriber: Subscriber) -> ParticipantState? {
    if subscriber.memberIndex >= 0 { return participants[members[subscriber.memberIndex].participant] }
    return waiting(on: subscriber)
  }

  private func waiting(on subscriber: Subscriber) -> ParticipantState? {
    for number in waitingNumbers {
      if let record = participants[number], record.subscriber === subscriber { return record }
    }
    return nil
  }

  /// Removes waiting participants: the gateway stops, and their sockets do not return to this session.
  package func removeWaiting() {
    for number in waitingNumbers {
      if let record = participants[number] { remove(record, reason: .gone) }
    }
  }

  /// Takes the socket out of the session; what it is in the middle of is kept for it, so that no frame is torn.
  func detach(_ subscriber: Subscriber) {
    let position = subscriber.memberIndex
    guard position >= 0 else { return }
    keepRestOfFrame(subscriber)
    subscriber.source = .none
    subscriber.caughtUpAt = nil
    subscriber.memberIndex = -1
    members.swapAt(position, members.count - 1)
    subscribers.swapAt(position, subscribers.count - 1)
    members.removeLast()
    subscribers.removeLast()
    if position < subscribers.count { subscribers[position].memberIndex = position }
    catchingUp.removeAll { $0.subscriber === subscriber }
  }

  private func joined(_ record: ParticipantState, _ token: Token, resumed: Bool) -> Joined {
    Joined(
      participant: record.participant, token: token, epoch: epoch, sequence: log.lastSequence,
      committed: committed, acknowledged: record.acknowledged, resumed: resumed, session: object,
      limits: limits)
  }

  private func full(_ subscriber: Subscriber) -> Effect {
    .close(
      connection: subscriber.connection, .sessionFull(limit: limits.participantsPerSession))
  }

  /// Every number that is left might have been given out before a crash: nobody gets one until the disk takes a new block.
  private func noNumber(_ subscriber: Subscriber) -> Effect {
    .close(connection: subscriber.connection, .tryAgainLater(.storageFull, retryAfterMs: 1000))
  }

  /// Makes a record for somebody new.
  private func admit(_ profile: Profile, lot: UInt64, id: UUID, now: MonotonicTime) -> ParticipantState {
    let record = ParticipantState(
      id: id, number: nextNumber, name: profile.name ?? NameMaker.name(random: lot),
      color: profile.color ?? Palette.pick(avoiding: Set(colorsInUse.keys), random: lot),
      bucket: RateBucket(rates, at: now))
    nextNumber += 1
    participants[record.number] = record
    colorsInUse[record.color, default: 0] += 1
    return record
  }

  /// Somebody is in for the first time, and is known by this token from now on.
  private func enter(_ record: ParticipantState, _ token: Token) {
    let digest = digest(token)
    record.digest = digest
    numberByDigest[digest] = record.number
    activeCount += 1
    recordPresence(record) { $0.join(record.number) }
  }

  private func rejoin(_ record: ParticipantState, as profile: Profile) {
    switch record.presence {
    case .joined, .away:
      if apply(profile, to: record) { recordPresence(record) { $0.change(record.number) } }
    case .past, .waiting, .left:
      past.removeAll { $0 == record.number }
      colorsInUse[record.color, default: 0] += 1
      apply(profile, to: record)
      activeCount += 1
      recordPresence(record) { $0.join(record.number) }
    }
  }

  /// Nobody comes back by it or ends the session, but it still tells who was here.
  private func revokeToken(of record: ParticipantState) {
    guard let digest = record.digest else { return }
    numberByDigest[digest] = nil
    leftByDigest[digest] = record.number
  }

  private func forgetToken(of record: ParticipantState) {
    guard let digest = record.digest else { return }
    numberByDigest[digest] = nil
    leftByDigest[digest] = nil
    record.digest = nil
  }

  /// - Returns: whether that changed anything.
  @discardableResult
  func apply(_ profile: Profile, to record: ParticipantState) -> Bool {
    let name = profile.name ?? record.name
    let color = profile.color ?? record.color
    guard name != record.name || color != record.color else { return false }
    releaseColor(record.color)
    colorsInUse[color, default: 0] += 1
    record.name = name
    record.color = color
    return true
  }

  private func releaseColor(_ color: String) {
    guard let count = colorsInUse[color] else { return }
    colorsInUse[color] = count > 1 ? count - 1 : nil
  }

  /// Tells that somebody is gone, and keeps the name of those who may have drawn something.
  func remove(
    _ record: ParticipantState, reason: Departure.Reason, now: MonotonicTime? = nil
  ) {
    if record.isWaiting { waitingNumbers.removeAll { $0 == record.number } }
    if record.isActive { activeCount -= 1 }
    let waited = record.isWaiting
    if reason == .gone, !waited { outgoing.append(.gone(record.number)) }
    record.presence = reason == .left ? .left : .past
    releaseColor(record.color)
    recordPresence(record) { $0.leave(record.id, record.number, reason: reason) }
    if waited {
      // Never joined, never sent anything: nothing refers to it.
      participants[record.number] = nil
    } else {
      past.append(record.number)
      forgetOldest()
    }
    if activeCount == 0, emptySince == nil, let now { emptySince = now }
  }

  /// Forgets those who are gone longest, when they are more than may be known.
  func forgetOldest() {
    let extra = past.count - limits.pastParticipants
    guard extra > 0 else { return }
    for number in past.prefix(extra) {
      guard let record = participants.removeValue(forKey: number) else { continue }
      save.keepRecord(ofForgotten: record)
      forgetToken(of: record)
      if record.hasRetained { formerSenders[number] = record.participant }
    }
    past.removeFirst(extra)
  }
}
