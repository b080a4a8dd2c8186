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
      state.withLock { $0.changes.giveUp(payload) }
      throw GroupSessionMessenger.SendError(error)
    }
    return state.withLock { state in
      state.postponed = nil
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
      guard let room = error.timeUntilRoom else { throw error }
      time = room
    }
    state.withLock { state in
      state.postponed = Postponed(payload: payload)
      guard state.postponing == nil else { return }
      state.postponing = Task { [weak self] in await self?.sendPostponed(after: time) }
    }
  }

  private func sendPostponed(after time: Duration) async {
    var time = time
    while true {
      // The task is nobody's to cancel.
      try? await Task.sleep(for: time)
      let postponed = state.withLock { state -> Postponed? in
        if state.postponed == nil { state.postponing = nil }
        return state.postponed
      }
      guard let postponed else { return }
      do throws(GroupSessionMessenger.SendError) {
        try change(payload: postponed.payload)
        time = .zero
      } catch {
        if let room = error.timeUntilRoom {
          time = room
        } else {
          state.withLock { $0.postponed = nil }
        }
      }
    }
  }

  /// What the session tells of its activity.
  func activity(_ activity: Activity, by number: ParticipantNumber) {
    let revision = state.withLock { state -> Int? in
      state.activity = activity
      let isNews = state.changes.isNews(activity.payload, isMine: number == state.myNumber)
      return isNews && state.postponed == nil ? state.activityRevision : nil
    }
    if let revision { tell(.activity(activity.payload, revision: revision)) }
  }

  /// All was settled: changes of this program's that came to nothing are seen to have.
  func settled() {
    let change = state.withLock { state -> SessionChange? in
      guard state.changes.settle(), state.postponed == nil else { return nil }
      return .activity(state.activity.payload, revision: state.activityRevision)
    }
    if let change { tell(change) }
  }

  /// True when this program has not changed the activity since a revision; otherwise the newer activity is reported later.
  func isNewest(_ revision: Int) -> Bool {
    state.withLock { $0.activityRevision == revision && $0.changes.isSettled && $0.postponed == nil }
  }
}

extension GroupSessionMessenger.SendError {
  /// When to try again; nil when that is of no use.
  fileprivate var timeUntilRoom: Duration? {
    switch self {
    case .rateLimited(let time): time
    case .queueFull: .seconds(1)
    case .tooLarge, .typeName, .tooManyParticipants, .notJoined, .invalidated: nil
    }
  }
}
