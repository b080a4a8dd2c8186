import SessionClient
import Platform
import Wire

extension SessionCoordinator {
  /// Sets the activity for everyone.
  ///
  /// - Returns: which of this program's changes it is.
  @discardableResult
  func change(payload: JSONValue?) throws(GroupSessionMessenger.SendError) -> Int {
    let membership = try membership()
    // Before it goes: it may be back at once.
    state.withLock { $0.changes.begin(payload) }
    do throws(SendRefusal) {
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

  /// Sets the title alone, unless the activity was set again since.
  func change(title: String, ofRevision revision: Int) {
    let isSame = state.withLock { $0.activityRevision == revision && $0.activity.title != title }
    guard isSame, case 1...Activity.maximumTextScalars = title.unicodeScalars.count else { return }
    // Over the rate, or over: the title stays as it was, which hurts nobody.
    _ = try? membership().change(ActivityChange(title: title))
  }

  /// Sets the activity for everyone once there is room for it; what was set before and did not go out is nobody's any more.
  ///
  /// - Throws: `SendError`, when there will be no room.
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
      // The task is nobody's to cancel.
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

  /// What the session tells of its activity.
  func updateActivity(_ activity: Activity, by number: ParticipantNumber) {
    let revision = state.withLock { state -> Int? in
      state.activity = activity
      let isConfirmed = state.changes.confirm(activity.payload, isMine: number == state.localNumber)
      return isConfirmed && state.deferredPayload == nil ? state.activityRevision : nil
    }
    if let revision { publish(.activity(activity.payload, revision: revision)) }
  }

  /// All was settled: changes of this program's that came to nothing are seen to have.
  func handleSettled() {
    let change = state.withLock { state -> SessionChange? in
      guard state.changes.settle(), state.deferredPayload == nil else { return nil }
      return .activity(state.activity.payload, revision: state.activityRevision)
    }
    if let change { publish(change) }
  }

  /// True when this program has not changed the activity since a revision; otherwise the newer activity is reported later.
  func isCurrent(_ revision: Int) -> Bool {
    state.withLock { $0.activityRevision == revision && $0.changes.isEmpty && $0.deferredPayload == nil }
  }
}

extension GroupSessionMessenger.SendError {
  /// When to try again; nil when that is of no use.
  fileprivate var retryDelay: Duration? {
    switch self {
    case .rateLimited(let time): time
    case .queueFull: .seconds(1)
    case .tooLarge, .typeName, .tooManyParticipants, .notJoined, .invalidated: nil
    }
  }
}
