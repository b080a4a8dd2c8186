package import Primitives
internal import Wire

/// Control messages of the gateway (wire protocol, sections 2.1 and 2.2).
extension ClientSession {
  /// Handles a text message. Unknown messages are ignored. Invalid messages are protocol violations.
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
      // Unknown messages and error codes come from later protocol versions and are ignored.
      case .unknownControl, .invalidMember("code"): return
      default: return protocolViolation()
      }
    }
    switch control {
    case .joined(let joined): received(joined)
    case .waiting:
      if phase == .waiting { backoff.recordSuccess(now: now) }
    case .catchUp(let kind, let epoch, let sequence): catchUp(kind, epoch: epoch, at: sequence)
    case .caughtUp(let sequence): caughtUp(sequence)
    case .committed(let sequence):
      guard phase != .waiting, phase != .joining else { return }
      position.commit(sequence)
      outbox.commit(position.committed)
    case .error(let refusal): refused(refusal)
    }
  }

  /// Handles `joined`: the gateway accepted this client, as the former participant or as a new one.
  private mutating func received(_ joined: Joined) {
    guard phase == .joining else { return }
    phase = .catchingUp(isSnapshot: false)
    silentAt = now + Self.silence
    let sameEpoch = position.join(epoch: joined.epoch)
    if joined.resumed, joined.participant.number == identity.outboxNumber {
      outbox.resume(acknowledged: joined.acknowledged, at: joined.sequence, sameEpoch: sameEpoch)
    } else {
      outbox.beginNumberChange(sameEpoch: sameEpoch)
    }
    let isNew = identity.join(joined)
    if isNew {
      pacer = SendPacer(joined.limits, now: now)
    } else {
      pacer.update(joined.limits, now: now)
    }
    state.add(joined.participant)
    limits = joined.limits
    position.commit(joined.committed)
    outbox.commit(position.committed)
    isAway = false
    if !backoff.isShortLived { reportedTrouble = nil }
    if isNew { report(.joined(joined)) }
  }

  private mutating func catchUp(_ kind: CatchUpKind, epoch: String, at sequence: UInt64) {
    guard phase != .waiting, phase != .joining else { return }
    guard epoch == position.epoch, kind == .snapshot || position.delivered != nil else {
      return protocolViolation()
    }
    phase = .catchingUp(isSnapshot: kind == .snapshot)
    if kind == .snapshot {
      position.beginSnapshot(at: sequence)
      state.beginSnapshot()
    } else {
      position.beginTail()
    }
    report(.catchUp(kind))
  }

  private mutating func caughtUp(_ sequence: UInt64) {
    guard case .catchingUp(let isSnapshot) = phase else { return }
    phase = .live
    state.endCatchUp()
    if maySend, isSnapshot, outbox.isAwaited { doubtUntil = now + Self.echoTime }
    position.endCatchUp(at: sequence)
    if identity.participant != nil, !identity.ownsOutbox {
      outbox.endNumberChange()
      identity.takeOverOutbox()
    }
    maySend = true
    backoff.recordSuccess(now: now)
    reportChanges()
    report(.caughtUp)
  }

  /// Reports changes of the session's state. During a catch-up the state is incomplete, and nothing is reported.
  mutating func reportChanges() {
    guard phase == .live else { return }
    for event in state.takeChanges() { report(event) }
  }

  /// Handles the refusal of an entry or a control message (wire protocol, section 3.1).
  private mutating func refused(_ refusal: Refusal) {
    guard maySend else { return }
    switch refusal.code {
    case .rateLimited:
      pacer.drain(now: now)
      pause(refusal, atLeast: .zero)
    case .sessionQuota, .storageFull:
      spaceRefusals += 1
      if spaceRefusals == 1 { report(.trouble("Messages are not accepted yet: \(refusal.detail)")) }
      isProbing = refusal.clientSequence != nil
      pause(refusal, atLeast: .milliseconds(500 * min(16, spaceRefusals)))
      if isProbing { outbox.putRemovalsFirst() }
    case .sequenceGap:
      guard let expected = refusal.expected, outbox.rewind(to: expected) else { return protocolViolation() }
    default:
      guard let clientSequence = refusal.clientSequence, clientSequence > 0 else {
        return refusedControl(refusal)
      }
      if let entry = outbox.refuse(clientSequence) { report(.refused(entry, refusal)) }
      isProbing = false
    }
  }

  /// Drops a control message that was refused permanently, so that the messages after it can be sent. A profile is never refused,
  /// because the gateway sanitises profiles.
  private mutating func refusedControl(_ refusal: Refusal) {
    switch outbox.controlOnSocket {
    case .activity: report(.trouble("The activity was not changed: \(refusal.detail)"))
    case .end: report(.trouble("The session was not ended: \(refusal.detail)"))
    case .entry, .released, nil: return
    }
    outbox.dropDue()
  }

  /// Pauses sending for the time that the gateway asks for, at least `atLeast`. Sending then continues with the refused message.
  private mutating func pause(_ refusal: Refusal, atLeast: Duration) {
    let asked = Duration.milliseconds(Int64(min(refusal.retryAfterMs ?? 1000, 60_000)))
    pacer.pause(until: now + max(asked, atLeast))
    guard let clientSequence = refusal.clientSequence else {
      // The refusal does not say which control message was refused, so both the profile and the control message of the outbox are
      // sent again.
      profile.repeatSending()
      outbox.rewindControl()
      return
    }
    if !outbox.rewind(to: clientSequence) { protocolViolation() }
  }
}
