import Wire

/// The activity changes that this program has sent and that the session has not reported back yet.
///
/// While the list is not empty, an activity that the session reports is older than the program's own activity. Publishing the
/// reported activity would undo the program's change for a moment.
struct ActivityChanges: Sendable {
  private var pending: [JSONValue?] = []
  /// The number of changes at the front of `pending` that were already pending at the last call of `settle()`.
  private var settledOnceCount = 0
  private var hadRefusal = false

  /// True when no change is pending.
  var isEmpty: Bool { pending.isEmpty }

  /// Adds a change that is about to be sent.
  mutating func begin(_ payload: JSONValue?) {
    pending.append(payload)
  }

  /// Removes a change that could not be sent.
  mutating func cancel(_ payload: JSONValue?) {
    guard let index = pending.lastIndex(of: payload) else { return }
    pending.remove(at: index)
    settledOnceCount = min(settledOnceCount, index)
  }

  /// Handles an activity that the session reports. If the activity is a change of this program, removes this change and all
  /// earlier changes from the list.
  ///
  /// - Returns: true if the reported activity should be published to the program.
  mutating func confirm(_ payload: JSONValue?, isMine: Bool) -> Bool {
    if isMine, let index = pending.firstIndex(of: payload) {
      pending.removeFirst(index + 1)
      settledOnceCount = max(0, settledOnceCount - index - 1)
    }
    return pending.isEmpty
  }

  /// Records a permanent refusal by the gateway. The refused message may have been a change of the activity.
  mutating func recordRefusal() {
    hadRefusal = true
  }

  /// Records that all sent messages are on the gateway's disk. A change that was sent and is still in `pending` was lost, so this
  /// method removes it. But a change that another thread sends at the same moment may not be on the disk yet. So a change is
  /// removed only if it is still in `pending` at a second call, or if the gateway has refused a message.
  ///
  /// - Returns: true if the activity that the session reported last should be published, because the program's own changes were
  ///   lost.
  mutating func settle() -> Bool {
    let lostCount = hadRefusal ? pending.count : settledOnceCount
    hadRefusal = false
    pending.removeFirst(lostCount)
    settledOnceCount = pending.count
    return lostCount > 0 && pending.isEmpty
  }
}
