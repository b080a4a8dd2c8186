import Wire

/// This program's changes of the activity that the session has not told back: while there are any, what the session tells
/// is older than what the program has set, and would take that back for a moment.
struct ActivityChanges: Sendable {
  private var underWay: [JSONValue?] = []
  /// How many of `underWay`, from the front, were under way already when all was settled before.
  private var oldOnes = 0
  private var hadTrouble = false

  /// True when no change is under way.
  var isSettled: Bool { underWay.isEmpty }

  /// A change goes out.
  mutating func begin(_ payload: JSONValue?) {
    underWay.append(payload)
  }

  /// It was not taken.
  mutating func giveUp(_ payload: JSONValue?) {
    guard let index = underWay.lastIndex(of: payload) else { return }
    underWay.remove(at: index)
    oldOnes = min(oldOnes, index)
  }

  /// The session tells its activity.
  ///
  /// - Returns: whether that is what the program is to see.
  mutating func isNews(_ payload: JSONValue?, isMine: Bool) -> Bool {
    if isMine, let index = underWay.firstIndex(of: payload) {
      underWay.removeFirst(index + 1)
      oldOnes = max(0, oldOnes - index - 1)
    }
    return underWay.isEmpty
  }

  /// Something was refused for good; it may have been a change.
  mutating func noteTrouble() {
    hadTrouble = true
  }

  /// All that the session had been given is settled; what another thread gives it at that moment is not.
  ///
  /// - Returns: whether the program is to see what the session told last, for changes of its own came to nothing.
  mutating func settle() -> Bool {
    let gone = hadTrouble ? underWay.count : oldOnes
    hadTrouble = false
    underWay.removeFirst(gone)
    oldOnes = underWay.count
    return gone > 0 && underWay.isEmpty
  }
}
