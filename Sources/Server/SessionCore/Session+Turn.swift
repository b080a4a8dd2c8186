internal import Wire
package import Primitives

/// The end of a turn: what was collected goes into the segments, and who joined is caught up.
extension Session {
  /// Closes the turn. After it, the shell flushes every subscriber that can be written to.
  package func endTurn(now: MonotonicTime) {
    flushNumber &+= 1
    ridingCommitted.removeAll(keepingCapacity: true)
    trim()
    announcePresence()
    announceOffsets(now: now)
    warnIfNearlyFull()
    log.closeRun()
    catchUp()
    closeSlowSubscribers(now: now)
    sendProgress(now: now)
    let rides = announceBy.map { log.grewThisTurn || unreliableBatch.hasPending || $0 <= now } ?? false
    unreliableBatch.close(committed: rides ? announceCommitted(now: now) : [])
    updateTurnContent()
    log.endTurn()
    snapshotSegments.compact(&index)
  }

  private func updateTurnContent() {
    let entries = log.lastSequence - turnBeganAfter
    // Whoever is told later is in the newest segment: no older one goes before all have it.
    let saysMore = entries > presenceEntries || !unreliableBatch.isEmpty || log.hasNewSegment
    turnContent =
      saysMore ? .entries(withPresence: presenceEntries > 0) : presenceEntries > 0 ? .presence : .nothing
    turnBeganAfter = log.lastSequence
    presenceEntries = 0
  }

  /// Whether `endTurn` has anything to do.
  package var needsTurn: Bool {
    log.hasOpenRun || log.grewThisTurn || !presence.isEmpty || !catchingUp.isEmpty
      || unreliableBatch.hasPending
      || !waitersWithOutput.isEmpty || journal.hasProgress
  }

  /// Gives back what only a turn needs: for a session in which nothing has happened for a while.
  package func releaseRoom() {
    log.releaseRoom()
    unreliableBatch.releaseRoom()
    ridingCommitted = []
    save.releaseRoom()
    roster.drop()
  }

  /// Those who wait and have something to be sent.
  package func takeWaitersWithOutput() -> [Subscriber] {
    defer { waitersWithOutput = [] }
    return waitersWithOutput
  }

  /// What the end of a turn asks the shell to do.
  package func takeEffects() -> [Effect] {
    defer { outgoing = [] }
    return outgoing
  }

  package func takeCounters() -> SessionCounters {
    defer { counters = SessionCounters() }
    return counters
  }

  /// It is time to tell what is committed. What was appended is, where memory is the session's disk.
  func commit(now: MonotonicTime) {
    commitDue = nil
    if !isByStore {
      committed = log.lastSequence
      save.untoldSince = min(save.untoldSince, save.takenSince)
      save.takenSince = .distantFuture
    }
    announceBy = now.adding(milliseconds: Self.announceWithinMs)
  }

  /// Tells what is committed to those whose entries it covers.
  ///
  /// - Returns: the message, for it to ride along with this turn's entries to all who are at the tail; empty when it went to the
  ///   outboxes alone, because there are no entries.
  private func announceCommitted(now: MonotonicTime) -> [UInt8] {
    let message = GatewayControl.committed(sequence: committed).encoded()
    let ridesAlong = log.grewThisTurn || unreliableBatch.hasPending
    ridingCommitted.removeAll(keepingCapacity: true)
    var later: [ParticipantNumber] = []
    var notYet: [ParticipantNumber] = []
    var isForSomebody = false
    for number in awaitingCommitted {
      guard let record = participants[number] else { continue }
      guard record.awaitsFrom <= committed else {
        notYet.append(number)
        continue
      }
      isForSomebody = true
      // What it sent since is for the next message.
      record.awaitsCommitted = record.lastSequence > committed
      if record.awaitsCommitted {
        record.awaitsFrom = committed + 1
        notYet.append(number)
      }
      guard case .joined(let subscriber) = record.presence, subscriber.memberIndex >= 0 else { continue }
      if ridesAlong, members[subscriber.memberIndex].flags.isEmpty {
        ridingCommitted.insert(number)
        continue
      }
      // It knows the epoch, but not yet whether what it holds lasts: nothing comes between `joined` and `catchUp`.
      if subscriber.isOutboxFull || subscriber.isBeforeCatchUp {
        if !record.awaitsCommitted { later.append(number) }
        record.awaitsCommitted = true
      } else {
        enqueueControl(subscriber, message)
      }
    }
    awaitingCommitted = later + notYet
    announceBy = later.isEmpty ? nil : now.adding(milliseconds: Self.commitIntervalMs)
    let untoldSince = save.untoldSince
    save.untoldSince = .distantFuture
    guard isForSomebody else { return [] }
    save.toldAt = now
    if untoldSince <= now { counters.commitWait = max(1, now.nanoseconds - untoldSince.nanoseconds) }
    return ridesAlong ? message : []
  }

