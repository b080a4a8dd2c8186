import SessionClient
import Platform
import Wire

extension SessionCoordinator {
  /// Sets the activity for all participants.
  ///
  /// - Returns: the revision: the number of activity changes that this program has made so far, including this one.
  /// - Throws: `SendError`.
  @discardableResult
  func change(payload: JSONValue?) throws(GroupSessionMessenger.SendError) -> Int {
    let membership = try membership()
    // The change is recorded before it is sent, because the answer may arrive before this function returns.
    state.withLock { $0.changes.begin(payload) }
    do throws(AdmissionError) {
      try membership.change(ActivityChange(title: nil, payload: payload ?? .null))
    } catch {
      state.withLock { $0.changes.cancel(payload) }
      throw GroupSessionMessenger.SendError(error)
    }
    return state.withLock { state in
      state.deferredPayload = nil
      state.activityRevision += 1
      return state.activityRevision
    }
  }

  /// Sets only the title, unless this program has changed the activity since the given revision.
  func change(title: String, ofRevision revision: Int) {
    let isSame = state.withLock { $0.activityRevision == revision && $0.activity.title != title }
    guard isSame, case 1...Activity.maximumTextScalars = title.unicodeScalars.count else { return }
    // If the rate limit is exceeded or the session is over, the title does not change.
    _ = try? membership().change(ActivityChange(title: title))
  }

  /// Sets the activity for all participants, now or as soon as the gateway's rate allows. The change replaces an earlier change
  /// that is still waiting to be sent.
  ///
  /// - Throws: `SendError`, if a later attempt would fail too.
  func changeSoon(payload: JSONValue?) throws(GroupSessionMessenger.SendError) {
    let time: Duration
    do throws(GroupSessionMessenger.SendError) {
      try change(payload: payload)
      return
    } catch {
      guard let room = error.retryDelay else { throw error }
      time = room
    }
    state.withLock { state in
      state.deferredPayload = DeferredPayload(payload: payload)
      guard state.deferredSend == nil else { return }
      state.deferredSend = Task { [weak self] in await self?.sendDeferred(after: time) }
    }
  }

  private func sendDeferred(after time: Duration) async {
    var time = time
    while true {
      // This task is never cancelled, so `sleep` does not throw.
      try? await Task.sleep(for: time)
      let deferredPayload = state.withLock { state -> DeferredPayload? in
        if state.deferredPayload == nil { state.deferredSend = nil }
        return state.deferredPayload
      }
      guard let deferredPayload else { return }
      do throws(GroupSessionMessenger.SendError) {
        try change(payload: deferredPayload.payload)
        time = .zero
      } catch {
        if let room = error.retryDelay {
          time = room
        } else {
          state.withLock { $0.deferredPayload = nil }
        }
      }
    }
  }

  /// Stores the activity that the session reports, and publishes it unless a change of this program is pending.
  func updateActivity(_ activity: Activity, by number: ParticipantNumber) {
    let revision = state.withLock { state -> Int? in
      state.activity = activity
      let isConfirmed = state.changes.confirm(activity.payload, isMine: number == state.localNumber)
      return isConfirmed && state.deferredPayload == nil ? state.activityRevision : nil
    }
    if let revision { publish(.activity(activity.payload, revision: revision)) }
  }

  /// Publishes the activity that the session reported last, if later changes of this program never reached the session.
  func handleSettled() {
    let change = state.withLock { state -> SessionChange? in
      guard state.changes.settle(), state.deferredPayload == nil else { return nil }
      return .activity(state.activity.payload, revision: state.activityRevision)
    }
    if let change { publish(change) }
  }

  /// Returns true if this program has not changed the activity since a revision. If the program has changed the activity, the
  /// session will report that newer activity later.
  func isCurrent(_ revision: Int) -> Bool {
    state.withLock { $0.activityRevision == revision && $0.changes.isEmpty && $0.deferredPayload == nil }
  }
}

extension GroupSessionMessenger.SendError {
  /// The time until the next attempt; nil if another attempt would not help.
  fileprivate var retryDelay: Duration? {
    switch self {
    case .rateLimited(let time): time
    case .queueFull: .seconds(1)
    case .tooLarge, .typeName, .tooManyParticipants, .notJoined, .invalidated: nil
    }
  }
}
