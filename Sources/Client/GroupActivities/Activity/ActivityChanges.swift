import Wire

/// This program's changes of the activity that the session has not told back: while there are any, what the session tells
/// is older than what the program has set, and would take that back for a moment.
struct ActivityChanges: Sendable {
  private var pending: [JSONValue?] = []
  /// How many of `underWay`, from the front, were under way already when all was settled before.
  private var settledOnceCount = 0
  private var hadRefusal = false

  /// True when no change is under way.
  var isEmpty: Bool { pending.isEmpty }

  /// A change goes out.
  mutating func begin(_ payload: JSONValue?) {
    pending.append(payload)
  }

  /// It was not taken.
  mutating func cancel(_ payload: JSONValue?) {
    guard let index = pending.lastIndex(of: payload) else { return }
    pending.remove(at: index)
    settledOnceCount = min(settledOnceCount, index)
  }

  /// The session tells its activity.
  ///
  /// - Returns: whether that is what the program is to see.
  mutating func confirm(_ payload: JSONValue?, isMine: Bool) -> Bool {
    if isMine, let index = pending.firstIndex(of: payload) {
      pending.removeFirst(index + 1)
      settledOnceCount = max(0, settledOnceCount - index - 1)
    }
    return pending.isEmpty
  }

  /// Something was refused for good; it may have been a change.
  mutating func recordRefusal() {
    hadRefusal = true
  }

  /// All that the session had been given is settled; what another thread gives it at that moment is not.
  ///
  /// - Returns: whether the program is to see what the session told last, for changes of its own came to nothing.
  mutating func settle() -> Bool {
    let lostCount = hadRefusal ? pending.count : settledOnceCount
    hadRefusal = false
    pending.removeFirst(lostCount)
    settledOnceCount = pending.count
    return lostCount > 0 && pending.isEmpty
  }
}
