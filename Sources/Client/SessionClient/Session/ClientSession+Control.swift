package import Primitives
internal import Wire

/// Control messages of the gateway (2.1, 2.2).
extension ClientSession {
  /// A text message. What is none of a gateway's is passed over.
  package mutating func received(text: Span<UInt8>, now: MonotonicTime) {
    self.now = now
    switch phase {
    case .idle, .opening, .over: return
    case .waiting, .joining, .catchingUp, .live: break
    }
    let control: GatewayControl
    do throws(WireError) {
      control = try GatewayControl.decode(text)
    } catch {
      switch error {
      // Later versions may say more; and a code that is not known means nothing that could be done.
      case .unknownControl, .wrongMember("code"): return
      default: return fault()
      }
    }
    switch control {
    case .joined(let joined): received(joined)
    case .waiting:
      if phase == .waiting { reconnecting.works(now: now) }
    case .catchUp(let kind, let epoch, let sequence): catchUp(kind, epoch: epoch, at: sequence)
    case .caughtUp(let sequence): caughtUp(sequence)
    case .committed(let sequence):
      guard phase != .waiting, phase != .joining else { return }
      committed = max(committed, sequence)
      outbox.commit(committed)
    case .error(let refusal): refused(refusal)
    }
  }

  /// The gateway takes us in, as who we were or as somebody new.
  private mutating func received(_ joined: Joined) {
    guard phase == .joining else { return }
    phase = .catchingUp(isSnapshot: false)
    silentAt = now + Self.silence
    let sameEpoch = joined.epoch == epoch
    if !sameEpoch {
      // `after` keeps its own epoch: `catchUp` tells whether it is valid in the new one.
      epoch = joined.epoch
      committed = 0
    }
    let isNew = !joined.resumed || joined.participant.number != me?.number
    if isNew {
      pace = Pace(joined.limits, now: now)
      pausedUntil = nil
    } else {
      pace.use(joined.limits, now: now)
    }
    if joined.resumed, joined.participant.number == outboxNumber {
      outbox.resume(acknowledged: joined.acknowledged, at: joined.sequence, sameEpoch: sameEpoch)
    } else {
      outbox.depart(sameEpoch: sameEpoch)
    }
    me = joined.participant
    myNumbers.insert(joined.participant.number)
    company.add(joined.participant)
    token = joined.token
    keepsToken = true
    limits = joined.limits
    committed = max(committed, joined.committed)
    outbox.commit(committed)
    isAway = false
    if !reconnecting.isShortLived { toldTrouble = nil }
    if isNew { tell(.joined(joined)) }
  }

  private mutating func catchUp(_ kind: CatchUpKind, epoch: String, at sequence: UInt64) {
    guard phase != .waiting, phase != .joining else { return }
    guard epoch == self.epoch, kind == .snapshot || after != nil else { return fault() }
    phase = .catchingUp(isSnapshot: kind == .snapshot)
    if kind == .snapshot {
      // Until it has ended, what was told is no state that a tail could follow.
      after = nil
      stateSequence = sequence
      company.beginState()
      shelf.clear()
    } else {
      // All entries up to `after` are also the beginning of the new epoch's order.
      afterEpoch = epoch
    }
    tell(.catchUp(kind))
  }

  private mutating func caughtUp(_ sequence: UInt64) {
    guard case .catchingUp(let isSnapshot) = phase else { return }
    phase = .live
    company.endState()
    if maySend, isSnapshot, outbox.isAwaited { doubtUntil = now + Self.echoTime }
    after = max(after ?? 0, sequence)
    afterEpoch = epoch
    if let me, outboxNumber != me.number {
      outbox.arrive()
      outboxNumber = me.number
    }
    maySend = true
    reconnecting.works(now: now)
    tellChanges()
    tell(.caughtUp)
  }

  /// Tells what of the state has changed since it was told; within a catch-up nothing, for half a state is none.
  mutating func tellChanges() {
    guard phase == .live else { return }
    let here = company.here
    let waiting = company.waitingOnes
    if here != toldHere || waiting != toldWaiting {
      toldHere = here
      toldWaiting = waiting
      tell(.participants(active: here, waiting: waiting))
    }
    if let activity, activity != toldActivity {
      toldActivity = activity
      tell(.activity(activity.activity, by: activity.by))
    }
    let attachments = shelf.all
    if attachments != toldAttachments {
      toldAttachments = attachments
      tell(.attachments(attachments))
    }
  }

  /// The gateway refused an entry, or a control message (3.1).
  private mutating func refused(_ refusal: Refusal) {
    guard maySend else { return }
    switch refusal.code {
    case .rateLimited:
      pace.drain(now: now)
      pause(refusal, atLeast: .zero)
    case .sessionQuota, .storageFull:
      refusalsInRow += 1
      if refusalsInRow == 1 { tell(.trouble("What was sent waits: \(refusal.detail)")) }
      isProbing = refusal.clientSequence != nil
      pause(refusal, atLeast: .milliseconds(500 * min(16, refusalsInRow)))
      if isProbing { outbox.putRemovalsFirst() }
    case .sequenceGap:
      guard let expected = refusal.expected, outbox.rewind(to: expected) else { return fault() }
    default:
      guard let clientSequence = refusal.clientSequence, clientSequence > 0 else {
        return refusedControl(refusal)
      }
      if let entry = outbox.refuse(clientSequence) { tell(.refused(entry, refusal)) }
      isProbing = false
    }
  }

  /// A control message is no good: the next is no worse for it. How to be shown is never refused so, for it is within the rules.
  private mutating func refusedControl(_ refusal: Refusal) {
    switch outbox.controlOnSocket {
    case .activity: tell(.trouble("The activity was not changed: \(refusal.detail)"))
    case .end: tell(.trouble("The session was not ended: \(refusal.detail)"))
    case .entry, .nothing, nil: return
    }
    outbox.dropDue()
  }

  /// Waits as the gateway says, and goes on from what it refused.
  private mutating func pause(_ refusal: Refusal, atLeast: Duration) {
    let asked = Duration.milliseconds(Int64(min(refusal.retryAfterMs ?? 1000, 60_000)))
    pausedUntil = now + max(asked, atLeast)
    guard let clientSequence = refusal.clientSequence else {
      // It does not say which: how to be shown may be said twice.
      if hasSaidProfile { saidProfile = nil }
      outbox.rewindControl()
      return
    }
    if !outbox.rewind(to: clientSequence) { fault() }
  }
}
