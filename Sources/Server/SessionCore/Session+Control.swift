package import Wire
package import Primitives

/// Control messages of those who are in, and of the gateway's API.
extension Session {
  /// Takes the price of one control message from its sender's bucket; tells the sender when it lacks it.
  /// - Returns: whether the message is to be acted on.
  package func admitControl(
    _ subscriber: Subscriber, size: Int, now: MonotonicTime, effects: inout [Effect]
  ) -> Bool {
    guard let participant = participant(of: subscriber) else { return false }
    guard participant.bucket.take(size, by: rates, at: now) else {
      effects += refuseForRate(participant, subscriber, clientSequence: nil, size: size, now: now)
      return false
    }
    participant.recordAccepted(now: now, pausesAfter: Self.ignoredRefusalsBeforePause)
    return true
  }

  /// Changes how somebody is shown.
  package func setProfile(_ profile: Profile, of subscriber: Subscriber) {
    guard let participant = participant(of: subscriber), !isRefusedGrowth(subscriber),
      participants.apply(profile, to: participant)
    else { return }
    recordPresence(of: participant) { $0.change(participant.number) }
  }

  /// Sets the session's activity for everyone; the last one in the order wins.
  /// Whoever set it is told when that is committed, as of entries.
  package func setActivity(_ change: ActivityChange, by subscriber: Subscriber, now: MonotonicTime) {
    guard let participant = participant(of: subscriber), !isRefusedGrowth(subscriber) else { return }
    activityState = ActivityPayload(activity: activity.applying(change), by: participant.number)
    save.markSessionDirty()
    announcePresence()
    participant.lastSequence = appendSystem(
      SystemType.activity, activityState.encoded())
    commits.addWaiting(participant, now: now)
  }

  /// Tells somebody that nothing may be added now, if that is so.
  private func isRefusedGrowth(_ subscriber: Subscriber) -> Bool {
    guard let refusal = growthRefusal else { return false }
    if !subscriber.isOutboxFull { enqueueControl(subscriber, GatewayControl.error(refusal).encoded()) }
    return true
  }

  /// Names the session that follows this one. A second request within ten seconds gets the first one's.
  ///
  /// - Parameters:
  ///   - token: of somebody who is or was in this session.
  ///   - now: the present moment.
  ///   - make: gives the new session; called only when one is needed.
  /// - Returns: the following session, and whether it was made now.
  /// - Throws: `token-needed` for a token that is not known here, and what `make` throws.
  package func follow(
    by token: Token, now: MonotonicTime, make: () throws(Refusal) -> SessionID
  ) throws(Refusal) -> (id: SessionID, isNew: Bool) {
    guard let number = formerNumber(of: token) else {
      throw Refusal(
        .tokenNeeded, "Only who is or was in a session makes its successor: send its Participant-Token.")
    }
    if let successor, now.seconds(since: successor.at) < 10 { return (successor.id, false) }
    let id = try make()
    successor = (id, now)
    announcePresence()
    appendSystem(SystemType.newSession, NewSessionPayload(session: id, by: number).encoded())
    return (id, true)
  }
}
