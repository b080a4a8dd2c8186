internal import SessionCore
internal import Wire

/// Sessions that want to be looked at at some time, the earliest first. A session may stand in it more than once: who is
/// taken out asks the session whether it is really due.
struct DeadlineHeap {
  private var items: [(at: Instant, session: SessionID)] = []

  var earliest: Instant? { items.first?.at }

  mutating func insert(_ session: SessionID, at instant: Instant) {
    items.append((instant, session))
    var child = items.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard items[child].at < items[parent].at else { break }
      items.swapAt(child, parent)
      child = parent
    }
  }

  /// Takes out the earliest, if it is due.
  mutating func takeDue(_ now: Instant) -> SessionID? {
    guard let first = items.first, first.at <= now else { return nil }
    items.swapAt(0, items.count - 1)
    items.removeLast()
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < items.count {
        if items[child].at < items[least].at { least = child }
      }
      guard least != parent else { break }
      items.swapAt(parent, least)
      parent = least
    }
    return first.session
  }
}