  /// A subscriber did not get the turn's unreliable buffer: what was said in it about its own entries is said again.
  func recordMissedUnreliable(_ subscriber: Subscriber, now: MonotonicTime) {
    guard let record = participant(of: subscriber), ridingCommitted.contains(record.number),
      !record.awaitsCommitted
    else { return }
    awaitsCommitted(record, now: now)
  }

  /// Somebody is to be told when everything up to the newest entry is committed.
  func awaitsCommitted(_ record: ParticipantState, now: MonotonicTime) {
    if !record.awaitsCommitted {
      record.awaitsCommitted = true
      record.awaitsFrom = record.lastSequence
      awaitingCommitted.append(record.number)
    }
    if isByStore {
      if record.awaitsFrom <= committed { tellCommitted(now: now) }
    } else if commitDue == nil {
      commitDue = now.adding(milliseconds: Self.commitIntervalMs)
    }
  }

  /// What is on disk is told soon, and not too soon after it was told last.
  func tellCommitted(now: MonotonicTime) {
    guard announceBy == nil, commitDue == nil else { return }
    let due = save.toldAt?.adding(milliseconds: Self.commitIntervalMs) ?? now
    if due <= now {
      announceBy = now.adding(milliseconds: Self.announceWithinMs)
    } else {
      commitDue = due
    }
  }

  /// Drops the oldest segments that lie outside the tail; what they retain goes into the base first.
  private func trim() {
    while log.oldestCanGo(tailBytes: limits.catchUpTailBytes) {
      let oldest = log.segments[0]
      // What is not on disk yet is kept here.
      if isByStore, let last = oldest.frames.last, last.lastSequence > committed { return }
      for position in members.indices where members[position].cursor.segment == oldest.number {
        evict(position, oldest)
      }
      log.dropOldest(into: &snapshotSegments, &index, snapshotEnd: &snapshotEnd)
    }
  }

