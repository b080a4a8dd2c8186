package import Wire
package import Primitives

/// Control messages of members, and requests of the gateway's API.
extension Session {
  /// Takes the cost of one control message from its sender's bucket, or refuses the message.
  ///
  /// - Returns: true if the message is to be handled.
  package mutating func admitControl(
    _ subscriber: Subscriber, size: Int, now: MonotonicTime, effects: inout [Effect]
  ) -> Bool {
    guard let participant = participant(of: subscriber) else { return false }
    guard participant.rateLimiter.take(size, by: rates, at: now) else {
      effects += refuseForRate(participant, subscriber, clientSequence: nil, size: size, now: now)
      return false
    }
    participant.recordAccepted(now: now, pausesAfter: Self.ignoredRefusalsBeforePause)
    return true
  }

  /// Changes the name and color of a participant.
  package mutating func setProfile(_ profile: Profile, of subscriber: Subscriber) {
    guard let participant = participant(of: subscriber), !isRefusedGrowth(subscriber),
      participants.apply(profile, to: participant)
    else { return }
    recordPresence(of: participant) { $0.change(participant.number) }
  }

  /// Sets the session's activity for all participants. If several members set an activity, the one whose entry is last in the log
  /// counts. The sender gets a `committed` message, as for an entry.
  package mutating func setActivity(_ change: ActivityChange, by subscriber: Subscriber, now: MonotonicTime) {
    guard let participant = participant(of: subscriber), !isRefusedGrowth(subscriber) else { return }
    activityState = ActivityPayload(activity: activity.applying(change), by: participant.number)
    save.markSessionDirty()
    announcePresence()
    participant.lastSequence = appendSystem(
      SystemType.activity, activityState.encoded())
    commits.addWaiting(participant, now: now)
  }

  /// Returns true while the session must not grow. In this case, also sends the subscriber a refusal of its message.
  private mutating func isRefusedGrowth(_ subscriber: Subscriber) -> Bool {
    guard let refusal = growthRefusal else { return false }
    if !subscriber.isOutboxFull { enqueueControl(subscriber, GatewayControl.error(refusal).encoded()) }
    return true
  }

  /// Returns the successor of this session, and creates one if needed. A second request within ten seconds gets the same
  /// successor.
  ///
  /// - Parameters:
  ///   - token: the token of a present or former participant.
  ///   - now: the present time.
  ///   - make: creates the successor; called only if one is needed.
  /// - Returns: the successor, and true if it was created by this call.
  /// - Throws: `token-needed` for an unknown token, and the errors of `make`.
  package mutating func follow(
    by token: Token, now: MonotonicTime, make: () throws(Refusal) -> SessionID
  ) throws(Refusal) -> (id: SessionID, isNew: Bool) {
    guard let number = formerNumber(of: token) else {
      throw Refusal(
        .tokenNeeded,
        "Only a present or former participant can create the successor of a session: send its Participant-Token."
      )
    }
    if let successor, now.seconds(since: successor.at) < 10 { return (successor.id, false) }
    let id = try make()
    successor = (id, now)
    announcePresence()
    appendSystem(SystemType.newSession, NewSessionPayload(session: id, by: number).encoded())
    return (id, true)
  }
}