  /// The segment at a subscriber's cursor goes: it keeps the rest of its frame, and is caught up anew.
  private func evict(_ position: Int, _ segment: Segment) {
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

  /// Brings the base up to date with the whole log.
  private func updateBase() {
    for segment in log.segments where segment.number >= snapshotEnd.segment {
      let offset = segment.number == snapshotEnd.segment ? snapshotEnd.offset : 0
      guard offset < segment.bytes.count else { continue }
      snapshotSegments.take(from: segment, frameIndex: segment.frameIndex(at: offset), index: &index)
    }
    snapshotEnd = log.tail
  }

  private func catchUp() {
    guard !catchingUp.isEmpty else { return }
    let pending = catchingUp
    catchingUp = []
    var snapshot: CatchUp?
    var compressed: CatchUp?
    var withEntries: (after: UInt64, catchUp: CatchUp)?
    for item in pending where item.subscriber.memberIndex >= 0 {
      let subscriber = item.subscriber
      if case .snapshotWithEntries(let after) = item.start {
        if withEntries?.after != after {
          withEntries = makeSnapshot(withEntriesAfter: after).map { (after, $0) }
        }
      }
      if case .tail(let after) = item.start, let (cursor, rest) = log.position(after: after) {
        let control = GatewayControl.catchUp(.tail, epoch: epoch, sequence: log.lastSequence)
        subscriber.enqueue(.text, control.encoded())
        if let rest {
          subscriber.enqueue(frames: rest.framed())
          counters.delivered += rest.entryCount
        }
        members[subscriber.memberIndex].cursor = cursor
        subscriber.source = .live
        subscriber.caughtUpAt = Subscriber.CaughtUpMark(cursor: log.tail, sequence: log.lastSequence)
        counters.tails += 1
      } else if case .snapshotWithEntries(let after) = item.start, let withEntries,
        withEntries.after == after
      {
        subscriber.source = .catchingUp(CatchUpProgress(withEntries.catchUp))
        subscriber.caughtUpAt = Subscriber.CaughtUpMark(cursor: log.tail, sequence: log.lastSequence)
        counters.snapshots += 1
      } else {
        var made = snapshot ?? makeSnapshot()
        snapshot = made
        if subscriber.acceptsCompression, compressor != nil, memoryPressure == nil {
          made = compressed ?? CatchUp(compressed: made)
          compressed = made
        }
        subscriber.source = .catchingUp(CatchUpProgress(made))
        subscriber.caughtUpAt = nil
        counters.snapshots += 1
      }
      members[subscriber.memberIndex].flags.insert(.special)
    }
  }

  /// The state as of now: made once for all who need it in this turn.
  private func makeSnapshot() -> CatchUp {
    if memoryPressure != nil {
      // There is no room for a second form of anything.
      for segment in snapshotSegments.segments { segment.compressedTwin = nil }
      compressedBytes = 0
    }
    updateBase()
    limitPinnedBytes()
    let sequence = log.lastSequence
    let closing = Segment(number: 0, capacity: 64)
    closing.appendControl(GatewayControl.caughtUp(sequence: sequence).encoded())
    return CatchUp(
      sequence: sequence, continuesAt: log.tail, opening: opening(at: sequence),
      snapshotSegments: snapshotSegments.parts(),
      closing: closing)
  }

  /// The state as of now, for those who have seen the entries up to a sequence: what is retained of these, and then the log as it
  /// is. So they get what nobody keeps, too.
  ///
  /// - Returns: nil when the log no longer holds all that follows.
  private func makeSnapshot(withEntriesAfter sequence: UInt64) -> CatchUp? {
    guard let (cursor, rest) = log.position(after: sequence) else { return nil }
    updateBase()
    limitPinnedBytes()
    let closing = Segment(number: 0, capacity: 64)
    if let rest { closing.append(rest) }
    return CatchUp(
      sequence: log.lastSequence, continuesAt: cursor, opening: opening(at: log.lastSequence),
      snapshotSegments: snapshotSegments.parts(through: sequence), closing: closing)
  }

  /// The control message and the state with which a snapshot begins.
  private func opening(at sequence: UInt64) -> Segment {
    let opening = Segment(number: 0, capacity: 1024)
    opening.appendControl(
      GatewayControl.catchUp(.snapshot, epoch: epoch, sequence: sequence).encoded())
    for payload in stateOfParticipants() { appendState(SystemType.participants, payload, to: opening) }
    appendState(
      SystemType.activity, ActivityPayload(activity: activity, by: activitySetBy).encoded(), to: opening)
    // Who comes while nothing is saved has to know it as the others do.
    if let trouble = save.failureNotice { appendState(SystemType.notice, trouble.encoded(), to: opening) }
    if let loss = save.lossNotice {
      appendState(SystemType.notice, loss.encoded(), to: opening)
      save.hasSentLossNotice = true
    }
    return opening
  }

  /// Readers that take long hold on to segments that were rewritten since. Beyond a bound, those who have taken the least
  /// are closed, to come back to what is held now.
  private func limitPinnedBytes() {
    let current = Set(
      (snapshotSegments.segments + snapshotSegments.segments.compactMap(\.compressedTwin)).map {
        ObjectIdentifier($0)
      })
    // Of a thousand who came at once all have one catch-up, which is looked at once.
    var seen: Set<ObjectIdentifier> = []
    var pinned: [ObjectIdentifier: Int] = [:]
    for subscriber in subscribers {
      guard case .catchingUp(let progress) = subscriber.source,
        seen.insert(ObjectIdentifier(progress.catchUp)).inserted
      else { continue }
      for part in progress.catchUp.parts where !current.contains(ObjectIdentifier(part.segment)) {
        pinned[ObjectIdentifier(part.segment)] = part.end
      }
    }
    guard pinned.values.reduce(0, +) > Self.pinnedBytes else { return }
    var slow: [(left: Int, subscriber: Subscriber, progress: CatchUpProgress)] = []
    for subscriber in subscribers {
      guard case .catchingUp(let progress) = subscriber.source else { continue }
      slow.append((progress.left, subscriber, progress))
    }
    slow.sort { $0.left < $1.left }
    var held: Set<ObjectIdentifier> = []
    var bytes = 0
    for item in slow {
      let own = item.progress.catchUp.parts.filter {
        !current.contains(ObjectIdentifier($0.segment)) && !held.contains(ObjectIdentifier($0.segment))
      }
      let more = own.reduce(0) { $0 + $1.end }
      if bytes + more <= Self.pinnedBytes {
        bytes += more
        held.formUnion(own.map { ObjectIdentifier($0.segment) })
      } else {
        slowSubscribers.append(item.subscriber)
      }
    }
  }

  private func closeSlowSubscribers(now: MonotonicTime) {
    let list = slowSubscribers
    slowSubscribers = []
    for subscriber in list { close(subscriber, .tooSlow, now: now, &outgoing) }
  }

  /// How many bytes that the base no longer holds may be held for slow subscribers.
  private static let pinnedBytes = 33_554_432

  private func appendState(_ type: String, _ payload: [UInt8], to segment: Segment) {
    var entry: [UInt8] = []
    GatewayEntry.append(
      to: &entry, flags: [.reliable, .system], sequence: 0, sender: 0, clientSequence: 0,
      type: Array(type.utf8).span, payload: payload.span)
    segment.appendFrame(entry.span, firstSequence: 0, lastSequence: 0, entryCount: 1, targets: nil)
  }
}
